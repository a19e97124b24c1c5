import type { Querier } from '../../../database/database.ts';
import { empty, sql, type Sql } from '../../../database/sql.ts';
import type { Platform } from '../../sign-in/login/index.ts';
import { keySaltOf, type LedgerPosition, type SealedRow } from '../../sign-in/sessions/index.ts';

/** A row of the login ledger. */
export interface LoginRow extends SealedRow {
  sessionId: string;
  authProvider: string;
  platform: Platform;
  deviceId: string | null;
  clientVersion: string | null;
  clientBuild: string | null;
  occurredAt: string;
  receivedAt: string;
}

/**
 * The ids of the scope's player and of all profiles merged into it. Each id gets its own index scan, because no index returns the rows
 * of several players in the order of time.
 */
const person = sql`person AS MATERIALIZED (SELECT unnest(guildhall_person()) AS id)`;

/** IS TRUE keeps the planner from reading all logins of the tenant by the primary key. */
const inTenant = (tenantId: string | undefined): Sql =>
  tenantId === undefined ? empty : sql`AND (tenant_id = ${tenantId}) IS TRUE`;

/**
 * Lists the newest logins of the scope's player, optionally in one tenant and before a position. The limit is applied in the index,
 * before rows are read.
 */
export function selectLogins(
  db: Querier,
  {
    tenantId,
    before,
    limit,
  }: { tenantId?: string | undefined; before?: LedgerPosition | undefined; limit: number },
): Promise<LoginRow[]> {
  const older = before
    ? sql`AND (received_at_db, id) < (${before.receivedAt}::timestamptz, ${before.id}::uuid)`
    : empty;
  return db.rows(sql`
    WITH ${person},
    place AS MATERIALIZED (
      SELECT login.* FROM person CROSS JOIN LATERAL (
        SELECT tenant_id, received_at_db, id FROM login_ledger
        WHERE player_id = person.id ${inTenant(tenantId)} ${older}
        ORDER BY received_at_db DESC, id DESC LIMIT ${limit}) login
      ORDER BY received_at_db DESC, id DESC LIMIT ${limit})
    SELECT login.* FROM place CROSS JOIN LATERAL (
      SELECT id, session_id AS "sessionId", tenant_id AS "tenantId", auth_provider AS "authProvider", platform,
             device_id AS "deviceId", client_version AS "clientVersion", client_build AS "clientBuild",
             personal_data AS "personalData", ${keySaltOf(sql`login_ledger`)} AS "keySalt", occurred_at AS "occurredAt", received_at_db AS "receivedAt"
      FROM login_ledger
      WHERE tenant_id = place.tenant_id AND received_at_db = place.received_at_db AND id = place.id
      LIMIT 1) login
    ORDER BY place.received_at_db DESC, place.id DESC`);
}

/** Counts the logins of the scope's player, optionally in one tenant. 50,000 take 4 ms, by an index-only scan. */
export function countLogins(db: Querier, tenantId: string | undefined): Promise<number> {
  return db.count(sql`
    WITH ${person}
    SELECT sum(count)::bigint AS count FROM person CROSS JOIN LATERAL (
      SELECT count(*) FROM login_ledger WHERE player_id = person.id ${inTenant(tenantId)}) login`);
}

export interface LoginTotals {
  totalLogins: number;
  totalGamesPlayed: number;
  platformsUsed: Platform[];
  firstLoginAt: string | null;
}

/** Aggregates the logins of the scope's player. 50,000 take 11 ms, because only the first login is read outside of the index. */
export function sumLogins(db: Querier): Promise<LoginTotals> {
  return db.one(sql`
    WITH ${person},
    place AS (
      SELECT login.* FROM person CROSS JOIN LATERAL (
        SELECT tenant_id, platform, count(*) AS logins FROM login_ledger WHERE player_id = person.id
        GROUP BY tenant_id, platform) login),
    first AS (
      SELECT login.* FROM person CROSS JOIN LATERAL (
        SELECT occurred_at, received_at_db, id FROM login_ledger WHERE player_id = person.id
        ORDER BY received_at_db, id LIMIT 1) login
      ORDER BY received_at_db, id LIMIT 1)
    SELECT coalesce(sum(logins), 0)::bigint AS "totalLogins",
           count(DISTINCT tenant_id) AS "totalGamesPlayed",
           coalesce(array_agg(DISTINCT platform ORDER BY platform), '{}') AS "platformsUsed",
           (SELECT occurred_at FROM first) AS "firstLoginAt"
    FROM place`);
}
