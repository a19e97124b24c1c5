import type { Database } from '../../../database/database.ts';
import type { PageRequest } from '../../../core/page.ts';
import { platformDisplayName } from '../../sign-in/login/index.ts';
import { findDevices, type DeviceRow } from './queries.ts';

/** The maximum number of devices of a player. A trigger (migration 0025) deletes the devices over it. */
export const MAX_DEVICES = 50;

/** A device as its own player sees it. */
export interface Device extends DeviceRow {
  platformDisplayName: string;
}

export function asDevice(row: DeviceRow): Device {
  return { ...row, platformDisplayName: platformDisplayName(row.platform) };
}

/** Lists the devices that a player has signed in from, in all tenants, the last used first. The default page is all of them. */
export async function listDevices(
  database: Database,
  playerId: string,
  page: PageRequest = { limit: MAX_DEVICES, offset: 0 },
): Promise<Device[]> {
  const rows = await findDevices(database.forPlayer(playerId), playerId, page);
  return rows.map(asDevice);
}
