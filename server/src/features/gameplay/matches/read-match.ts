import type { Database } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { findMatch, listMatchPlayers, type MatchPlayer, type MatchSession } from './queries.ts';

/** Reads a match with its whole roster, including players who have left. Throws `not_found`. */
export async function readMatch(
  database: Database,
  tenantId: string,
  matchSessionId: string,
): Promise<MatchSession & { players: MatchPlayer[] }> {
  const tenant = database.forTenant(tenantId);
  const [match, players] = await Promise.all([
    findMatch(tenant, tenantId, matchSessionId),
    listMatchPlayers(tenant, tenantId, matchSessionId),
  ]);
  if (!match) throw new ProblemError('not_found', 'The tenant does not have this match.');
  return { ...match, players };
}
