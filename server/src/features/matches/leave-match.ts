import type { Database } from '../../database/database.ts';
import { Problem } from '../../shared/problem.ts';
import { now } from '../../shared/timestamps.ts';
import { refuseForOthers, type MatchCaller } from './caller.ts';
import { findRoster, markLeft, type MatchPlayer } from './queries.ts';

/** Marks a player as gone from a match; leaving again answers with the first time. Throws not_found. */
export async function leaveMatch(
  database: Database,
  caller: MatchCaller,
  matchSessionId: string,
  matchPlayerId: string,
): Promise<MatchPlayer> {
  const { tenantId } = caller;
  const tenant = database.forTenant(tenantId);
  if (caller.playerId !== undefined) {
    const entries = await findRoster(tenant, tenantId, [matchPlayerId]);
    refuseForOthers(
      caller,
      entries.map((entry) => entry.playerId),
    );
  }
  const left = await markLeft(tenant, tenantId, matchSessionId, matchPlayerId, now());
  if (!left) throw new Problem('not_found', 'The match has no such player.');
  return left;
}
