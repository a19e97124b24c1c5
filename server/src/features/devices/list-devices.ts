import type { Database } from '../../database/database.ts';
import { asDevice, type Device } from './device.ts';
import { findDevices } from './queries.ts';

/** Every device that a player has signed in from, in whatever tenant, the last used first. */
export async function listDevices(database: Database, playerId: string): Promise<Device[]> {
  const rows = await findDevices(database.forPlayer(playerId), playerId);
  return rows.map(asDevice);
}
