import type { Database, Querier } from '../../../database/database.ts';
import { readPage, type PageRequest } from '../../../core/page.ts';
import { withPlatformName, type Platform } from '../../sign-in/login/index.ts';
import { countDevices, countSessions, listDevices, listSessions, type PlayerRef } from './player-queries.ts';
import { resolvePlayer } from './read-player.ts';

/** A page of a player's sessions in the tenant. Throws player_not_found. */
export const listPlayerSessions = pageOf(listSessions, countSessions);

/** A page of the devices that a player has used in the tenant. Throws player_not_found. */
export const listPlayerDevices = pageOf(listDevices, countDevices);

function pageOf<Row extends { platform: Platform }>(
  list: (db: Querier, player: PlayerRef, page: PageRequest) => Promise<Row[]>,
  count: (db: Querier, player: PlayerRef) => Promise<number>,
) {
  return async (database: Database, requested: PlayerRef, page: PageRequest) => {
    const player = await resolvePlayer(database.heavy.forTenant(requested.tenantId), requested);
    const { tenantId, playerId } = player;
    const tenant = database.heavy.forTenant(tenantId, { playerId });
    const { items, ...rest } = await readPage(page, list(tenant, player, page), count(tenant, player));
    return { items: items.map(withPlatformName), ...rest };
  };
}
