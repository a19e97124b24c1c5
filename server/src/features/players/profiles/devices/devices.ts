import type { PlayerCaller } from '../../../../core/callers.ts';
import type { Database } from '../../../../database/database.ts';
import type { PageRequest } from '../../../../core/page.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { now } from '../../../../core/timestamps.ts';
import type { MailServices } from '../../../messages/mail/index.ts';
import { notifyChange } from '../../../sign-in/email/index.ts';
import { withPlatformName } from '../../../sign-in/login/index.ts';
import { endPlayerSessions } from '../../../sign-in/sessions/index.ts';
import {
  lockForProvenChange,
  mayUseProfile,
  verifyProof,
  type CallerWithProof,
  type ProofServices,
} from '../auth-methods/identity-proof.ts';
import type { ChangeBudgets } from '../change-budgets.ts';
import { lockForChange, readUnlessRevoked } from '../lock-profile.ts';
import { findDevices, updateDevice, type DeviceChanges, type DeviceRow } from './queries.ts';

/** The maximum number of devices of a player. A trigger (migration 0004) deletes the devices over it. */
export const MAX_DEVICES = 50;

/** A device as its own player sees it. */
interface Device extends DeviceRow {
  platformDisplayName: string;
}

/** Lists all devices that a player has signed in from, in all tenants, the last used first. */
export async function listDevices(database: Database, playerId: string): Promise<Device[]> {
  const rows = await findDevices(database.forPlayer(playerId), playerId, { limit: MAX_DEVICES, offset: 0 });
  return rows.map(withPlatformName);
}

/** A page of the caller's own devices. Throws invalid_bearer for a token of a revoked session. */
export async function listOwnDevices(
  database: Database,
  caller: PlayerCaller,
  page: PageRequest,
): Promise<Device[]> {
  const { playerId } = caller;
  const rows = await readUnlessRevoked(database.forPlayer(playerId), caller, (transaction) =>
    findDevices(transaction, playerId, page),
  );
  return rows.map(withPlatformName);
}

/**
 * Changes a device of the player. Blocking it ends its sessions in all tenants, including those of concurrent sign-ins, and revokes their
 * refresh tokens. The profile and the device are locked, and a sign-in takes the same locks before it writes its session. A block and
 * an unblock apply to all games, so they need a proof like a change of sign-in methods, and are notified
 * (docs/decisions/0066-blocks-of-devices.md). Throws not_found, profile_deleted, identity_proof_required, too_many_attempts, and
 * invalid_bearer for a token of a revoked session.
 */
export async function changeDevice(
  services: ProofServices & MailServices & ChangeBudgets,
  caller: CallerWithProof,
  deviceId: string,
  changes: DeviceChanges,
): Promise<Device> {
  const { playerId } = caller;
  const { isBlocked } = changes;
  if (isBlocked === undefined && !(await mayUseProfile(services, caller)))
    throw new ProblemError(
      'identity_proof_required',
      'The sign-in method of this portal session was linked without a proof, and this player has signed in to games of several workspaces. ' +
        'With a proof, this session can only change `isBlocked`. Sign in to the portal with another method.',
    );
  const proof = isBlocked === undefined ? undefined : await verifyProof(services, caller);
  const device = await services.database.forPlayer(playerId).transaction(async (transaction) => {
    // A thief could otherwise unblock the stolen device, or block the other devices of its owner.
    if (isBlocked !== undefined) await lockForProvenChange(transaction, services, caller, { proof });
    else await lockForChange(transaction, caller);
    const updated = await updateDevice(transaction, playerId, deviceId, changes, now());
    if (!updated) return undefined;
    const { wasBlocked, ...changed } = updated;
    const isBlockChanged = changed.isBlocked !== wasBlocked;
    // Before the sessions are searched, because a player can have many.
    if (!isBlockChanged) await services.smallProfileChanges.spend(playerId);
    if (isBlockChanged && wasBlocked) await services.profileChanges.spend(playerId);
    if (isBlocked)
      // A player who blocks the device in use can unblock it while the token is valid.
      await endPlayerSessions(
        transaction,
        playerId,
        { deviceId },
        { reason: 'device_blocked', keepToken: caller.sessionId },
      );
    if (isBlockChanged)
      await notifyChange(
        services,
        transaction,
        caller,
        changed.isBlocked ? 'deviceBlocked' : 'deviceUnblocked',
        // Other tenants may not know the device.
        (tenantId) => (tenantId === caller.tenantId ? { deviceId } : {}),
      );
    return changed;
  });
  if (!device) throw new ProblemError('not_found', 'The player has no such device.');
  return withPlatformName(device);
}
