import type { Database, Querier } from '../../../database/database.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { now } from '../../../core/timestamps.ts';
import { runOnce } from '../../platform/idempotency/index.ts';
import { requireOwnPlayer, type MatchCaller } from './caller.ts';
import { insertMatchPlayer, lockAccess, type JoinOutcome } from './entry-queries.ts';

/** The limit is approximate: players who join at the same moment may exceed it by a few. */
export const MAX_PLAYERS_PER_MATCH = 1_000;

/**
 * Adds a player to a running match. Throws `not_found`, `player_not_found`, `match_ended`, `session_expired`, `match_full`,
 * `already_in_match` and `idempotency_key_reused`.
 */
export async function joinMatch(
  database: Database,
  caller: MatchCaller,
  matchSessionId: string,
  { playerId, loginSessionId = null }: { playerId: string; loginSessionId?: string | null },
) {
  requireOwnPlayer(caller, [playerId]);
  const { tenantId } = caller.billing;
  const entrant = { matchPlayerId: newId(), playerId, loginSessionId };
  const join = async (transaction: Querier) => {
    const [, outcome] = await Promise.all([
      lockAccess(transaction, tenantId, [playerId]),
      insertMatchPlayer(transaction, tenantId, matchSessionId, {
        ...entrant,
        at: now(),
        maxPlayers: MAX_PLAYERS_PER_MATCH,
      }),
    ]);
    return { matchSessionId, playerId, ...toJoined(outcome) };
  };
  return database
    .forKey(caller.billing)
    .transaction((transaction) => runOnce(transaction, caller.idempotency, () => join(transaction)));
}

function toJoined(outcome: JoinOutcome | undefined): { matchPlayerId: string; joinedAt: string } {
  if (!outcome) throw new ProblemError('not_found', 'The tenant does not have this match.');
  const { rejection, hasEnded, isFull, matchPlayerId, joinedAt } = outcome;
  if (rejection === 'unknown_player') throw new ProblemError('player_not_found');
  if (rejection === 'unknown_session')
    throw new ProblemError('not_found', 'The player does not have this session in the tenant.');
  if (hasEnded) throw new ProblemError('match_ended');
  if (rejection === 'session_expired') throw new ProblemError('session_expired');
  if (isFull)
    throw new ProblemError('match_full', `A match may have at most ${MAX_PLAYERS_PER_MATCH} players.`);
  if (matchPlayerId === null || joinedAt === null) throw new ProblemError('already_in_match');
  return { matchPlayerId, joinedAt };
}
