import type { Database } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { now } from '../../../core/timestamps.ts';
import { requireOwnEntries, type MatchCaller } from './caller.ts';
import { listMatchPlayers, markEnded, type MatchSession } from './queries.ts';

/**
 * Ends a match. Idempotent: a second call returns the first end. With a bearer token, the roster may contain no other player.
 * Throws `not_found` and `forbidden`.
 */
export async function endMatch(
  database: Database,
  caller: MatchCaller,
  matchSessionId: string,
): Promise<MatchSession> {
  const { tenantId } = caller.billing;
  return database.forKey(caller.billing).transaction(async (transaction) => {
    const ended = await markEnded(transaction, tenantId, matchSessionId, now());
    if (!ended) throw new ProblemError('not_found', 'The tenant does not have this match.');
    // From now on nobody can join.
    await requireOwnEntries(transaction, caller, (tenant) =>
      listMatchPlayers(tenant, tenantId, matchSessionId),
    );
    return ended;
  });
}
