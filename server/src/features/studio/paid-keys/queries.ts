import type { Querier } from '../../../database/database.ts';
import { sql, type Sql } from '../../../database/sql.ts';
import type { PageRequest } from '../../../core/page.ts';

/** An API key of another workspace, whose reads a workspace pays for. */
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

/** Keys of the paying workspace's own tenants are billed to it in any case, so they need no agreement. */
const paidBy = (workspaceId: string): Sql => sql`
  tenant_keys key JOIN tenants tenant ON tenant.id = key.tenant_id
  WHERE key.subscriber_workspace_id = ${workspaceId} AND tenant.workspace_id <> ${workspaceId}
    AND key.revoked_at IS NULL`;

/** The oldest agreement first. */
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

/** Keeps the team of a workspace as it is until the transaction ends. A change of the team waits, or is seen afterwards. */
export async function lockTeamForShare(db: Querier, workspaceId: string): Promise<void> {
  await db.run(sql`SELECT FROM workspaces WHERE id = ${workspaceId} FOR SHARE`);
}

/** A key that a workspace has stopped paying for. */
export interface EndedPayment {
  keyId: string;
  prefix: string;
  tenantId: string;
  ownWorkspaceId: string;
}

/** Ends the agreements of a workspace about one key, or all that one of its members made. Revoked keys are included. */
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

/** Lets the running transaction write audit records about a tenant. */
export async function enterTenant(db: Querier, tenantId: string): Promise<void> {
  await db.run(sql`SELECT set_config('guildhall.tenant_id', ${tenantId}, true)`);
}
