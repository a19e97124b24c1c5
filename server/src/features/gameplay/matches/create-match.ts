import type { Database, Querier } from '../../../database/database.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { now } from '../../../core/timestamps.ts';
import { runOnce } from '../../platform/idempotency/index.ts';
import { refuseForOthers, type MatchCaller } from './caller.ts';
import { insertMatch, type Refusal } from './queries.ts';

export interface CreateMatchRequest {
  players: { playerId: string; loginSessionId?: string | null }[];
  mode?: string | null;
  metadata?: Record<string, unknown>;
}

/** What a refusal is to the caller of a batch (contract §5). */
const refusals: Record<Refusal, { statusCode: 404 | 410; error: string }> = {
  unknown_player: { statusCode: 404, error: 'The tenant has no such player.' },
  unknown_session: { statusCode: 404, error: 'The player has no such session in the tenant.' },
  session_expired: { statusCode: 410, error: 'The player’s session has ended or expired.' },
};

/**
 * Starts a match. Throws players_rejected where any player's session is not alive, player_not_found where one is unknown:
 * then nothing is created, and `errors` names each of them. Throws idempotency_key_reused.
 */
export async function createMatch(
  database: Database,
  caller: MatchCaller,
  { players, mode, metadata }: CreateMatchRequest,
) {
  const playerIds = players.map((player) => player.playerId);
  refuseDuplicates(playerIds);
  refuseForOthers(caller, playerIds);

  // In ascending order, so that the roster is read in the order in which it was sent.
  const matchPlayerIds = players.map(() => newId()).toSorted();
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
    const refused = await insertMatch(transaction, caller.billing.tenantId, match);
    if (refused.length > 0) throw rejection(refused, playerIds);
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

function rejection(refused: { index: number; refusal: Refusal }[], playerIds: string[]): ProblemError {
  const errors = refused.map(({ index, refusal }) => ({
    index,
    playerId: playerIds[index],
    ...refusals[refusal],
  }));
  const anyExpired = errors.some((error) => error.statusCode === 410);
  return new ProblemError(anyExpired ? 'players_rejected' : 'player_not_found', {
    detail: 'No match was created. The member errors names each player and the reason.',
    members: { errors },
  });
}

function refuseDuplicates(playerIds: string[]): void {
  const seen = new Set<string>();
  const errors = playerIds.flatMap((id, index) => {
    if (seen.size < seen.add(id).size) return [];
    return [{ path: `players.${index}.playerId`, message: 'is there already' }];
  });
  if (errors.length > 0)
    throw new ProblemError('invalid_request', {
      detail: 'The request names a player twice. Name each player once.',
      members: { errors },
    });
}
