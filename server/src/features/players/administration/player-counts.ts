import type { Database } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';

/** A number of players in the counter table that differs from the rows that it counts. */
export interface PlayerCountDifference {
  /** Empty: all players of the tenant. */
  authProvider: string;
  players: number;
  counted: number;
}

/** One snapshot has both the rows and the counters of each transaction, or neither. So this is exact beside writers. */
const differences = (tenantId: string) => sql`
    SELECT auth_provider AS "authProvider", coalesce(stored.players, 0)::int AS players,
           coalesce(counter.players, 0)::int AS counted
    FROM (
      SELECT '' AS auth_provider, count(*) AS players FROM tenant_access WHERE tenant_id = ${tenantId}
      UNION ALL
      SELECT auth_provider, count(DISTINCT player_id) FROM tenant_sign_in_methods
      WHERE tenant_id = ${tenantId} GROUP BY auth_provider) stored
    FULL JOIN (
      SELECT auth_provider, sum(players) AS players FROM tenant_player_counts
      WHERE tenant_id = ${tenantId} GROUP BY auth_provider) counter USING (auth_provider)
    WHERE coalesce(stored.players, 0) <> coalesce(counter.players, 0)`;

/** Compares the numbers of a tenant's players in the counter table with the stored rows. Returns the differences. */
export function checkPlayerCounts(database: Database, tenantId: string): Promise<PlayerCountDifference[]> {
  return database
    .forTenant(tenantId)
    .rows(sql`SELECT * FROM (${differences(tenantId)}) difference ORDER BY "authProvider"`);
}

/** Adds the differences to the counters, while players sign in. */
export async function correctPlayerCounts(database: Database, tenantId: string): Promise<void> {
  await database.forTenant(tenantId).run(sql`
    INSERT INTO tenant_player_counts AS known (tenant_id, auth_provider, players)
    SELECT ${tenantId}, "authProvider", players - counted FROM (${differences(tenantId)}) difference
    ORDER BY "authProvider"
    ON CONFLICT (tenant_id, auth_provider, shard) DO UPDATE SET players = known.players + excluded.players`);
}
