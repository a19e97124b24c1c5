import type { Database, Querier } from '../../../database/database.ts';
import { invalidField, ProblemError } from '../../../core/problem.ts';
import { requireOwnEntries, type MatchCaller } from './caller.ts';
import { findMatch, findRoster, writeResults, type MatchPlayer, type PlayerResult } from './queries.ts';

/** A result as the client sends it. An absent field clears the stored value. */
type SentResult = Pick<PlayerResult, 'matchPlayerId'> & Partial<PlayerResult>;

/**
 * Replaces the results of the given players, before or after the end of the match. The results of other players do not
 * change. Throws `not_found` if the match is unknown, or if a player is not in its roster (`errors` lists each). Then nothing
 * is written.
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
    throw invalidField(
      'results',
      'must have one item for each match player',
      'The request has two results for one match player. Send one result per player.',
    );
  await requireOwnEntries(database.forTenant(tenantId), caller, (tenant) =>
    findRoster(tenant, tenantId, ids),
  );

  const complete = results.map(({ matchPlayerId, placement = null, score = null, outcome = null }) => ({
    matchPlayerId,
    placement,
    score,
    outcome,
  }));
  const written = await database.forKey(caller.billing).transaction(async (transaction) => {
    const players = await writeResults(transaction, tenantId, matchSessionId, complete);
    if (players.length === 0) throw await explainNotFound(transaction, tenantId, matchSessionId, ids);
    return players;
  });
  return { matchSessionId, results: written };
}

async function explainNotFound(
  tenant: Querier,
  tenantId: string,
  matchSessionId: string,
  ids: string[],
): Promise<ProblemError> {
  if (!(await findMatch(tenant, tenantId, matchSessionId)))
    return new ProblemError('not_found', 'The tenant does not have this match.');
  const roster = await findRoster(tenant, tenantId, ids);
  const inMatch = new Set(
    roster.filter((entry) => entry.matchSessionId === matchSessionId).map((entry) => entry.matchPlayerId),
  );
  const errors = ids.flatMap((matchPlayerId, index) =>
    inMatch.has(matchPlayerId)
      ? []
      : [{ index, matchPlayerId, statusCode: 404, error: 'The match does not have this player.' }],
  );
  return new ProblemError('not_found', {
    detail: 'No result was written. The member errors lists each match player that is not in the match.',
    members: { errors },
  });
}
