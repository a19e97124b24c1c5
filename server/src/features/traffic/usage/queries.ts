import type { KeyKind } from '../../../core/callers.ts';
import { columnOf } from '../../../database/column-of.ts';
import type { Querier } from '../../../database/database.ts';
import { empty, sql, type Sql } from '../../../database/sql.ts';
import type { Quota } from '../../../core/quota.ts';

/** The tenant or the key that a report is restricted to. */
interface UsageFilter {
  tenantId?: string | undefined;
  keyId?: string | undefined;
}

/**
 * The usage of a workspace on some days, aggregated or not. One statement reads both, so that a concurrent aggregation moves nothing in
 * between. A month has at most 31 rows of totals.
 */
function usageOfDays(workspaceId: string, from: Sql, to: Sql): Sql {
  return sql`
    SELECT day, units, bytes_in, bytes_out FROM usage_days
    WHERE workspace_id = ${workspaceId} AND day >= ${from} AND day < ${to}
    UNION ALL
    SELECT (at AT TIME ZONE 'UTC')::date, units, bytes_in, bytes_out FROM usage_entries
    WHERE workspace_id = ${workspaceId} AND at >= ${from}::timestamptz AND at < ${to}::timestamptz`;
}

/** The same by key. The totals have a row for each key and day. */
function usageOfKeys(workspaceId: string, from: Sql, to: Sql, { tenantId, keyId }: UsageFilter): Sql {
  const ofTenant = tenantId === undefined ? empty : sql`AND tenant_id = ${tenantId}`;
  const ofKey = keyId === undefined ? empty : sql`AND key_id = ${keyId}`;
  return sql`
    SELECT day, tenant_id, key_id, units, bytes_in, bytes_out FROM usage_totals
    WHERE workspace_id = ${workspaceId} AND day >= ${from} AND day < ${to} ${ofTenant} ${ofKey}
    UNION ALL
    SELECT (at AT TIME ZONE 'UTC')::date, tenant_id, key_id, units, bytes_in, bytes_out FROM usage_entries
    WHERE workspace_id = ${workspaceId} AND at >= ${from}::timestamptz AND at < ${to}::timestamptz ${ofTenant} ${ofKey}`;
}

const sums = sql`
  coalesce(sum(units), 0)::bigint AS units, coalesce(sum(bytes_in), 0)::bigint AS "bytesIn",
  coalesce(sum(bytes_out), 0)::bigint AS "bytesOut"`;

const periodEnd = sql`(guildhall_period() + interval '1 month')::date`;

/** How much of its plan a workspace has used in the current period. */
export interface WorkspaceQuota extends Omit<Quota, 'limit'> {
  plan: string;
  limit: number | null;
  bytesIn: number;
  bytesOut: number;
  hardStop: boolean;
}

/** Requires the workspace's scope. Undefined if the workspace does not exist. */
export function findQuota(db: Querier, workspaceId: string): Promise<WorkspaceQuota | undefined> {
  return db.row(sql`
    SELECT workspace.plan, workspace.monthly_units AS "limit", workspace.hard_stop AS "hardStop",
           guildhall_period()::timestamptz AS "periodStart", ${periodEnd}::timestamptz AS "periodEnd",
           usage.units AS used, usage."bytesIn", usage."bytesOut"
    FROM workspaces workspace
    CROSS JOIN (SELECT ${sums} FROM (${usageOfDays(workspaceId, sql`guildhall_period()`, periodEnd)}) entry) usage
    WHERE workspace.id = ${workspaceId}`);
}

interface UsageSums {
  units: number;
  bytesIn: number;
  bytesOut: number;
}

/** The usage of a day, a tenant or a key. Names are null if they belong to another workspace. */
export interface UsageRow extends UsageSums {
  day?: string;
  tenantId?: string;
  tenantName?: string | null;
  keyId?: string;
  keyName?: string | null;
  keyKind?: KeyKind;
}

/** How a report is grouped, and what it is restricted to. */
export interface UsageSelection extends UsageFilter {
  groupBy: 'day' | 'tenant' | 'key';
}

/** The first day, and the first day after the range, as `2026-11-01`. */
export interface Days {
  from: string;
  to: string;
}

/** The maximum number of rows of a usage report. Rows with the most units come first. */
export const MAX_USAGE_ROWS = 1_000;

/** The tenant of the row `usage`, if it belongs to the workspace. */
const tenantOf = (workspaceId: string): Sql => sql`
  SELECT id, name FROM tenants WHERE id = usage."tenantId" AND (workspace_id = ${workspaceId}) IS TRUE OFFSET 0`;

