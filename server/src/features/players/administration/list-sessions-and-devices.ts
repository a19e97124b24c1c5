import type { Database } from '../../../database/database.ts';
import { readPage, type PageRequest } from '../../../core/page.ts';
import { withPlatformName } from '../../sign-in/login/index.ts';
import { countDevices, countSessions, listDevices, listSessions } from './player-queries.ts';
import { resolvePlayerId } from './read-player.ts';

/** A page of a player's sessions in the tenant. Throws player_not_found. */
export async function listPlayerSessions(
  database: Database,
  tenantId: string,
  id: string,
  page: PageRequest,
) {
  const playerId = await resolvePlayerId(database.heavy.forTenant(tenantId), tenantId, id);
  const tenant = database.heavy.forTenant(tenantId, { playerId });
  const { items, ...rest } = await readPage(
    page,
    listSessions(tenant, tenantId, playerId, page),
    countSessions(tenant, tenantId, playerId),
  );
  return { items: items.map(withPlatformName), ...rest };
}

/** A page of the devices that a player has used in the tenant. Throws player_not_found. */
export async function listPlayerDevices(database: Database, tenantId: string, id: string, page: PageRequest) {
  const playerId = await resolvePlayerId(database.heavy.forTenant(tenantId), tenantId, id);
  const tenant = database.heavy.forTenant(tenantId, { playerId });
  const { items, ...rest } = await readPage(
    page,
    listDevices(tenant, tenantId, playerId, page),
    countDevices(tenant, tenantId, playerId),
  );
  return { items: items.map(withPlatformName), ...rest };
}
