import type { Database } from '../../../database/database.ts';
import type { PlayerCaller } from '../../../core/callers.ts';
import { ProblemError } from '../../../core/problem.ts';
import { requireAllowedPlayer, revokedSessionError } from '../sessions/index.ts';
import { findTokenPlayer } from './queries.ts';

/**
 * Returns the player of an access token of the tenant. Throws player_inactive and player_banned, session_ended if the session has ended,
 * and invalid_bearer if it was revoked.
 */
export async function verifyPlayer(database: Database, tenantId: string, caller: PlayerCaller) {
  const { playerId, expiresAtMs } = caller;
  // Only the tokens of the portal have no session, and they have no tenant.
  const sessionId = caller.sessionId!;
  const found = await findTokenPlayer(database.forTenant(tenantId), tenantId, { playerId, sessionId });
  requireAllowedPlayer(found);
  if (found.isSessionRevoked) throw revokedSessionError();
  if (found.hasSessionEnded) throw new ProblemError('session_ended');
  const { displayName, tenantRole } = found;
  return { playerId, sessionId, displayName, tenantRole, expiresAt: new Date(expiresAtMs).toISOString() };
}
