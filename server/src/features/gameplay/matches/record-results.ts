import type { Database, Querier } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { refuseForOthers, type MatchCaller } from './caller.ts';
import { findMatch, findRoster, writeResults, type MatchPlayer } from './queries.ts';

/** A result as it is sent: what it leaves out is nothing, not as before. */
export interface SentResult {
  matchPlayerId: string;
  placement?: number | null;
  score?: number | null;
  outcome?: string | null;
}

/**
 * Replaces the results of the named players, before or after the end of the match; those of others stay. Throws not_found
 * for an unknown match, and, with `errors` that name them, for players who are not in its roster: then nothing is written.
 */
export async function recordResults(
  database: Database,
  caller: MatchCaller,
  matchSessionId: string,
  results: SentResult[],
): Promise<{ matchSessionId: string; results: MatchPlayer[] }> {
  const { tenantId } = caller.billing;
  const ids = results.map((result) => result.matchPlayerId);
  if (new Set(ids).size < ids.length)
    throw new ProblemError(
      'invalid_request',
      'A match player has two results in the request. Send one for each.',
    );
  if (caller.playerId !== undefined) {
    const entries = await findRoster(database.forTenant(tenantId), tenantId, ids);
    refuseForOthers(
      caller,
      entries.map((entry) => entry.playerId),
    );
  }

  const complete = results.map(({ matchPlayerId, placement = null, score = null, outcome = null }) => ({
    matchPlayerId,
    placement,
    score,
    outcome,
  }));
  const written = await database.forKey(caller.billing).transaction(async (transaction) => {
    const players = await writeResults(transaction, tenantId, matchSessionId, complete);
    if (players.length === 0) throw await whyNothing(transaction, tenantId, matchSessionId, ids);
    return players;
  });
  return { matchSessionId, results: written };
}

async function whyNothing(
  tenant: Querier,
  tenantId: string,
  matchSessionId: string,
  ids: string[],
): Promise<ProblemError> {
  if (!(await findMatch(tenant, tenantId, matchSessionId)))
    return new ProblemError('not_found', 'The tenant has no such match.');
  const roster = await findRoster(tenant, tenantId, ids);
  const here = new Set(
    roster.filter((entry) => entry.matchSessionId === matchSessionId).map((entry) => entry.matchPlayerId),
  );
  const errors = ids.flatMap((matchPlayerId, index) =>
    here.has(matchPlayerId)
      ? []
      : [{ index, matchPlayerId, statusCode: 404, error: 'The match has no such player.' }],
  );
  return new ProblemError('not_found', {
    detail: 'No result was written. The member errors names each match player that is not in the match.',
    members: { errors },
  });
}
