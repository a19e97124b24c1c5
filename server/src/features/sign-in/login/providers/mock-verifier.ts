import type { Vault } from '../../../../security/vault.ts';
import { cleanDisplayName } from '../../../../core/display-name.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { codePoints } from '../../../../core/text.ts';
import type { ProviderVerifier } from '../identity.ts';

const MAX_USERNAME_LENGTH = 64;

/**
 * Parses `mock:<username>:<password>`. The password is stored as an HMAC instead of a slow hash, because Mock is for tests and must be
 * fast.
 */
export function createMockVerifier(vault: Vault): ProviderVerifier<unknown> {
  return async (_settings, token, { workspaceId }) => {
    const match = /^mock:([^:]+):(.+)$/su.exec(token);
    const username = match?.[1]?.trim() ?? '';
    const password = match?.[2] ?? '';
    if (username === '' || codePoints(username) > MAX_USERNAME_LENGTH)
      throw new ProblemError(
        'invalid_credentials',
        `A Mock token has the form mock:<username>:<password>. The username has 1 to ${MAX_USERNAME_LENGTH} characters.`,
      );
    const displayName = cleanDisplayName(username);
    return {
      provider: 'Mock',
      issuer: workspaceId,
      providerUserId: username,
      username,
      ...(displayName !== undefined && { displayName }),
      secretHash: vault.fingerprint(`mock password ${workspaceId} ${username} ${password}`),
    };
  };
}
