import type { Querier } from '../../database/database.ts';
import { empty, sql, type Sql } from '../../database/sql.ts';
import type { Author } from '../../http/request-context.ts';

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
export function listTenantRecords(db: Querier, tenantId: string, page: RecordPage): Promise<AuditRecord[]> {
  return listRecords(db, sql`record.tenant_id = ${tenantId}`, page);
}

/** The records of a workspace and of its tenants, the newest first. */
export function listWorkspaceRecords(
  db: Querier,
  workspaceId: string,
  page: RecordPage,
): Promise<AuditRecord[]> {
  return listRecords(db, sql`record.workspace_id = ${workspaceId}`, page);
}

export interface RecordPage {
  limit: number;
  cursor: string | undefined;
}

/** Ids are made in the order of time. An actor's address is shown as long as they are a member of the workspace. */
function listRecords(db: Querier, condition: Sql, { limit, cursor }: RecordPage): Promise<AuditRecord[]> {
  return db.rows(sql`
    SELECT record.id, record.occurred_at AS "occurredAt", record.workspace_id AS "workspaceId",
           record.tenant_id AS "tenantId", record.action, record.target_id AS "targetId", record.details,
           record.ip_address AS "ipAddress", record.request_id AS "requestId",
           jsonb_build_object('kind', record.actor_kind, 'id', record.actor_id, 'email', account.email) AS actor
    FROM audit_records record
    LEFT JOIN memberships membership
      ON membership.workspace_id = record.workspace_id AND membership.account_id = record.actor_id
    LEFT JOIN accounts account ON account.id = membership.account_id
    WHERE ${condition} ${cursor === undefined ? empty : sql`AND record.id < ${cursor}`}
    ORDER BY record.id DESC
    LIMIT ${limit}`);
}
