import type { Querier } from '../../../database/database.ts';
import { sql, type Sql } from '../../../database/sql.ts';
import type { PageRequest } from '../../../core/page.ts';

/** An API key of another workspace. This workspace pays for its reads. */
export interface PaidKey {
  id: string;
  name: string;
  prefix: string;
  tenantId: string;
  tenantName: string;
  workspaceId: string;
  agreedBy: string;
  agreedAt: string;
}

/** Excludes the keys of the workspace's own tenants. They are billed to it without an agreement. */
const paidBy = (workspaceId: string): Sql => sql`
  tenant_keys key JOIN tenants tenant ON tenant.id = key.tenant_id
  WHERE key.subscriber_workspace_id = ${workspaceId} AND tenant.workspace_id <> ${workspaceId}
    AND key.revoked_at IS NULL`;

/** Lists the paid keys of a workspace, oldest agreement first. */
export function listPaidKeys(
  db: Querier,
  workspaceId: string,
  { limit, offset }: PageRequest,
): Promise<PaidKey[]> {
  return db.rows(sql`
    SELECT key.id, key.name, key.prefix, key.tenant_id AS "tenantId", tenant.name AS "tenantName",
           tenant.workspace_id AS "workspaceId", key.subscriber_agreed_by AS "agreedBy",
           key.subscriber_agreed_at AS "agreedAt"
    FROM ${paidBy(workspaceId)}
    ORDER BY key.subscriber_agreed_at, key.id LIMIT ${limit} OFFSET ${offset}`);
}

export function countPaidKeys(db: Querier, workspaceId: string): Promise<number> {
  return db.count(sql`SELECT count(*) FROM ${paidBy(workspaceId)}`);
}

/** Blocks changes of a team until the transaction ends. Waits for a change that is already in progress. */
export async function lockTeamForShare(db: Querier, workspaceId: string): Promise<void> {
  await db.run(sql`SELECT FROM workspaces WHERE id = ${workspaceId} FOR SHARE`);
}

/** A key whose payment has ended. */
export interface EndedPayment {
  keyId: string;
  prefix: string;
  tenantId: string;
  ownWorkspaceId: string;
}

/** Ends the agreement for one key, or all agreements that one member made. Revoked keys are included. */
export function endAgreements(
  db: Querier,
  workspaceId: string,
  which: { keyId: string } | { agreedBy: string },
): Promise<EndedPayment[]> {
  const matching =
    'keyId' in which ? sql`key.id = ${which.keyId}` : sql`key.subscriber_agreed_by = ${which.agreedBy}`;
  return db.rows(sql`
    UPDATE tenant_keys key
    SET subscriber_workspace_id = NULL, subscriber_agreed_by = NULL, subscriber_agreed_at = NULL
    FROM tenants tenant
    WHERE tenant.id = key.tenant_id AND key.subscriber_workspace_id = ${workspaceId} AND ${matching}
      AND tenant.workspace_id <> ${workspaceId}
    RETURNING key.id AS "keyId", key.prefix, key.tenant_id AS "tenantId", tenant.workspace_id AS "ownWorkspaceId"`);
}

/** Sets the tenant scope of the transaction. Audit records of a tenant can be written only in its scope. */
export async function enterTenant(db: Querier, tenantId: string): Promise<void> {
  await db.run(sql`SELECT set_config('guildhall.tenant_id', ${tenantId}, true)`);
}
