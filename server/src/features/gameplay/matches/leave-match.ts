import type { Database } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { now } from '../../../core/timestamps.ts';
import { requireOwnPlayer, type MatchCaller } from './caller.ts';
import { findRoster, markLeft, type MatchPlayer } from './queries.ts';

/** Records that a player has left a match. Idempotent: a second call returns the first time. Throws `not_found` and `forbidden`. */
export async function leaveMatch(
  database: Database,
  caller: MatchCaller,
  matchSessionId: string,
  matchPlayerId: string,
): Promise<MatchPlayer> {
  const { tenantId } = caller.billing;
  if (caller.playerId !== undefined) {
    const entries = await findRoster(database.forTenant(tenantId), tenantId, [matchPlayerId]);
    requireOwnPlayer(
      caller,
      entries.map((entry) => entry.playerId),
    );
  }
  return database.forKey(caller.billing).transaction(async (transaction) => {
    const left = await markLeft(transaction, tenantId, matchSessionId, matchPlayerId, now());
    if (!left) throw new ProblemError('not_found', 'The match does not have this player.');
    return left;
  });
}
