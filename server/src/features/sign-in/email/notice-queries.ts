import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';

/** Lists the tenants that a player has signed in to. */
export async function listTenantsOfPlayer(db: Querier, playerId: string): Promise<string[]> {
  const rows = await db.rows<{ tenantId: string }>(sql`
    SELECT tenant_id AS "tenantId" FROM tenant_access WHERE player_id = ${playerId} ORDER BY tenant_id`);
  return rows.map(({ tenantId }) => tenantId);
}

/** The first 20 addresses that a player has verified, oldest first. */
export async function listVerifiedAddresses(db: Querier, playerId: string): Promise<string[]> {
  const rows = await db.rows<{ email: string }>(sql`
    SELECT email FROM email_credentials WHERE player_id = ${playerId} AND verified_at IS NOT NULL
    ORDER BY verified_at, email LIMIT 20`);
  return rows.map(({ email }) => email);
}
