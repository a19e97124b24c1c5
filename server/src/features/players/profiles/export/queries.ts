import { EMPTY_GUID } from '../../../../core/ids.ts';
import type { Querier } from '../../../../database/database.ts';
import { empty, sql, type Sql } from '../../../../database/sql.ts';
import { keySaltOf, type SealedRow } from '../../../sign-in/sessions/index.ts';
import { PAGE_SIZE } from './export-object.ts';

// The data of an export besides the profile, without secrets. Unless noted otherwise, the statements run in the player's scope, which
// includes the rows of merged profiles, or in a tenant's scope. `playerIds` are the ids of the player and of all merged profiles.

/** The rows that an export reads: those of a profile in all tenants, or in one. */
export interface Owner {
  playerId: string;
  tenantId?: string;
}

const isOf = ({ playerId, tenantId }: Owner): Sql =>
  tenantId === undefined
    ? sql`player_id = ${playerId}`
    : sql`player_id = ${playerId} AND tenant_id = ${tenantId}`;

export function listMergedPlayers(db: Querier, playerIds: string[]): Promise<object[]> {
  return db.rows(sql`
    SELECT id, created_at AS "createdAt", profile_visibility AS "profileVisibility"
    FROM players WHERE id = ANY(${playerIds}::uuid[]) AND merged_into_id IS NOT NULL ORDER BY created_at, id`);
}

/** The tenants that a player has signed in to, with those of merged profiles. Unlike those of a profile, their number has no limit. */
export async function listTenantIds(db: Querier, playerId: string): Promise<string[]> {
  const rows = await db.rows<{ tenantId: string }>(sql`
    SELECT tenant_id AS "tenantId" FROM tenant_access WHERE player_id = ${playerId} ORDER BY tenant_id`);
  return rows.map(({ tenantId }) => tenantId);
}

export function listAddresses(db: Querier, playerIds: string[]): Promise<object[]> {
  return db.rows(sql`
    SELECT email, verified_at AS "verifiedAt" FROM email_credentials
    WHERE player_id = ANY(${playerIds}::uuid[]) ORDER BY email`);
}

/** The sort key of a list. The next page begins after it. */
export interface BanRow {
  id: string;
  bannedAt: string;
}

/** A page of the bans, without the internal notes of studios. */
export function pageBans(db: Querier, owner: Owner, last: BanRow | undefined): Promise<BanRow[]> {
  const after = last ? sql`AND (banned_at, id) > (${last.bannedAt}::timestamptz, ${last.id}::uuid)` : empty;
  return db.rows(sql`
    SELECT id, tenant_id AS "tenantId", reason, until, banned_at AS "bannedAt", lifted_at AS "liftedAt"
    FROM player_bans WHERE ${isOf(owner)} ${after}
    ORDER BY banned_at, id LIMIT ${PAGE_SIZE}`);
}

export interface PortalSessionRow {
  sessionId: string;
  startedAt: string;
}

export function pagePortalSessions(
  db: Querier,
  playerId: string,
  last: PortalSessionRow | undefined,
): Promise<PortalSessionRow[]> {
  const after = last
    ? sql`AND (created_at, id) > (${last.startedAt}::timestamptz, ${last.sessionId}::uuid)`
    : empty;
  return db.rows(sql`
    SELECT id AS "sessionId", created_at AS "startedAt", revoked_at AS "endedAt"
    FROM portal_sessions WHERE player_id = ${playerId} ${after}
    ORDER BY created_at, id LIMIT ${PAGE_SIZE}`);
}

export interface ThirdPartyRow {
  tenantId: string;
  familyId: string;
}

/**
 * A page of the unused tokens of third parties. Each is of another family. The condition compares rows that begin with the player, so
 * only the index of the player's unused tokens fits.
 */
export function pageThirdParties(
  db: Querier,
  { playerId, tenantId }: Owner,
  last: ThirdPartyRow | undefined,
): Promise<ThirdPartyRow[]> {
  const after = last ?? { tenantId: tenantId ?? EMPTY_GUID, familyId: EMPTY_GUID };
  const end =
    tenantId === undefined
      ? sql`player_id <= ${playerId}`
      : sql`(player_id, tenant_id) <= (${playerId}::uuid, ${tenantId}::uuid)`;
  return db.rows(sql`
    SELECT family_id AS "familyId", tenant_id AS "tenantId", session_id AS "sessionId", audience,
           display_name AS "displayName", email, expires_at AS "expiresAt", revoked_at AS "revokedAt"
    FROM third_party_refresh_tokens
    WHERE (player_id, tenant_id, family_id) > (${playerId}::uuid, ${after.tenantId}::uuid, ${after.familyId}::uuid)
      AND ${end} AND used_at IS NULL
    ORDER BY player_id, tenant_id, family_id LIMIT ${PAGE_SIZE}`);
}

