import type { Database } from '../../../../database/database.ts';
import type { PlayerCaller } from '../../../../core/callers.ts';
import type { PageRequest } from '../../../../core/page.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { now } from '../../../../core/timestamps.ts';
import { platformDisplayName } from '../../../sign-in/login/index.ts';
import { endPlayerSessions } from '../../../sign-in/sessions/index.ts';
import { lockActiveProfile, requireUnrevokedSession } from '../lock-profile.ts';
import { findDevices, updateDevice, type DeviceChanges, type DeviceRow } from './queries.ts';

/** The maximum number of devices of a player. A trigger (migration 0004) deletes the devices over it. */
export const MAX_DEVICES = 50;

/** A device as its own player sees it. */
export interface Device extends DeviceRow {
  platformDisplayName: string;
}

function asDevice(row: DeviceRow): Device {
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

/**
 * Changes a device of the player. Blocking it ends its sessions in all tenants, also those of concurrent sign-ins, and revokes their
 * refresh tokens. The profile and the device are locked, and a sign-in takes the same locks before it writes its session. Throws
 * not_found, profile_deleted, and invalid_bearer for a block or an unblock with a token of a revoked session.
 */
export async function changeDevice(
  database: Database,
  caller: PlayerCaller,
  deviceId: string,
  changes: DeviceChanges,
): Promise<Device> {
  const { playerId } = caller;
  const device = await database.forPlayer(playerId).transaction(async (transaction) => {
    await lockActiveProfile(transaction, playerId);
    // Otherwise a thief could unblock the stolen device, or block the other devices of its owner.
    if (changes.isBlocked !== undefined) await requireUnrevokedSession(transaction, caller);
    const changed = await updateDevice(transaction, playerId, deviceId, changes, now());
    if (changes.isBlocked && changed)
      // A player who blocks the device in use can unblock it while the token is valid.
      await endPlayerSessions(
        transaction,
        playerId,
        { deviceId },
        { reason: 'device_blocked', keepToken: caller.sessionId },
      );
    return changed;
  });
  if (!device) throw new ProblemError('not_found', 'The player has no such device.');
  return asDevice(device);
}
