import type { Vault } from '../../../security/vault.ts';
import { codePoints } from '../../../shared/text.ts';
import type { Identity } from '../identity.ts';

const LONGEST_USERNAME = 64;

/**
 * Reads `mock:<username>:<password>`. The password is kept as an HMAC, not as a slow hash: Mock is for tests and must
 * cost nothing. Returns undefined for any other text.
 */
export function readMockToken(token: string, workspaceId: string, vault: Vault): Identity | undefined {
  const match = /^mock:([^:]+):(.+)$/su.exec(token);
  const username = match?.[1]?.trim() ?? '';
  const password = match?.[2] ?? '';
  if (username === '' || codePoints(username) > LONGEST_USERNAME) return undefined;
  return {
    provider: 'Mock',
    issuer: workspaceId,
    providerUserId: username,
    username,
    displayName: username,
    secretHash: vault.fingerprint(`mock password ${workspaceId} ${username} ${password}`),
  };
}
