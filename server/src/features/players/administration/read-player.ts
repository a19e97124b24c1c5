import type { Database, Querier } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { findActiveId, findActiveIds } from '../lookup/index.ts';
import { listMergedProfiles } from '../merged-profiles/index.ts';
import {
  countRecords,
  findPlayers,
  findTenantMethods,
  hasAccess,
  type PlayerCounts,
  type PlayerRef,
  type PlayerRow,
  type TenantMethod,
} from './player-queries.ts';

interface PlayerProfile extends TenantPlayer {
  /** The merged profiles that the tenant knew. */
  mergedProfileIds: string[];
}

/** A player with the numbers of their records. */
export interface PlayerDetail extends PlayerProfile {
  counts: PlayerCounts;
}

/**
 * Reads a player of a tenant. The id can be that of a profile that was merged into the player's. Throws player_not_found,
 * too_many_reads and busy.
 */
export async function readPlayer(database: Database, requested: PlayerRef): Promise<PlayerDetail> {
  const tenant = database.forTenant(requested.tenantId);
  const player = await resolvePlayer(tenant, requested);
  const { tenantId, playerId } = player;
  const [profile, counts] = await Promise.all([
    describePlayer(tenant, player),
    // This reads all sessions of the player: 200,000 take 1.4 seconds.
    countRecords(database.heavy.forTenant(tenantId, { playerId }), player),
  ]);
  return { ...profile, counts };
}

/**
 * Resolves an id, which can be that of a merged profile, to a player of the tenant. Throws player_not_found. The error does not reveal
 * whether another tenant has the player.
 */
export async function resolvePlayer(db: Querier, { tenantId, playerId: id }: PlayerRef): Promise<PlayerRef> {
  const playerId = await findActiveId(db, id);
  if (playerId === undefined || !(await hasAccess(db, { tenantId, playerId }))) throw playerNotFound();
  return { tenantId, playerId };
}

/** {@link readPlayer} for a resolved player, without the numbers. Throws player_not_found. */
export async function describePlayer(db: Querier, { tenantId, playerId }: PlayerRef): Promise<PlayerProfile> {
  const [[player], mergedProfileIds] = await Promise.all([
    describePlayers(db, tenantId, [playerId]),
    listMergedProfiles(db, tenantId, playerId),
  ]);
  if (!player) throw playerNotFound();
  return { ...player, mergedProfileIds };
}

/**
 * Reads several players of a tenant, in the order of the distinct `playerIds`. `requestedId` differs from `playerId` if the requested
 * profile was merged. `notFound` lists the ids that are not players of the tenant.
 */
export async function readPlayers(
  database: Database,
  tenantId: string,
  playerIds: string[],
): Promise<{ items: (TenantPlayer & { requestedId: string })[]; notFound: string[] }> {
  const requestedIds = [...new Set(playerIds)];
  const tenant = database.forTenant(tenantId);
  const activeIds = new Map(
    (await findActiveIds(tenant, requestedIds)).map(({ requestedId, id }) => [requestedId, id]),
  );
  const players = await describePlayers(tenant, tenantId, [...new Set(activeIds.values())]);
  const playerOf = new Map(players.map((player) => [player.playerId, player]));
  const items: (TenantPlayer & { requestedId: string })[] = [];
  const notFound: string[] = [];
  for (const requestedId of requestedIds) {
    const player = playerOf.get(activeIds.get(requestedId) ?? '');
    if (player) items.push({ ...player, requestedId });
    else notFound.push(requestedId);
  }
  return { items, notFound };
}

export function playerNotFound(): ProblemError {
  return new ProblemError('player_not_found', 'The tenant has no such player.');
}

/** A player as the tenant sees them. */
export interface TenantPlayer extends Omit<PlayerRow, 'id' | 'isBanned' | 'banReason' | 'bannedUntil'> {
  playerId: string;
  /** The active ban. */
  ban: { reason: string | null; until: string | null } | null;
  authMethods: TenantMethod[];
}

/** Reads players of a tenant in the order of `playerIds`. Ids that are not players of the tenant are left out. */
export async function describePlayers(
  db: Querier,
  tenantId: string,
  playerIds: string[],
): Promise<TenantPlayer[]> {
  if (playerIds.length === 0) return [];
  const [players, methods] = await Promise.all([
    findPlayers(db, tenantId, playerIds),
    findTenantMethods(db, tenantId, playerIds),
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
  methods: (TenantMethod & { playerId: string })[],
): TenantPlayer {
  return {
    playerId: id,
    ...player,
    ban: isBanned ? { reason: banReason, until: bannedUntil } : null,
    // The export of a player has no serializer that leaves out other members.
    authMethods: methods.map(({ playerId: _, ...method }) => method),
  };
}
