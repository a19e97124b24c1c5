import { nextSlice } from '../../../core/concurrency/event-loop.ts';
import type { Database } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { findMatch, listMatchPlayers, type MatchPlayer, type MatchSession } from './queries.ts';

const PLAYERS_AT_ONCE = 100;

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
  // To serialize 1,000 players takes 4 ms.
  if (players.length > PLAYERS_AT_ONCE) await nextSlice(tenantId);
  return { ...match, players };
}
