import { changeInSteps } from '../../../database/change-in-steps.ts';
import type { Querier } from '../../../database/database.ts';
import { now } from '../../../core/timestamps.ts';
import { empty, sql, type Sql } from '../../../database/sql.ts';
import type { OpenRange } from '../../../core/time-range.ts';
import type { HashedLogin } from './login-row-hash.ts';
import type { LogoutReason } from './logout-reasons.ts';

interface Logout {
  tenantId: string;
  sessionId: string;
  ledgerId: string;
  reason: LogoutReason;
  at: string;
  personalData: Buffer | null;
}

/**
 * Ends a session and appends its logout row, in one statement. Returns undefined if the session does not exist or has ended before.
 */
export function endSession(db: Querier, logout: Logout): Promise<{ endedAt: string } | undefined> {
  return db.row(sql`
    WITH ended AS (
      UPDATE login_sessions
      SET ended_at = ${logout.at}, end_reason = ${logout.reason}, last_seen_at = ${logout.at},
          updated_at_db = clock_timestamp()
      WHERE tenant_id = ${logout.tenantId} AND session_id = ${logout.sessionId} AND ended_at IS NULL
      RETURNING player_id, ended_at),
    ledger AS (
      INSERT INTO logout_ledger (tenant_id, id, session_id, player_id, reason, occurred_at, created_at_gl, personal_data)
      SELECT ${logout.tenantId}, ${logout.ledgerId}, ${logout.sessionId}, player_id, ${logout.reason}, ended_at, ended_at,
             ${logout.personalData}::bytea
      FROM ended)
    SELECT ended_at AS "endedAt" FROM ended`);
}

/** A UUIDv7 for each row of a statement. PostgreSQL has a function for it from version 18 on. */
const newRowId = sql`encode(set_bit(set_bit(overlay(
        uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
      52, 1), 53, 1), 'hex')::uuid`;

/** Selects sessions of a player. */
type SessionFilter = { tenantId: string } | { deviceId: string } | { authMethodId: string } | 'everywhere';

/**
 * Ends the open sessions of a player: in a tenant, on a device, of a sign-in method, or everywhere. Revokes their tokens, and appends
 * a row to the logout ledger for each of them. Returns their number. `last_seen_at` does not change, because the player sent no request.
 * Sessions that ended within the last 2 hours are revoked too: an access token of theirs may still be valid, and must not change how the
 * player signs in. A ban marks the sessions as suspended instead, because it is no sign of a leaked token: see isSessionRevoked of the
 * profiles.
 *
 * The caller must have locked the access record, the device or the player in an earlier statement. A sign-in writes its session under
 * this lock, so this statement sees the sessions of every sign-in that the lock waited for. The sessions are locked in the order of
 * their ids, so that a concurrent ban and block cannot deadlock.
 */
export async function endPlayerSessions(
  db: Querier,
  playerId: string,
  filter: SessionFilter,
  {
    reason,
    message = null,
    keepToken = null,
  }: {
    reason: LogoutReason;
    message?: string | null;
    /** A session that ends like by a logout: its access token stays valid for the profile. */
    keepToken?: string | null;
  },
): Promise<number> {
  const at = now();
  const mark = reason === 'account_suspended' ? sql`suspended_at` : sql`tokens_revoked_at`;
  // IS TRUE keeps the planner from reading all sessions of the tenant instead of those of the player.
  const condition =
    filter === 'everywhere'
      ? empty
      : 'tenantId' in filter
        ? sql`AND (tenant_id = ${filter.tenantId}) IS TRUE`
        : 'deviceId' in filter
          ? sql`AND device_id = ${filter.deviceId}`
          : sql`AND auth_method_id = ${filter.authMethodId}`;
  const results = await changeInSteps((limit) =>
    db.one<{ rows: number; ended: number }>(sql`
    WITH reached AS MATERIALIZED (
      SELECT tenant_id, session_id, ended_at IS NULL AS was_open FROM login_sessions
      WHERE player_id = ${playerId} ${condition}
        AND (ended_at IS NULL
             OR ended_at > now() - interval '2 hours' AND ${mark} IS NULL AND session_id IS DISTINCT FROM ${keepToken})
      ORDER BY tenant_id, session_id
      LIMIT ${limit}
      FOR NO KEY UPDATE),
    revoked AS (
      UPDATE login_sessions session
      SET ended_at = coalesce(ended_at, ${at}), end_reason = coalesce(end_reason, ${reason}),
          ${mark} = CASE WHEN session.session_id = ${keepToken} THEN ${mark} ELSE coalesce(${mark}, clock_timestamp()) END,
          updated_at_db = clock_timestamp()
      FROM reached WHERE session.tenant_id = reached.tenant_id AND session.session_id = reached.session_id
      RETURNING session.tenant_id, session.session_id, reached.was_open),
    ledger AS (
      INSERT INTO logout_ledger (tenant_id, id, session_id, player_id, reason, message, occurred_at, created_at_gl)
      SELECT tenant_id, ${newRowId}, session_id, ${playerId}, ${reason}, ${message}, ${at}, ${at}
      FROM revoked WHERE was_open
      RETURNING id)
    SELECT (SELECT count(*)::int FROM reached) AS rows, (SELECT count(*)::int FROM ledger) AS ended`),
  );
  return results.reduce((sum, { ended }) => sum + ended, 0);
}

