import type { KeyCaller } from '../../../../core/callers.ts';
import type { Vault } from '../../../../security/vault.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { codePoints } from '../../../../core/text.ts';
import type { Identity } from '../identity.ts';

const LONGEST_USERNAME = 64;

/**
 * Reads `mock:<username>:<password>`. The password is kept as an HMAC, not as a slow hash: Mock is for tests and must
 * cost nothing.
 */
export function createMockVerifier(vault: Vault) {
  return async (
    _settings: unknown,
    token: string,
    { workspaceId }: Pick<KeyCaller, 'workspaceId'>,
  ): Promise<Identity> => {
    const match = /^mock:([^:]+):(.+)$/su.exec(token);
    const username = match?.[1]?.trim() ?? '';
    const password = match?.[2] ?? '';
    if (username === '' || codePoints(username) > LONGEST_USERNAME)
      throw new ProblemError('invalid_credentials', 'A Mock token has the form mock:<username>:<password>.');
    return {
      provider: 'Mock',
      issuer: workspaceId,
      providerUserId: username,
      username,
      displayName: username,
      secretHash: vault.fingerprint(`mock password ${workspaceId} ${username} ${password}`),
    };
  };
}
