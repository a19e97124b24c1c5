import type { Querier } from '../../../../database/database.ts';
import { sql } from '../../../../database/sql.ts';
import type { LockedProfile } from '../queries.ts';

/** The public fields of the target after the merge. */
export type Inherited = Pick<LockedProfile, 'displayName' | 'email' | 'avatarUrl' | 'avatarName'>;

/**
 * Closes the source, which keeps no personal data. Points it, and all profiles that were merged into it before, to the target, whose
 * scope it runs in. Locks the access records of both, in the order in which the creation of a match locks those of its players.
 */
export async function absorbProfile(
  db: Querier,
  sourceId: string,
  targetId: string,
  inherited: Inherited,
): Promise<void> {
  await db.run(sql`SELECT guildhall_absorb_profile(${sourceId})`);
  // Before the names change, because a change of a name reaches the access records of one profile.
  await db.run(sql`
    SELECT FROM tenant_access WHERE player_id IN (${sourceId}, ${targetId}) ORDER BY tenant_id, player_id FOR UPDATE`);
  await db.run(sql`
    UPDATE players SET display_name = NULL, email = NULL, avatar_url = NULL, avatar_name = NULL WHERE id = ${sourceId}`);
  await db.run(sql`
    UPDATE players
    SET display_name = ${inherited.displayName}, email = ${inherited.email}, avatar_url = ${inherited.avatarUrl},
        avatar_name = ${inherited.avatarName}
    WHERE id = ${targetId}`);
}

/** Moves the sign-in methods and restricts them to a workspace; null adds no restriction. */
export async function moveAuthMethods(
  db: Querier,
  sourceId: string,
  targetId: string,
  linkedInWorkspace: string | null,
): Promise<void> {
  await db.run(sql`
    UPDATE auth_methods
    SET player_id = ${targetId}, is_primary = false,
        linked_in_workspace = coalesce(linked_in_workspace, ${linkedInWorkspace}::uuid)
    WHERE player_id = ${sourceId}`);
}

/**
 * Moves the access records. If both profiles have one in a tenant, they become one record: logins are added, the longer ban applies,
 * and the player is hidden if one of them was. The tenant's player count decreases by one. The profiles are locked, so no sign-in
 * runs concurrently. Returns the tenants of the source in which the target is banned now, in the order of their ids.
 */
export async function mergeTenantAccess(db: Querier, sourceId: string, targetId: string): Promise<string[]> {
  const banned = await db.rows<{ tenantId: string }>(sql`
    WITH shared AS (
      SELECT tenant_id FROM tenant_access WHERE player_id IN (${sourceId}, ${targetId})
      GROUP BY tenant_id HAVING count(*) = 2),
    counted AS (
      INSERT INTO tenant_player_counts AS known (tenant_id, players) SELECT tenant_id, -1 FROM shared ORDER BY tenant_id
      ON CONFLICT (tenant_id, auth_provider, shard) DO UPDATE SET players = known.players + excluded.players),
    moved AS (DELETE FROM tenant_access WHERE player_id = ${sourceId} RETURNING *),
    merged AS (
      INSERT INTO tenant_access AS known (tenant_id, player_id, tenant_role, first_seen_at, last_seen_at, login_count,
                                          hidden_from_discovery, banned_until, search_name)
      SELECT tenant_id, ${targetId}, tenant_role, first_seen_at, last_seen_at, login_count, hidden_from_discovery, banned_until,
             (SELECT search_name FROM players WHERE id = ${targetId})
      FROM moved ORDER BY tenant_id
      ON CONFLICT (tenant_id, player_id) DO UPDATE SET
        first_seen_at = least(known.first_seen_at, excluded.first_seen_at),
        last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at),
        login_count = known.login_count + excluded.login_count,
        hidden_from_discovery = known.hidden_from_discovery OR excluded.hidden_from_discovery,
        banned_until = greatest(known.banned_until, excluded.banned_until)
      RETURNING tenant_id, banned_until)
    SELECT tenant_id AS "tenantId" FROM merged WHERE banned_until > now() ORDER BY tenant_id`);
  return banned.map(({ tenantId }) => tenantId);
}

/** Merges the devices that both profiles have into the target's. A device is blocked if one of them was. Returns the merged ones. */
export function mergeDevices(
  db: Querier,
  sourceId: string,
  targetId: string,
): Promise<{ id: string; isBlocked: boolean }[]> {
  return db.rows(sql`
    WITH joined AS (
      DELETE FROM devices source USING devices known
      WHERE source.player_id = ${sourceId} AND known.player_id = ${targetId}
        AND known.device_fingerprint = source.device_fingerprint
      RETURNING source.*)
    UPDATE devices known
    SET is_blocked = known.is_blocked OR joined.is_blocked,
        is_trusted = known.is_trusted AND joined.is_trusted,
        device_name = coalesce(known.device_name, joined.device_name),
        hardware_model = coalesce(known.hardware_model, joined.hardware_model),
        os_version = coalesce(known.os_version, joined.os_version),
        first_seen_at = least(known.first_seen_at, joined.first_seen_at),
        last_seen_at = greatest(known.last_seen_at, joined.last_seen_at),
        login_count = known.login_count + joined.login_count,
        updated_at_gl = greatest(known.updated_at_gl, joined.updated_at_gl)
    FROM joined
    WHERE known.player_id = ${targetId} AND known.device_fingerprint = joined.device_fingerprint
    RETURNING known.id, known.is_blocked AS "isBlocked"`);
}

export function countBlockedDevices(db: Querier, playerId: string): Promise<number> {
  return db.count(sql`SELECT count(*) FROM devices WHERE player_id = ${playerId} AND is_blocked`);
}

/** Moves the remaining devices. A trigger (migration 0004) then deletes the devices over the limit. */
export async function moveDevices(db: Querier, sourceId: string, targetId: string): Promise<void> {
  await db.run(sql`UPDATE devices SET player_id = ${targetId} WHERE player_id = ${sourceId}`);
}

/** Moves the ban history with the access records, so that the reason of an active ban is not lost. */
export async function moveBans(db: Querier, sourceId: string, targetId: string): Promise<void> {
  await db.run(sql`UPDATE player_bans SET player_id = ${targetId} WHERE player_id = ${sourceId}`);
}

/** Moves what the tenants have noted about the player. */
export async function moveNotes(db: Querier, sourceId: string, targetId: string): Promise<void> {
  await db.run(sql`UPDATE player_notes SET player_id = ${targetId} WHERE player_id = ${sourceId}`);
}

/** Moves the ban fingerprints, so that lifting a ban later removes those of both profiles. */
export async function moveBanFingerprints(db: Querier, sourceId: string, targetId: string): Promise<void> {
  await db.run(sql`
    WITH moved AS (DELETE FROM ban_fingerprints WHERE player_id = ${sourceId} RETURNING tenant_id, fingerprint)
    INSERT INTO ban_fingerprints (tenant_id, fingerprint, player_id)
    SELECT tenant_id, fingerprint, ${targetId} FROM moved
    ON CONFLICT DO NOTHING`);
}
