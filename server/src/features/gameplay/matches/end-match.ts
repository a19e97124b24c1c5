import type { Database } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { now } from '../../../core/timestamps.ts';
import { refuseForOthers, type MatchCaller } from './caller.ts';
import { listMatchPlayers, markEnded, type MatchSession } from './queries.ts';

/**
 * Ends a match; ending it again answers with its first end. A player's bearer may end a match that nobody else was in.
 * Throws not_found.
 */
export async function endMatch(
  database: Database,
  caller: MatchCaller,
  matchSessionId: string,
): Promise<MatchSession> {
  const { tenantId } = caller.billing;
  if (caller.playerId !== undefined) {
    const players = await listMatchPlayers(database.forTenant(tenantId), tenantId, matchSessionId);
    refuseForOthers(
      caller,
      players.map((player) => player.playerId),
    );
  }
  return database.forKey(caller.billing).transaction(async (transaction) => {
    const ended = await markEnded(transaction, tenantId, matchSessionId, now());
    if (!ended) throw new ProblemError('not_found', 'The tenant has no such match.');
    return ended;
  });
}
