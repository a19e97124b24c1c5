import type { Database, Querier } from '../../../database/database.ts';
import { newBulkId, newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { now } from '../../../core/timestamps.ts';
import { runOnce } from '../../platform/idempotency/index.ts';
import { requireOwnPlayer, type MatchCaller } from './caller.ts';
import { insertMatch, lockAccess, type Rejection } from './entry-queries.ts';

/** A match as the caller asks for it. */
interface WantedMatch {
  players: { playerId: string; loginSessionId?: string | null }[];
  mode?: string | null;
  metadata?: Record<string, unknown>;
}

/** The error that the response gives for each rejected player. */
const rejections: Record<Rejection, { statusCode: 404 | 410; error: string }> = {
  unknown_player: { statusCode: 404, error: 'The tenant does not have this player.' },
  unknown_session: { statusCode: 404, error: 'The player does not have this session in the tenant.' },
  session_expired: {
    statusCode: 410,
    error:
      'The player’s session has ended, or its sign-in was more than 2 hours ago. A refresh does not count. Sign the player in again.',
  },
};

/**
 * Creates a match with its roster, or nothing if any player is rejected. Throws `players_rejected` if a session has ended or
 * expired, `player_not_found` if only players or sessions are unknown (`errors` lists each), and `idempotency_key_reused`.
 */
export async function createMatch(
  database: Database,
  caller: MatchCaller,
  { players, mode, metadata }: WantedMatch,
) {
  const playerIds = players.map((player) => player.playerId);
  rejectDuplicates(playerIds);
  requireOwnPlayer(caller, playerIds);
  const { tenantId } = caller.billing;

  // Sorted IDs keep the order of the request, because the roster is read in the order of the IDs.
  const matchPlayerIds = players.map(newBulkId).toSorted();
  const match = {
    matchSessionId: newId(),
    mode: mode ?? null,
    metadata: metadata ?? {},
    startedAt: now(),
    entrants: players.map(({ playerId, loginSessionId = null }, index) => ({
      matchPlayerId: matchPlayerIds[index]!,
      playerId,
      loginSessionId,
    })),
  };
  const create = async (transaction: Querier) => {
    const [, rejected] = await Promise.all([
      lockAccess(transaction, tenantId, playerIds),
      insertMatch(transaction, tenantId, match),
    ]);
    if (rejected.length > 0) throw rejectionProblem(rejected, playerIds);
    return {
      matchSessionId: match.matchSessionId,
      startedAt: match.startedAt,
      players: match.entrants.map(({ matchPlayerId, playerId }) => ({ matchPlayerId, playerId })),
    };
  };
  return database
    .forKey(caller.billing)
    .transaction((transaction) => runOnce(transaction, caller.idempotency, () => create(transaction)));
}

function rejectionProblem(
  rejected: { index: number; rejection: Rejection }[],
  playerIds: string[],
): ProblemError {
  const errors = rejected.map(({ index, rejection }) => ({
    index,
    playerId: playerIds[index],
    ...rejections[rejection],
  }));
  const anyExpired = errors.some((error) => error.statusCode === 410);
  return new ProblemError(anyExpired ? 'players_rejected' : 'player_not_found', {
    detail: 'No match was created. The member errors lists each rejected player with the reason.',
    members: { errors },
  });
}

function rejectDuplicates(playerIds: string[]): void {
  const seen = new Set<string>();
  const errors = playerIds.flatMap((id, index) => {
    if (seen.size < seen.add(id).size) return [];
    return [{ path: `players.${index}.playerId`, message: 'occurs more than once' }];
  });
  if (errors.length > 0)
    throw new ProblemError('invalid_request', {
      detail: 'The request lists a player more than once. List each player once.',
      members: { errors },
    });
}