/** Requires the workspace's scope. */
export function listUsage(
  db: Querier,
  workspaceId: string,
  { from, to }: Days,
  { groupBy, ...filter }: UsageSelection,
): Promise<UsageRow[]> {
  const range = [workspaceId, sql`${from}::date`, sql`${to}::date`] as const;
  const isOfDays = groupBy === 'day' && filter.tenantId === undefined && filter.keyId === undefined;
  const usage = isOfDays ? usageOfDays(...range) : usageOfKeys(...range, filter);
  switch (groupBy) {
    case 'day':
      return db.rows(sql`
        SELECT day::text AS day, ${sums}
        FROM (
          SELECT day::date, 0 AS units, 0 AS bytes_in, 0 AS bytes_out
          FROM generate_series(${from}::date, ${to}::date - 1, interval '1 day') AS day
          UNION ALL SELECT day, units, bytes_in, bytes_out FROM (${usage}) entry) entry
        GROUP BY entry.day ORDER BY entry.day`);
    case 'tenant':
      return db.rows(sql`
        SELECT usage.*, tenant.name AS "tenantName"
        FROM (
          SELECT tenant_id AS "tenantId", ${sums} FROM (${usage}) entry GROUP BY tenant_id
          ORDER BY units DESC, tenant_id LIMIT ${MAX_USAGE_ROWS}) usage
        LEFT JOIN LATERAL (${tenantOf(workspaceId)}) tenant ON true
        ORDER BY usage.units DESC, usage."tenantId"`);
    case 'key':
      return db.rows(sql`
        SELECT usage.*, coalesce(key.kind, 'api') AS "keyKind", tenant.name AS "tenantName",
               CASE WHEN tenant.id IS NOT NULL THEN key.name END AS "keyName"
        FROM (
          SELECT key_id AS "keyId", tenant_id AS "tenantId", ${sums} FROM (${usage}) entry GROUP BY key_id, tenant_id
          ORDER BY units DESC, key_id LIMIT ${MAX_USAGE_ROWS}) usage
        LEFT JOIN LATERAL (
          SELECT kind, name FROM tenant_keys
          WHERE id = usage."keyId" AND (tenant_id = usage."tenantId") IS TRUE OFFSET 0) key ON true
        LEFT JOIN LATERAL (${tenantOf(workspaceId)}) tenant ON true
        ORDER BY usage.units DESC, usage."keyId"`);
  }
}

/** The usage of a key since the last write. */
export interface CollectedUsage extends UsageSums {
  workspaceId: string;
  tenantId: string;
  keyId: string;
}

/** Writes usage that was admitted before: reads, and bytes. */
export async function recordUsage(db: Querier, usage: CollectedUsage[]): Promise<void> {
  const column = columnOf(usage);
  await db.run(sql`
    SELECT guildhall_record_usage(
      ${column('workspaceId')}::uuid[], ${column('tenantId')}::uuid[], ${column('keyId')}::uuid[],
      ${column('units')}::bigint[], ${column('bytesIn')}::bigint[], ${column('bytesOut')}::bigint[])`);
}

/** The units that a workspace has used in the current period. */
export interface WorkspaceUsage {
  workspaceId: string;
  used: number;
}

/**
 * Moves usage entries into the daily totals. Returns their number, and the usage of the workspaces with a limit that they charge. If
 * another process does so already, it moves nothing.
 */
export function aggregateEntries(
  db: Querier,
  limit: number,
): Promise<{ moved: number; usage: WorkspaceUsage[] }> {
  return db.one(sql`SELECT moved, usage FROM guildhall_aggregate_usage(${limit})`);
}

/** A workspace has used this percentage of its plan's units. */
export interface UsageWarning extends Quota {
  workspaceId: string;
  percent: number;
}

/** Inserts the warnings that are due. Returns the new ones. */
export function insertWarnings(
  db: Querier,
  usage: WorkspaceUsage[],
  percents: readonly number[],
): Promise<UsageWarning[]> {
  return db.rows(sql`
    INSERT INTO usage_warnings (workspace_id, period_start, monthly_units, percent, used)
    SELECT workspace.id, guildhall_period(), workspace.monthly_units, percent, usage.used
    FROM unnest(${usage.map(({ workspaceId }) => workspaceId)}::uuid[], ${usage.map(({ used }) => used)}::bigint[])
      AS usage (workspace_id, used)
    JOIN workspaces workspace ON workspace.id = usage.workspace_id
    CROSS JOIN unnest(${percents}::integer[]) AS percent
    WHERE usage.used * 100 >= workspace.monthly_units * percent
    ORDER BY workspace.id, percent
    ON CONFLICT DO NOTHING
    RETURNING workspace_id AS "workspaceId", percent, used, monthly_units AS "limit",
              period_start::timestamptz AS "periodStart", (period_start + interval '1 month')::timestamptz AS "periodEnd"`);
}
