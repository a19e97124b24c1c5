import type { Querier } from '../../../../database/database.ts';
import { sql } from '../../../../database/sql.ts';
import type { PageRequest } from '../../../../core/page.ts';
import type { Platform } from '../../../sign-in/login/index.ts';

/** A stored device. */
export interface DeviceRow {
  id: string;
  playerId: string;
  deviceFingerprint: string;
  platform: Platform;
  hardwareModel: string | null;
  osVersion: string | null;
  deviceName: string | null;
  isTrusted: boolean;
  isBlocked: boolean;
  firstSeenAt: string;
  lastSeenAt: string;
  loginCount: number;
  metadata: Record<string, unknown>;
  createdAtGl: string;
  updatedAtGl: string;
  receivedAtDb: string;
}

const columns = sql`id, player_id AS "playerId", device_fingerprint AS "deviceFingerprint", platform,
    hardware_model AS "hardwareModel", os_version AS "osVersion", device_name AS "deviceName",
    is_trusted AS "isTrusted", is_blocked AS "isBlocked", first_seen_at AS "firstSeenAt",
    last_seen_at AS "lastSeenAt", login_count AS "loginCount", metadata, created_at_gl AS "createdAtGl",
    updated_at_gl AS "updatedAtGl", received_at_db AS "receivedAtDb"`;

/** A page of a player's devices, the last used first. */
export function findDevices(db: Querier, playerId: string, page: PageRequest): Promise<DeviceRow[]> {
  return db.rows(sql`
    SELECT ${columns} FROM devices WHERE player_id = ${playerId} ORDER BY last_seen_at DESC, id DESC
    LIMIT ${page.limit} OFFSET ${page.offset}`);
}

/** The fields that a player can change. An undefined field does not change. */
export interface DeviceChanges {
  deviceName?: string | null;
  isTrusted?: boolean;
  isBlocked?: boolean;
}

/**
 * Changes a device and locks it until the transaction ends. Also returns whether it was blocked before. Returns undefined if it is
 * not the player's. The caller has locked the player.
 */
export function updateDevice(
  db: Querier,
  playerId: string,
  deviceId: string,
  { deviceName, isTrusted, isBlocked }: DeviceChanges,
  at: string,
): Promise<(DeviceRow & { wasBlocked: boolean }) | undefined> {
  return db.row(sql`
    UPDATE devices
    SET device_name = CASE WHEN ${deviceName === undefined}::boolean THEN device_name ELSE ${deviceName}::text END,
        is_trusted = coalesce(${isTrusted}::boolean, is_trusted),
        is_blocked = coalesce(${isBlocked}::boolean, is_blocked),
        updated_at_gl = ${at}
    WHERE id = ${deviceId} AND player_id = ${playerId}
    RETURNING ${columns},
      (SELECT before.is_blocked FROM devices before
       WHERE before.player_id = ${playerId} AND before.id = devices.id) AS "wasBlocked"`);
}

/** Erases what the devices of a player say about their owner. The ids stay, because ledger rows have them. */
export async function eraseDevices(db: Querier, playerId: string): Promise<void> {
  await db.run(sql`
    UPDATE devices
    SET device_fingerprint = 'erased-' || id, hardware_model = NULL, os_version = NULL, device_name = NULL, metadata = '{}'
    WHERE player_id = ${playerId}`);
}
