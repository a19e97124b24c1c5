import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { PageRequest } from '../../../core/page.ts';
import type { Identity } from '../../sign-in/login/index.ts';

/**
 * Sets until when a player is banned from the tenant (`infinity`: until lifted; null: not at all), and locks the access
 * record, under which sign-ins write their session, until the transaction ends. False for a player without access.
 */
export async function setBannedUntil(
  db: Querier,
  tenantId: string,
  playerId: string,
  until: string | null,
): Promise<boolean> {
  const changed = await db.run(sql`
    UPDATE tenant_access SET banned_until = ${until}
    WHERE tenant_id = ${tenantId} AND player_id = ${playerId}`);
  return changed === 1;
}

/** Locks a player before their access record, as a sign-in does. */
export async function lockPlayer(db: Querier, playerId: string): Promise<void> {
  await db.run(sql`SELECT FROM players WHERE id = ${playerId} FOR NO KEY UPDATE`);
}

/** Every identity by which a player signs in, in whatever tenant. */
export function listIdentities(
  db: Querier,
  playerId: string,
): Promise<Pick<Identity, 'provider' | 'issuer' | 'providerUserId'>[]> {
  return db.rows(sql`
    SELECT auth_provider AS provider, issuer, provider_user_id AS "providerUserId"
    FROM auth_methods WHERE player_id = ${playerId}`);
}

export async function insertBanFingerprints(
  db: Querier,
  { tenantId, playerId, fingerprints }: { tenantId: string; playerId: string; fingerprints: Buffer[] },
): Promise<void> {
  await db.run(sql`
    INSERT INTO ban_fingerprints (tenant_id, fingerprint, player_id)
    SELECT DISTINCT ${tenantId}::uuid, fingerprint, ${playerId}::uuid FROM unnest(${fingerprints}::bytea[]) fingerprint
    ON CONFLICT DO NOTHING`);
}

export async function deleteBanFingerprints(db: Querier, tenantId: string, playerId: string): Promise<void> {
  await db.run(sql`DELETE FROM ban_fingerprints WHERE tenant_id = ${tenantId} AND player_id = ${playerId}`);
}

/** Deletes the fingerprints of bans in a tenant that are over. */
export async function deleteExpiredBanFingerprints(db: Querier, tenantId: string): Promise<void> {
  await db.run(sql`
    DELETE FROM ban_fingerprints ban
    WHERE tenant_id = ${tenantId} AND NOT EXISTS (
      SELECT FROM tenant_access access
      WHERE access.tenant_id = ban.tenant_id AND access.player_id = ban.player_id AND access.banned_until > now())`);
}

/** Locks a player's access record, under which sign-ins write their session; false for a player without access. */
export async function lockAccess(db: Querier, tenantId: string, playerId: string): Promise<boolean> {
  const found = await db.row(sql`
    SELECT FROM tenant_access WHERE tenant_id = ${tenantId} AND player_id = ${playerId} FOR NO KEY UPDATE`);
  return found !== undefined;
}

export async function hasAccess(db: Querier, tenantId: string, playerId: string): Promise<boolean> {
  const found = await db.row(sql`
    SELECT FROM tenant_access WHERE tenant_id = ${tenantId} AND player_id = ${playerId}`);
  return found !== undefined;
}

/** A ban, in force or not (contract §10: bans have a history). */
export interface Ban {
  id: string;
  playerId: string;
  reason: string | null;
  note: string | null;
  /** Null: until lifted. */
  until: string | null;
  bannedBy: string;
  bannedAt: string;
  liftedBy: string | null;
  liftedAt: string | null;
}

const ban = sql`id, player_id AS "playerId", reason, note, until, banned_by AS "bannedBy", banned_at AS "bannedAt",
    lifted_by AS "liftedBy", lifted_at AS "liftedAt"`;

export interface NewBan {
  id: string;
  playerId: string;
  reason: string | null;
  note: string | null;
  until: string | null;
  bannedBy: string;
}

export async function insertBan(db: Querier, tenantId: string, wanted: NewBan): Promise<Ban> {
  const { id, playerId, reason, note, until, bannedBy } = wanted;
  const made = await db.row<Ban>(sql`
    INSERT INTO player_bans (tenant_id, id, player_id, reason, note, until, banned_by, banned_at)
    VALUES (${tenantId}, ${id}, ${playerId}, ${reason}, ${note}, ${until}, ${bannedBy}, clock_timestamp())
    RETURNING ${ban}`);
  return made!;
}

/** Marks the ban in force as lifted, and returns its id: none, or one. An expired ban is left as it is. */
export function liftBans(
  db: Querier,
  tenantId: string,
  playerId: string,
  liftedBy: string,
): Promise<{ id: string }[]> {
  return db.rows(sql`
    UPDATE player_bans SET lifted_by = ${liftedBy}, lifted_at = clock_timestamp()
    WHERE tenant_id = ${tenantId} AND player_id = ${playerId} AND lifted_at IS NULL
      AND (until IS NULL OR until > now())
    RETURNING id`);
}

/** A page of a player's bans, the latest first. */
export function listBans(
  db: Querier,
  tenantId: string,
  playerId: string,
  { limit, offset }: PageRequest,
): Promise<Ban[]> {
  return db.rows(sql`
    SELECT ${ban} FROM player_bans WHERE tenant_id = ${tenantId} AND player_id = ${playerId}
    ORDER BY banned_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`);
}

export function countBans(db: Querier, tenantId: string, playerId: string): Promise<number> {
  return db.count(sql`
    SELECT count(*) FROM player_bans WHERE tenant_id = ${tenantId} AND player_id = ${playerId}`);
}
