import type { Database, Querier } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { findActiveId } from '../lookup/index.ts';
import { describePlayers, type TenantPlayer } from './describe-players.ts';
import { countBelongings, type PlayerCounts } from './player-queries.ts';
import { hasAccess } from './queries.ts';

export interface PlayerDetail extends TenantPlayer {
  counts: PlayerCounts;
}

/** A player of a tenant, by their id or that of a profile that was merged into theirs. Throws player_not_found. */
export async function readPlayer(database: Database, tenantId: string, id: string): Promise<PlayerDetail> {
  const tenant = database.forTenant(tenantId);
  const playerId = await requirePlayer(tenant, tenantId, id);
  return readDetail(database.forTenant(tenantId, playerId), tenantId, playerId);
}

/** The id of a tenant's player whom an id leads to. Throws player_not_found, whether or not they play elsewhere. */
export async function requirePlayer(db: Querier, tenantId: string, id: string): Promise<string> {
  const playerId = await findActiveId(db, id);
  if (playerId === undefined || !(await hasAccess(db, tenantId, playerId))) throw notFound();
  return playerId;
}

/** All of a player that one answer shows. Throws player_not_found. */
export async function readDetail(db: Querier, tenantId: string, playerId: string): Promise<PlayerDetail> {
  const [[player], counts] = await Promise.all([
    describePlayers(db, tenantId, [playerId]),
    countBelongings(db, tenantId, playerId),
  ]);
  if (!player) throw notFound();
  return { ...player, counts };
}

function notFound(): ProblemError {
  return new ProblemError('player_not_found', 'The tenant has no such player.');
}
