import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { PageRequest } from '../../../core/page.ts';
import type { Visibility } from '../../../core/visibility.ts';
import { mergedProfilesOf } from '../merged-profiles/index.ts';
import { reasonOfBan, type Platform } from '../../sign-in/login/index.ts';
import type { LogoutReason } from '../../sign-in/sessions/index.ts';
import type { Provider } from '../../studio/tenants/index.ts';

/** Identifies a player of a tenant. */
export interface PlayerRef {
  tenantId: string;
  playerId: string;
}

/** The fields that the list and the detail of a player share. */
export interface PlayerRow {
  id: string;
  displayName: string | null;
  avatarUrl: string | null;
  profileVisibility: Visibility;
  isActive: boolean;
  tenantRole: string;
  hiddenFromDiscovery: boolean;
  firstSeenAt: string;
  lastSeenAt: string;
  loginCount: number;
  isBanned: boolean;
  banReason: string | null;
  bannedUntil: string | null;
}

/** Finds players with their access records in the tenant and the active ban. The order is undefined. */
export function findPlayers(db: Querier, tenantId: string, playerIds: string[]): Promise<PlayerRow[]> {
  return db.rows(sql`
    SELECT player.id, player.display_name AS "displayName", player.avatar_url AS "avatarUrl",
           player.profile_visibility AS "profileVisibility", player.is_active AS "isActive",
           access.tenant_role AS "tenantRole", access.hidden_from_discovery AS "hiddenFromDiscovery",
           access.first_seen_at AS "firstSeenAt", access.last_seen_at AS "lastSeenAt", access.login_count AS "loginCount",
           coalesce(access.banned_until > now(), false) AS "isBanned", ban.reason AS "banReason",
           nullif(access.banned_until, 'infinity') AS "bannedUntil"
    FROM unnest(${playerIds}::uuid[]) wanted (id)
    CROSS JOIN LATERAL (
      SELECT * FROM tenant_access WHERE tenant_id = ${tenantId} AND player_id = wanted.id OFFSET 0) access
    CROSS JOIN LATERAL (SELECT * FROM players WHERE id = wanted.id OFFSET 0) player
    LEFT JOIN LATERAL (${reasonOfBan(tenantId, sql`access.player_id`)}) ban ON access.banned_until > now()`);
}

/** A sign-in method that the tenant may see: see docs/decisions/0026-player-search.md. */
export interface TenantMethod {
  id: string;
  authProvider: Provider;
  providerUserId: string;
  email: string | null;
  username: string | null;
  firstUsedAt: string;
}

/** Finds the sign-in methods that players have used in the tenant, in the order of the first use there. */
export function findTenantMethods(
  db: Querier,
  tenantId: string,
  playerIds: string[],
): Promise<(TenantMethod & { playerId: string })[]> {
  return db.rows(sql`
    SELECT method.player_id AS "playerId", method.id, method.auth_provider AS "authProvider",
           method.provider_user_id AS "providerUserId", method.email, method.username, known.first_used_at AS "firstUsedAt"
    FROM unnest(${playerIds}::uuid[]) wanted (id)
    CROSS JOIN LATERAL (SELECT * FROM auth_methods WHERE player_id = wanted.id OFFSET 0) method
    CROSS JOIN LATERAL (
      SELECT first_used_at FROM tenant_sign_in_methods
      WHERE tenant_id = ${tenantId} AND auth_method_id = method.id OFFSET 0) known
    ORDER BY known.first_used_at, method.id`);
}

/** The ids of a player and of the profiles merged into it. Sessions keep the id of the profile that they were written for. */
const person = ({ tenantId, playerId }: PlayerRef) => sql`
    person AS MATERIALIZED (
      SELECT ${playerId}::uuid AS id UNION ALL (${mergedProfilesOf(tenantId, sql`${playerId}`)}))`;

const sessionsOf = ({ tenantId }: PlayerRef) => sql`person CROSS JOIN LATERAL (
      SELECT * FROM login_sessions WHERE player_id = person.id AND tenant_id = ${tenantId} OFFSET 0) session`;

/** The device of `session`, if the player still has it. */
const deviceOfSession = ({ playerId }: PlayerRef) => sql`(
      SELECT * FROM devices WHERE id = session.device_id AND player_id = ${playerId} OFFSET 0) device`;

/** The numbers of a player's records in the tenant. */
export interface PlayerCounts {
  sessions: number;
  openSessions: number;
  devices: number;
  bans: number;
}

export function countRecords(db: Querier, player: PlayerRef): Promise<PlayerCounts> {
  return db.one(sql`
    WITH ${person(player)}
    SELECT count(*) AS sessions, count(*) FILTER (WHERE session.ended_at IS NULL) AS "openSessions",
           count(DISTINCT device.id) AS devices,
           (SELECT count(*) FROM player_bans WHERE tenant_id = ${player.tenantId} AND player_id = ${player.playerId}) AS bans
    FROM ${sessionsOf(player)}
    LEFT JOIN LATERAL ${deviceOfSession(player)} ON true`);
}