export interface SessionRow {
  tenantId: string;
  sessionId: string;
  lastSeenAt: string;
  endedAt: string | null;
}

/** A page of the sessions, ordered by tenant. */
export function pageSessions(db: Querier, owner: Owner, last: SessionRow | undefined): Promise<SessionRow[]> {
  const after = last
    ? sql`AND (tenant_id, last_seen_at, session_id)
          > (${last.tenantId}::uuid, ${last.lastSeenAt}::timestamptz, ${last.sessionId}::uuid)`
    : empty;
  return db.rows(sql`
    SELECT session_id AS "sessionId", tenant_id AS "tenantId", started_at AS "startedAt", last_seen_at AS "lastSeenAt",
           ended_at AS "endedAt", auth_provider AS "authProvider", device_id AS "deviceId", platform,
           client_version AS "clientVersion", host(last_ip_address) AS "lastIpAddress"
    FROM login_sessions WHERE ${isOf(owner)} ${after}
    ORDER BY tenant_id, last_seen_at, session_id LIMIT ${PAGE_SIZE}`);
}

export interface LedgerRow extends SealedRow {
  receivedAt: string;
}

/** A page of the logins, in the order in which the database received them. */
export function pageLogins(db: Querier, owner: Owner, last: LedgerRow | undefined): Promise<LedgerRow[]> {
  return db.rows(sql`
    SELECT id, session_id AS "sessionId", tenant_id AS "tenantId", auth_method_id AS "authMethodId",
           auth_provider AS "authProvider", device_id AS "deviceId", platform, client_version AS "clientVersion",
           client_build AS "clientBuild", occurred_at AS "occurredAt", received_at_db AS "receivedAt",
           personal_data AS "personalData", ${keySaltOf(sql`login_ledger`)} AS "keySalt"
    FROM login_ledger WHERE ${isOf(owner)} ${afterReceipt(last)}
    ORDER BY received_at_db, id LIMIT ${PAGE_SIZE}`);
}

export function pageLogouts(db: Querier, owner: Owner, last: LedgerRow | undefined): Promise<LedgerRow[]> {
  return db.rows(sql`
    SELECT id, session_id AS "sessionId", tenant_id AS "tenantId", reason, message, occurred_at AS "occurredAt",
           received_at_db AS "receivedAt", personal_data AS "personalData",
           ${keySaltOf(sql`logout_ledger`)} AS "keySalt"
    FROM logout_ledger WHERE ${isOf(owner)} ${afterReceipt(last)}
    ORDER BY received_at_db, id LIMIT ${PAGE_SIZE}`);
}

function afterReceipt(last: Pick<LedgerRow, 'id' | 'receivedAt'> | undefined): Sql {
  return last ? sql`AND (received_at_db, id) > (${last.receivedAt}::timestamptz, ${last.id}::uuid)` : empty;
}

export interface MatchRow {
  matchPlayerId: string;
}

/** A page of the matches in a tenant. Runs in the tenant's scope. */
export function pageMatches(
  db: Querier,
  tenantId: string,
  playerId: string,
  last: MatchRow | undefined,
): Promise<MatchRow[]> {
  return db.rows(sql`
    SELECT entry.tenant_id AS "tenantId", entry.match_session_id AS "matchSessionId", entry.id AS "matchPlayerId", match.mode,
           match.started_at AS "startedAt", match.ended_at AS "endedAt", entry.joined_at AS "joinedAt",
           entry.left_at AS "leftAt", entry.placement, entry.score, entry.outcome
    FROM match_players entry
    JOIN match_sessions match ON match.tenant_id = entry.tenant_id AND match.id = entry.match_session_id
    WHERE entry.tenant_id = ${tenantId} AND entry.player_id = ${playerId}
      ${last ? sql`AND entry.id > ${last.matchPlayerId}` : empty}
    ORDER BY entry.id LIMIT ${PAGE_SIZE}`);
}
