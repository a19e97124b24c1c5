import type { Database } from '../../../database/database.ts';
import type { PageRequest } from '../../../core/page.ts';
import { asDevice, MAX_DEVICES, type Device } from './device.ts';
import { findDevices } from './queries.ts';

/** The devices that a player has signed in from, in any tenant, the last used first: all of them, or those of a page. */
export async function listDevices(
  database: Database,
  playerId: string,
  page: PageRequest = { limit: MAX_DEVICES, offset: 0 },
): Promise<Device[]> {
  const rows = await findDevices(database.forPlayer(playerId), playerId, page);
  return rows.map(asDevice);
}