export function countSessions(db: Querier, player: PlayerRef): Promise<number> {
  return db.count(sql`
    WITH ${person(player)}
    SELECT count(*) FROM ${sessionsOf(player)}`);
}

/** Counts the devices that a player has used in the tenant. */
export function countDevices(db: Querier, player: PlayerRef): Promise<number> {
  return db.count(sql`
    WITH ${person(player)}
    SELECT count(DISTINCT device.id) FROM ${sessionsOf(player)}
    CROSS JOIN LATERAL ${deviceOfSession(player)}`);
}

/** A session of a player in the tenant. */
export interface PlayerSessionRow {
  sessionId: string;
  isActive: boolean;
  startedAt: string;
  lastSeenAt: string;
  endedAt: string | null;
  endReason: LogoutReason | null;
  authProvider: string;
  platform: Platform;
  deviceId: string | null;
  clientVersion: string | null;
  ipAddress: string | null;
}

/** A page of a player's sessions in the tenant, the latest first. */
export function listSessions(
  db: Querier,
  player: PlayerRef,
  { limit, offset }: PageRequest,
): Promise<PlayerSessionRow[]> {
  return db.rows(sql`
    WITH ${person(player)}
    SELECT session.session_id AS "sessionId", session.ended_at IS NULL AS "isActive", session.started_at AS "startedAt",
           session.last_seen_at AS "lastSeenAt", session.ended_at AS "endedAt", session.end_reason AS "endReason",
           session.auth_provider AS "authProvider", session.platform, session.device_id AS "deviceId",
           session.client_version AS "clientVersion", host(session.last_ip_address) AS "ipAddress"
    FROM ${sessionsOf(player)}
    ORDER BY session.started_at DESC, session.session_id DESC LIMIT ${limit} OFFSET ${offset}`);
}

/** A device, with the player's use of it in the tenant. */
export interface PlayerDeviceRow {
  id: string;
  deviceFingerprint: string;
  platform: Platform;
  hardwareModel: string | null;
  osVersion: string | null;
  isBlocked: boolean;
  firstSeenAt: string;
  lastSeenAt: string;
  loginCount: number;
}

/** A page of the devices that a player has used in the tenant, the last used first. */
export function listDevices(
  db: Querier,
  player: PlayerRef,
  { limit, offset }: PageRequest,
): Promise<PlayerDeviceRow[]> {
  return db.rows(sql`
    WITH ${person(player)}
    SELECT device.id, device.device_fingerprint AS "deviceFingerprint", device.platform,
           device.hardware_model AS "hardwareModel", device.os_version AS "osVersion", device.is_blocked AS "isBlocked",
           min(session.started_at) AS "firstSeenAt", max(session.started_at) AS "lastSeenAt", count(*) AS "loginCount"
    FROM ${sessionsOf(player)}
    CROSS JOIN LATERAL ${deviceOfSession(player)}
    GROUP BY device.id, device.device_fingerprint, device.platform, device.hardware_model, device.os_version,
             device.is_blocked
    ORDER BY "lastSeenAt" DESC, device.id DESC LIMIT ${limit} OFFSET ${offset}`);
}

/** Whether the tenant has the player. */
export function hasAccess(db: Querier, { tenantId, playerId }: PlayerRef): Promise<boolean> {
  return db.exists(sql`
    SELECT FROM tenant_access WHERE tenant_id = ${tenantId} AND player_id = ${playerId}`);
}

/** A tenant's settings of a player. */
export interface PlayerSettings {
  tenantRole: string;
  hiddenFromDiscovery: boolean;
}

/**
 * Locks a player's access record until the transaction ends. Sign-ins take the same lock before they write their session. Returns
 * undefined if there is no access record.
 */
export function lockAccess(
  db: Querier,
  { tenantId, playerId }: PlayerRef,
): Promise<PlayerSettings | undefined> {
  return db.row(sql`
    SELECT tenant_role AS "tenantRole", hidden_from_discovery AS "hiddenFromDiscovery"
    FROM tenant_access WHERE tenant_id = ${tenantId} AND player_id = ${playerId} FOR NO KEY UPDATE`);
}

export async function updateSettings(
  db: Querier,
  { tenantId, playerId }: PlayerRef,
  { tenantRole, hiddenFromDiscovery }: PlayerSettings,
): Promise<void> {
  await db.run(sql`
    UPDATE tenant_access SET tenant_role = ${tenantRole}, hidden_from_discovery = ${hiddenFromDiscovery}
    WHERE tenant_id = ${tenantId} AND player_id = ${playerId}`);
}
