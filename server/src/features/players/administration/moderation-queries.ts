import type { Querier, Scope } from '../../../database/database.ts';
import { deleteInKeyOrder } from '../../../database/delete-expired.ts';
import { sql, type Sql } from '../../../database/sql.ts';
import type { PageRequest } from '../../../core/page.ts';
import type { Identity } from '../../sign-in/login/index.ts';
import { memberEmail } from './member-email.ts';
import type { PlayerRef } from './player-queries.ts';

/**
 * Sets the end of a player's ban: `infinity` means until it is lifted, null means no ban. Locks the access record until the
 * transaction ends. Sign-ins take the same lock before they write their session. Returns false if the player has no access record.
 */
export function setBannedUntil(
  db: Querier,
  { tenantId, playerId }: PlayerRef,
  until: string | null,
): Promise<boolean> {
  return db.changes(sql`
    UPDATE tenant_access SET banned_until = ${until}
    WHERE tenant_id = ${tenantId} AND player_id = ${playerId}`);
}

/**
 * Lists the identities of a player that a ban covers, in all tenants: all except an address that nobody has verified. Its owner may be
 * another person than the player.
 */
export function listBannedIdentities(
  db: Querier,
  playerId: string,
): Promise<Pick<Identity, 'provider' | 'issuer' | 'providerUserId'>[]> {
  return db.rows(sql`
    SELECT auth_provider AS provider, issuer, provider_user_id AS "providerUserId"
    FROM auth_methods
    WHERE player_id = ${playerId}
      AND (auth_provider <> 'EmailPassword' OR EXISTS (
        SELECT FROM email_credentials WHERE email = provider_user_id AND verified_at IS NOT NULL OFFSET 0))`);
}

/**
 * Stores the fingerprints of a ban, and stores those of an earlier ban anew. Otherwise the deletion of expired ones, if it has begun before
 * this ban, would delete them.
 */
export async function renewBanFingerprints(
  db: Querier,
  player: PlayerRef,
  fingerprints: Buffer[],
): Promise<void> {
  const all = [...fingerprints, ...(await deleteBanFingerprints(db, player))];
  await db.run(sql`
    INSERT INTO ban_fingerprints (tenant_id, fingerprint, player_id)
    SELECT DISTINCT ${player.tenantId}::uuid, fingerprint, ${player.playerId}::uuid FROM unnest(${all}::bytea[]) fingerprint
    ON CONFLICT DO NOTHING`);
}

/** Deletes the fingerprints of a player's bans, and returns them. */
export async function deleteBanFingerprints(
  db: Querier,
  { tenantId, playerId }: PlayerRef,
): Promise<Buffer[]> {
  const rows = await db.rows<{ fingerprint: Buffer }>(sql`
    DELETE FROM ban_fingerprints WHERE tenant_id = ${tenantId} AND player_id = ${playerId} RETURNING fingerprint`);
  return rows.map(({ fingerprint }) => fingerprint);
}

/** Deletes the fingerprints of expired bans in a tenant. */
export const deleteExpiredBanFingerprints = (scope: Scope, tenantId: string): Promise<void> =>
  deleteInKeyOrder(scope, {
    table: sql`ban_fingerprints`,
    key: sql`fingerprint, player_id`,
    tenantId,
    where: sql`
      NOT EXISTS (
        SELECT FROM tenant_access access
        WHERE access.tenant_id = ${tenantId} AND access.player_id = ban_fingerprints.player_id
          AND access.banned_until > now() OFFSET 0)`,
  });

/** A ban: active, expired or lifted. */
export interface Ban {
  id: string;
  playerId: string;
  reason: string | null;
  note: string | null;
  /** If null, the ban ends when it is lifted. */
  until: string | null;
  bannedBy: string;
  /** Null if the account has left the workspace. */
  bannedByEmail: string | null;
  bannedAt: string;
  liftedBy: string | null;
  liftedByEmail: string | null;
  liftedAt: string | null;
}

const banColumns = (tenantId: string) => sql`
    ban.id, ban.player_id AS "playerId", ban.reason, ban.note, ban.until,
    ban.banned_by AS "bannedBy", ${memberEmail(sql`ban.banned_by`, tenantId)} AS "bannedByEmail", ban.banned_at AS "bannedAt",
    ban.lifted_by AS "liftedBy", ${memberEmail(sql`ban.lifted_by`, tenantId)} AS "liftedByEmail", ban.lifted_at AS "liftedAt"`;

export function insertBan(
  db: Querier,
  { tenantId, playerId }: PlayerRef,
  { id, reason, note, until, bannedBy }: Pick<Ban, 'id' | 'reason' | 'note' | 'until' | 'bannedBy'>,
): Promise<Ban> {
  return db.one(sql`
    INSERT INTO player_bans AS ban (tenant_id, id, player_id, reason, note, until, banned_by, banned_at)
    VALUES (${tenantId}, ${id}, ${playerId}, ${reason}, ${note}, ${until}, ${bannedBy}, clock_timestamp())
    RETURNING ${banColumns(tenantId)}`);
}

/** Lifts the active bans and returns the id of one, or undefined. A player has two after a merge of two banned profiles. */
export function liftActiveBans(
  db: Querier,
  { tenantId, playerId }: PlayerRef,
  liftedBy: string,
): Promise<{ id: string } | undefined> {
  return db.row(sql`
    UPDATE player_bans SET lifted_by = ${liftedBy}, lifted_at = clock_timestamp()
    WHERE tenant_id = ${tenantId} AND player_id = ${playerId} AND lifted_at IS NULL
      AND (until IS NULL OR until > now())
    RETURNING id`);
}

/** A list has and counts at most this many bans. */
const MAX_LISTED_BANS = 10_000;

const lastBans = ({ tenantId, playerId }: PlayerRef): Sql => sql`
      SELECT * FROM player_bans WHERE tenant_id = ${tenantId} AND player_id = ${playerId}
      ORDER BY banned_at DESC, id DESC LIMIT ${MAX_LISTED_BANS}`;

/** A page of the last {@link MAX_LISTED_BANS} bans of a player, the latest first. */
export function listBans(db: Querier, player: PlayerRef, { limit, offset }: PageRequest): Promise<Ban[]> {
  return db.rows(sql`
    WITH ban AS MATERIALIZED (
      SELECT * FROM (${lastBans(player)}) last
      ORDER BY banned_at DESC, id DESC LIMIT ${limit} OFFSET ${offset})
    SELECT ${banColumns(player.tenantId)} FROM ban ORDER BY ban.banned_at DESC, ban.id DESC`);
}

export function countBans(db: Querier, player: PlayerRef): Promise<number> {
  return db.count(sql`SELECT count(*) FROM (${lastBans(player)}) last`);
}
