import type { Database } from '../../database/database.ts';
import type { Author } from '../../http/request-context.ts';
import { isOpaqueToken } from '../../security/opaque-tokens.ts';
import { newRefreshToken, REUSE_GRACE_SECONDS } from '../../security/refresh-tokens.ts';
import { Problem } from '../../shared/problem.ts';
import { auditTrail } from '../audit/index.ts';
import { portalTokens, type PortalTokens, type SessionServices } from './open-session.ts';
import { revokeSession, rotateToken } from './queries.ts';

/**
 * Exchanges a refresh token for a new pair. Of several uses of one token exactly one succeeds. A use that comes more than
 * ten seconds after the token was exchanged means that it leaked: it ends the session's refreshing for good, and is audited.
 * Throws invalid_refresh_token for every other token, whatever is wrong with it.
 */
export async function refreshSession(
  { database, vault, signer }: SessionServices,
  origin: Author['origin'],
  token: string,
): Promise<PortalTokens> {
  if (!isOpaqueToken('portal', token)) throw new Problem('invalid_refresh_token');
  const next = newRefreshToken(vault, 'portal');
  const session = await rotateToken(database, vault.fingerprint(token), next, REUSE_GRACE_SECONDS);
  if (session?.reused) await endLeakedSession(database, origin, session);
  if (!session?.rotated) throw new Problem('invalid_refresh_token');
  return portalTokens(signer, session, next);
}

async function endLeakedSession(
  database: Database,
  origin: Author['origin'],
  { sessionId, playerId }: { sessionId: string; playerId: string },
): Promise<void> {
  await database.transaction(async (transaction) => {
    if (!(await revokeSession(transaction, sessionId))) return;
    await auditTrail(transaction, [
      {
        action: 'refresh_token.reused',
        actor: { kind: 'player', id: playerId },
        ...(origin && { origin }),
        targetId: sessionId,
        details: { consequence: 'no refresh token of the session works any more' },
      },
    ]);
  });
}
