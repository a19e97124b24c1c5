import type { Database } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { now } from '../../../core/timestamps.ts';
import { endPlayerSessions } from '../../sign-in/sessions/index.ts';
import { asDevice, type Device } from './list-devices.ts';
import { updateDevice, type DeviceChanges } from './queries.ts';

/**
 * Changes a device of the player. Blocking it ends its sessions in all tenants, also those of concurrent sign-ins, and revokes their
 * refresh tokens. The update locks the device row, and a sign-in takes the same lock before it writes its session. Throws not_found.
 */
export async function changeDevice(
  database: Database,
  playerId: string,
  deviceId: string,
  changes: DeviceChanges,
): Promise<Device> {
  const device = await database.forPlayer(playerId).transaction(async (transaction) => {
    const changed = await updateDevice(transaction, playerId, deviceId, changes, now());
    if (changes.isBlocked && changed)
      await endPlayerSessions(transaction, playerId, { deviceId }, { reason: 'device_blocked' });
    return changed;
  });
  if (!device) throw new ProblemError('not_found', 'The player has no such device.');
  return asDevice(device);
}
