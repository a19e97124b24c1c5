import type { Querier } from '../../../database/database.ts';
import { findKnownMethods, findPlayers, type KnownMethod, type PlayerRow } from './player-queries.ts';

/** A player as their tenant sees them. */
export interface TenantPlayer extends Omit<PlayerRow, 'id' | 'isBanned' | 'banReason' | 'bannedUntil'> {
  playerId: string;
  /** The one in force. */
  ban: { reason: string | null; until: string | null } | null;
  authMethods: KnownMethod[];
}

/** Players of a tenant, in the order of their ids as given; who is none is left out. */
export async function describePlayers(
  db: Querier,
  tenantId: string,
  playerIds: string[],
): Promise<TenantPlayer[]> {
  if (playerIds.length === 0) return [];
  const [players, methods] = await Promise.all([
    findPlayers(db, tenantId, playerIds),
    findKnownMethods(db, tenantId, playerIds),
  ]);
  const known = new Map(players.map((player) => [player.id, player]));
  const methodsOf = Map.groupBy(methods, ({ playerId }) => playerId);
  return playerIds.flatMap((id) => {
    const player = known.get(id);
    return player ? [asTenantPlayer(player, methodsOf.get(id) ?? [])] : [];
  });
}

function asTenantPlayer(
  { id, isBanned, banReason, bannedUntil, ...player }: PlayerRow,
  authMethods: KnownMethod[],
): TenantPlayer {
  return {
    playerId: id,
    ...player,
    ban: isBanned ? { reason: banReason, until: bannedUntil } : null,
    authMethods,
  };
}
