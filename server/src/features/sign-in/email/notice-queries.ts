import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';

/** How many tenants write a change of a player to their audit trail. A studio can let a player sign in to any number of its tenants. */
const MAX_AUDITED_TENANTS = 100;

/**
 * Lists the tenants that audit a change of a player: the one of the token, then one of each workspace, then the others. Among these, the
 * tenants that have known the player for the longest time come first. So no studio takes the place of another one.
 */
export async function listAuditedTenants(
  db: Querier,
  { playerId, tenantId }: { playerId: string; tenantId: string | null },
): Promise<string[]> {
  const rows = await db.rows<{ tenantId: string }>(sql`
    SELECT access.tenant_id AS "tenantId"
    FROM tenant_access access
    CROSS JOIN LATERAL (SELECT workspace_id FROM tenants WHERE id = access.tenant_id OFFSET 0) tenant
    WHERE access.player_id = ${playerId}
    ORDER BY access.tenant_id IS NOT DISTINCT FROM ${tenantId}::uuid DESC,
      row_number() OVER (PARTITION BY tenant.workspace_id ORDER BY access.first_seen_at, access.tenant_id),
      access.first_seen_at, access.tenant_id
    LIMIT ${MAX_AUDITED_TENANTS}`);
  return rows.map(({ tenantId }) => tenantId);
}

/** The first 20 addresses that a player has verified, oldest first. */
export async function listVerifiedAddresses(db: Querier, playerId: string): Promise<string[]> {
  const rows = await db.rows<{ email: string }>(sql`
    SELECT email FROM email_credentials WHERE player_id = ${playerId} AND verified_at IS NOT NULL
    ORDER BY verified_at, email LIMIT 20`);
  return rows.map(({ email }) => email);
}
