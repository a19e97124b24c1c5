import type { Querier } from '../../../database/database.ts';
import { join, sql, type Sql } from '../../../database/sql.ts';
import type { Author } from '../../../core/author.ts';
import { firstIdAt } from '../../../core/ids.ts';
import { toMicroseconds } from '../../../core/timestamps.ts';

/** The columns of `audit_records` that the application decides. */
export interface AuditRow {
  id: string;
  workspace_id: string | null;
  tenant_id: string | null;
  actor_kind: string;
  actor_id: string | null;
  action: string;
  target_id: string | null;
  details: Record<string, unknown>;
  ip_address: string | null;
  request_id: string | null;
}

export interface AuditRecord {
  id: string;
  occurredAt: string;
  workspaceId: string | null;
  tenantId: string | null;
  actor: Author['actor'] & { email: string | null };
  action: string;
  targetId: string | null;
  details: Record<string, unknown>;
  ipAddress: string | null;
  requestId: string | null;
}

export async function insertAuditRecords(db: Querier, rows: AuditRow[]): Promise<void> {
  await db.run(sql`
    INSERT INTO audit_records (id, workspace_id, tenant_id, actor_kind, actor_id, action, target_id, details, ip_address, request_id)
    SELECT row.id, coalesce(row.workspace_id, tenant.workspace_id), row.tenant_id, row.actor_kind, row.actor_id, row.action,
           row.target_id, row.details, row.ip_address, row.request_id
    FROM jsonb_populate_recordset(NULL::audit_records, ${JSON.stringify(rows)}) row
    LEFT JOIN tenants tenant ON tenant.id = row.tenant_id`);
}

/** The records of a tenant, the newest first: those before `cursor`, where one is given. */
export function listTenantRecords(
  db: Querier,
  tenantId: string,
  page: AuditFilter & { limit: number },
): Promise<AuditRecord[]> {
  return listRecords(db, sql`record.tenant_id = ${tenantId}`, page);
}

/** The records of a workspace and of its tenants, the newest first. */
export function listWorkspaceRecords(
  db: Querier,
  workspaceId: string,
  page: AuditFilter & { limit: number },
): Promise<AuditRecord[]> {
  return listRecords(db, sql`record.workspace_id = ${workspaceId}`, page);
}

/** All records, those of no tenant and no workspace included, the newest first. */
export function listAllRecords(db: Querier, page: AuditFilter & { limit: number }): Promise<AuditRecord[]> {
  return listRecords(db, sql`true`, page, { anyAccount: true });
}

/** Which records a page shows. */
export interface AuditFilter {
  action?: string | undefined;
  actorId?: string | undefined;
  targetId?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** The id of the last record seen. */
  cursor?: string | undefined;
}

/**
 * Ids are made in the order of time. An actor's address is shown as long as they are a member of the workspace; with `anyAccount`,
 * always.
 */
function listRecords(
  db: Querier,
  place: Sql,
  { limit, ...filter }: AuditFilter & { limit: number },
  { anyAccount = false } = {},
): Promise<AuditRecord[]> {
  const actor = anyAccount ? sql`record.actor_id` : sql`membership.account_id`;
  return db.rows(sql`
    SELECT record.id, record.occurred_at AS "occurredAt", record.workspace_id AS "workspaceId",
           record.tenant_id AS "tenantId", record.action, record.target_id AS "targetId", record.details,
           record.ip_address AS "ipAddress", record.request_id AS "requestId",
           jsonb_build_object('kind', record.actor_kind, 'id', record.actor_id, 'email', account.email) AS actor
    FROM audit_records record
    LEFT JOIN memberships membership
      ON membership.workspace_id = record.workspace_id AND membership.account_id = record.actor_id
    LEFT JOIN accounts account ON account.id = ${actor}
    WHERE ${join([place, ...conditionsOf(filter)], ' AND ')}
    ORDER BY record.id DESC
    LIMIT ${limit}`);
}

/**
 * An id is made a moment before its row is written, on a clock that may differ a little from the database's: so that the
 * index of ids narrows the times down, and the times themselves decide.
 */
const CLOCKS_DIFFER_SECONDS = 60;

function conditionsOf({ action, actorId, targetId, from, to, cursor }: AuditFilter): Sql[] {
  const conditions: Sql[] = [];
  if (action !== undefined) conditions.push(sql`record.action = ${action}`);
  if (actorId !== undefined) conditions.push(sql`record.actor_id = ${actorId}`);
  if (targetId !== undefined) conditions.push(sql`record.target_id = ${targetId}`);
  const [begin, end] = [from && toMicroseconds(from), to && toMicroseconds(to)];
  if (begin)
    conditions.push(
      sql`record.occurred_at >= ${begin} AND record.id >= ${firstIdAt(begin, -CLOCKS_DIFFER_SECONDS)}`,
    );
  if (end)
    conditions.push(
      sql`record.occurred_at < ${end} AND record.id < ${firstIdAt(end, CLOCKS_DIFFER_SECONDS)}`,
    );
  if (cursor !== undefined) conditions.push(sql`record.id < ${cursor}`);
  return conditions;
}
