import type { Database, Querier } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { now } from '../../../core/timestamps.ts';
import { requireOwnEntries, type MatchCaller } from './caller.ts';
import { findRoster, findSharedEntries, markLeft, type MatchPlayer } from './queries.ts';

/** Records that a player has left a match. Idempotent: a second call returns the first time. Throws `not_found` and `forbidden`. */
export async function leaveMatch(
  database: Database,
  caller: MatchCaller,
  matchSessionId: string,
  matchPlayerId: string,
): Promise<MatchPlayer> {
  const { tenantId } = caller.billing;
  await requireOwnEntries(database.forTenant(tenantId), caller, (tenant) =>
    findRoster(tenant, tenantId, [matchPlayerId]),
  );
  return database.forKey(caller.billing).transaction(async (transaction) => {
    const left = await markLeft(transaction, tenantId, matchSessionId, matchPlayerId, now());
    if (!left) throw new ProblemError('not_found', 'The match does not have this player.');
    return left;
  });
}

/**
 * Lets a player, who has just absorbed another profile, stay in each running match once: the other entries of the person are marked as
 * left. Runs in the transaction of the merge, after it has moved the access records of these tenants.
 */
export async function leaveSharedMatches(db: Querier, tenantIds: string[], playerId: string): Promise<void> {
  const at = now();
  for (const { tenantId, matchSessionId, matchPlayerId } of await findSharedEntries(db, tenantIds, playerId))
    await markLeft(db, tenantId, matchSessionId, matchPlayerId, at);
}