/** The salt of the session that a ledger row belongs to. A sub-select, because the primary key must serve it for each row. */
export function keySaltOf(ledger: Sql): Sql {
  return sql`(SELECT key_salt FROM login_sessions session
              WHERE session.tenant_id = ${ledger}.tenant_id AND session.session_id = ${ledger}.session_id)`;
}

/** The result of {@link eraseSessions}. */
interface ErasedSessions {
  /** Sessions that had an address. */
  erasedSessions: number;
  /** Sessions that had a key of ledger rows. */
  destroyedKeys: number;
}

/**
 * Erases the addresses of the sessions of the scope's player and of all profiles that were merged into it, and destroys the keys of
 * the personal data in their ledger rows.
 */
export async function eraseSessions(db: Querier): Promise<ErasedSessions> {
  const results = await changeInSteps((limit) =>
    db.one<ErasedSessions & { rows: number }>(sql`
    WITH before AS MATERIALIZED (
      SELECT tenant_id, session_id, last_ip_address IS NOT NULL AS had_address, key_salt IS NOT NULL AS had_key
      FROM login_sessions
      WHERE player_id = ANY ((SELECT guildhall_person())::uuid[])
        AND (last_ip_address IS NOT NULL OR key_salt IS NOT NULL)
      ORDER BY tenant_id, session_id
      LIMIT ${limit}
      FOR NO KEY UPDATE),
    erased AS (
      UPDATE login_sessions session
      SET last_ip_address = NULL, key_salt = NULL, updated_at_db = clock_timestamp()
      FROM before WHERE session.tenant_id = before.tenant_id AND session.session_id = before.session_id
      RETURNING had_address, had_key)
    SELECT count(*)::int AS rows, count(*) FILTER (WHERE had_address)::int AS "erasedSessions",
           count(*) FILTER (WHERE had_key)::int AS "destroyedKeys"
    FROM erased`),
  );
  return {
    erasedSessions: results.reduce((sum, { erasedSessions }) => sum + erasedSessions, 0),
    destroyedKeys: results.reduce((sum, { destroyedKeys }) => sum + destroyedKeys, 0),
  };
}

export function findSession(
  db: Querier,
  tenantId: string,
  sessionId: string,
): Promise<
  | { playerId: string; endedAt: string | null; reason: LogoutReason | null; keySalt: Buffer | null }
  | undefined
> {
  return db.row(sql`
    SELECT player_id AS "playerId", ended_at AS "endedAt", end_reason AS reason, key_salt AS "keySalt"
    FROM login_sessions WHERE tenant_id = ${tenantId} AND session_id = ${sessionId}`);
}

/** The position of a ledger row, ordered by `received_at_db`. */
export interface LedgerPosition {
  receivedAt: string;
  id: string;
}

export interface HashedLoginRow extends HashedLogin, LedgerPosition {
  rowHash: Buffer;
}

/** Reads the hashes and the hashed columns of login ledger rows, oldest first. */
export function selectHashedLogins(
  db: Querier,
  tenantId: string,
  { from, to }: OpenRange,
  after: LedgerPosition | undefined,
  limit: number,
): Promise<HashedLoginRow[]> {
  return db.rows(sql`
    SELECT tenant_id AS "tenantId", id, session_id AS "sessionId", player_id AS "playerId", auth_method_id AS "authMethodId",
           auth_provider AS "authProvider", device_id AS "deviceId", platform, client_version AS "clientVersion",
           client_build AS "clientBuild", occurred_at AS "occurredAt", created_at_gl AS "createdAtGl",
           personal_data AS "personalData", received_at_db AS "receivedAt", row_hash AS "rowHash"
    FROM login_ledger
    WHERE tenant_id = ${tenantId}
      ${from === undefined ? empty : sql`AND received_at_db >= ${from}`}
      ${to === undefined ? empty : sql`AND received_at_db < ${to}`}
      ${after ? sql`AND (received_at_db, id) > (${after.receivedAt}::timestamptz, ${after.id}::uuid)` : empty}
    ORDER BY received_at_db, id
    LIMIT ${limit}`);
}
