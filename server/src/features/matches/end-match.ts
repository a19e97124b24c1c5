import type { Database } from '../../database/database.ts';
import { Problem } from '../../shared/problem.ts';
import { now } from '../../shared/timestamps.ts';
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
  const { tenantId } = caller;
  const tenant = database.forTenant(tenantId);
  if (caller.playerId !== undefined) {
    const players = await listMatchPlayers(tenant, tenantId, matchSessionId);
    refuseForOthers(
      caller,
      players.map((player) => player.playerId),
    );
  }
  const ended = await markEnded(tenant, tenantId, matchSessionId, now());
  if (!ended) throw new Problem('not_found', 'The tenant has no such match.');
  return ended;
}
