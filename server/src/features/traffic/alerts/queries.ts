import type { KeyKind } from '../../../core/callers.ts';
import { secondsFromNow } from '../../../core/timestamps.ts';
import { createdWithin } from '../../../database/created-within.ts';
import type { Querier } from '../../../database/database.ts';
import { join, sql, type Sql } from '../../../database/sql.ts';
import type { PageRequest } from '../../../core/page.ts';

/** Requests per minute and inbound bytes per minute. */
export const alertTypes = ['rate_spike', 'payload_spike'] as const;
export type AlertType = (typeof alertTypes)[number];

/** A key has exceeded a threshold. */
export interface Spike {
  type: AlertType;
  keyId: string;
  keyKind: KeyKind;
  tenantId: string;
  workspaceId: string;
  threshold: number;
  /** The highest sum of a window since the last check. */
  observed: number;
  windowStart: string;
}

/**
 * Records an alert. Returns false if the key has raised one of the same type within `suppressionSeconds`. One statement decides:
 * the first of several concurrent calls locks the row of the key's last alert, and the others then see its new time. An alert far in the
 * future does not count, because the clock of PostgreSQL was wrong.
 */
export function insertAlert(
  db: Querier,
  alertId: string,
  spike: Spike,
  suppressionSeconds: number,
): Promise<boolean> {
  const { tenantId, keyId, type } = spike;
  return db.changes(sql`
    WITH admitted AS (
      INSERT INTO alert_times AS last (tenant_id, key_id, type, raised_at)
      VALUES (${tenantId}, ${keyId}, ${type}, clock_timestamp())
      ON CONFLICT (tenant_id, key_id, type) DO UPDATE SET raised_at = excluded.raised_at
      WHERE last.raised_at NOT BETWEEN excluded.raised_at - make_interval(secs => ${suppressionSeconds})
                                   AND excluded.raised_at + make_interval(secs => ${suppressionSeconds})
      RETURNING raised_at)
    INSERT INTO alerts (tenant_id, id, workspace_id, type, key_id, key_kind, threshold, observed, window_start, created_at)
    SELECT ${tenantId}, ${alertId}, ${spike.workspaceId}, ${type}, ${keyId}, ${spike.keyKind}, ${spike.threshold},
           ${spike.observed}, ${spike.windowStart}, raised_at
    FROM admitted`);
}

/** Counts the alerts of a workspace in the last hour, up to `limit`. */
export function countAlertsOfHour(db: Querier, workspaceId: string, limit: number): Promise<number> {
  const hour = createdWithin(sql`id`, sql`created_at`, { from: secondsFromNow(-3600) });
  return db.count(sql`
    SELECT count(*) FROM (
      SELECT FROM alerts WHERE workspace_id = ${workspaceId} AND ${join(hour, ' AND ')} LIMIT ${limit}) recent`);
}

/** An alert as the API returns it. */
interface Alert extends Omit<Spike, 'workspaceId'> {
  id: string;
  createdAt: string;
}

const columns = sql`
  alert.id, alert.type, alert.key_kind AS "keyKind", alert.key_id AS "keyId", alert.tenant_id AS "tenantId",
  alert.threshold, alert.observed, alert.window_start AS "windowStart", alert.created_at AS "createdAt"`;

/** An alert with the names of its key and tenant. */
export interface PendingAlert extends Alert, Spike {
  keyName: string;
  tenantName: string;
}

/** Marks an alert as dispatched and returns it. Undefined if it was dispatched before. */
export function takeAlert(db: Querier, tenantId: string, alertId: string): Promise<PendingAlert | undefined> {
  return db.row(sql`
    UPDATE alerts alert SET dispatched_at = now()
    FROM tenant_keys key, tenants tenant
    WHERE alert.tenant_id = ${tenantId} AND alert.id = ${alertId} AND alert.dispatched_at IS NULL
      AND key.id = alert.key_id AND tenant.id = alert.tenant_id
    RETURNING ${columns}, alert.workspace_id AS "workspaceId", key.name AS "keyName", tenant.name AS "tenantName"`);
}

export interface AlertFilter {
  workspaceId: string;
  tenantId?: string | undefined;
  type?: AlertType | undefined;
  keyId?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** Newest first. */
export function listAlerts(
  db: Querier,
  filter: AlertFilter,
  { limit, offset }: PageRequest,
): Promise<Alert[]> {
  return db.rows(sql`
    SELECT ${columns} FROM ${matching(filter)}
    ORDER BY alert.id DESC LIMIT ${limit} OFFSET ${offset}`);
}

export function countAlerts(db: Querier, filter: AlertFilter): Promise<number> {
  return db.count(sql`SELECT count(*) FROM ${matching(filter)}`);
}

/** A list has and counts at most this many alerts. */
const MAX_LISTED_ALERTS = 10_000;

/** The last {@link MAX_LISTED_ALERTS} alerts of a time range, then filtered. Alerts are kept for good. */
function matching({ workspaceId, tenantId, type, keyId, from, to }: AlertFilter): Sql {
  const range = [
    sql`workspace_id = ${workspaceId}`,
    ...createdWithin(sql`id`, sql`created_at`, { from, to }),
  ];
  const conditions = [sql`true`];
  if (tenantId !== undefined) conditions.push(sql`alert.tenant_id = ${tenantId}`);
  if (type !== undefined) conditions.push(sql`alert.type = ${type}`);
  if (keyId !== undefined) conditions.push(sql`alert.key_id = ${keyId}`);
  return sql`(
      SELECT * FROM alerts WHERE ${join(range, ' AND ')} ORDER BY id DESC LIMIT ${MAX_LISTED_ALERTS}) alert
    WHERE ${join(conditions, ' AND ')}`;
}

/** The thresholds for keys of a tenant that have no thresholds of their own. */
export interface AlertSettings {
  rateLimitPerMinute: number;
  payloadBytesPerMinute: number;
}

const settings = sql`
  alert_requests_per_minute AS "rateLimitPerMinute", alert_bytes_per_minute AS "payloadBytesPerMinute"`;

export function findAlertSettings(db: Querier, tenantId: string): Promise<AlertSettings | undefined> {
  return db.row(sql`SELECT ${settings} FROM tenants WHERE id = ${tenantId}`);
}

/** Locks the row of the tenant until the transaction ends. */
export function lockAlertSettings(db: Querier, tenantId: string): Promise<AlertSettings | undefined> {
  return db.row(sql`SELECT ${settings} FROM tenants WHERE id = ${tenantId} FOR NO KEY UPDATE`);
}

export async function updateAlertSettings(
  db: Querier,
  tenantId: string,
  { rateLimitPerMinute, payloadBytesPerMinute }: AlertSettings,
): Promise<void> {
  await db.run(sql`
    UPDATE tenants
    SET alert_requests_per_minute = ${rateLimitPerMinute}, alert_bytes_per_minute = ${payloadBytesPerMinute}
    WHERE id = ${tenantId}`);
}
