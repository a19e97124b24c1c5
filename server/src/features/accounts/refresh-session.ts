import type { Database } from '../../database/database.ts';
import type { Author } from '../../http/request-context.ts';
import { isOpaqueToken } from '../../security/opaque-tokens.ts';
import { newRefreshToken, REUSE_GRACE_SECONDS } from '../../security/refresh-tokens.ts';
import type { Vault } from '../../security/vault.ts';
import { Problem } from '../../shared/problem.ts';
import { auditTrail } from '../audit/index.ts';
import type { TokenSigner } from '../signing-keys/index.ts';
import { signedIn, type SignedIn } from './issue-tokens.ts';
import { findAccount, noteUse, revokeSession, rotateToken } from './queries.ts';

export interface RefreshServices {
  database: Database;
  vault: Vault;
  signer: TokenSigner;
}

/**
 * Exchanges a refresh token for a new pair. Of several uses of one token exactly one succeeds. A use that comes more than
 * ten seconds after the token was exchanged means that it leaked: it ends the session's refreshing for good, and is audited.
 * Throws invalid_refresh_token for every other token, whatever is wrong with it.
 */
export async function refreshSession(
  { database, vault, signer }: RefreshServices,
  origin: NonNullable<Author['origin']>,
  token: string,
): Promise<SignedIn> {
  if (!isOpaqueToken('session', token)) throw new Problem('invalid_refresh_token');
  const next = newRefreshToken(vault, 'session');
  const session = await rotateToken(database, vault.fingerprint(token), next, REUSE_GRACE_SECONDS);
  if (session?.reused) await endLeakedSession(database, origin, session);
  const account = session?.rotated ? await findAccount(database, session.accountId) : undefined;
  if (!session || !account) throw new Problem('invalid_refresh_token');
  await noteUse(database, session.sessionId, origin);
  return signedIn(signer, account, session.sessionId, next);
}

async function endLeakedSession(
  database: Database,
  origin: Author['origin'],
  { sessionId, accountId }: { sessionId: string; accountId: string },
): Promise<void> {
  await database.transaction(async (transaction) => {
    if (!(await revokeSession(transaction, sessionId))) return;
    await auditTrail(transaction, [
      {
        action: 'refresh_token.reused',
        actor: { kind: 'account', id: accountId },
        ...(origin && { origin }),
        targetId: sessionId,
        details: { consequence: 'no refresh token of the session works any more' },
      },
    ]);
  });
}
