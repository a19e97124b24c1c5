import type { Querier } from '../../../database/database.ts';
import { sql, type Sql } from '../../../database/sql.ts';

/** Selects the ids of the profiles that were merged into a player and that the tenant knew before. A player has at most 100. */
export const mergedProfilesOf = (tenantId: string, playerId: Sql): Sql => sql`
    SELECT player_id AS id FROM tenant_merged_profiles WHERE tenant_id = ${tenantId} AND merged_into_id = ${playerId}`;

/** The ids that {@link mergedProfilesOf} selects, in order. */
export async function listMergedProfiles(db: Querier, tenantId: string, playerId: string): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(
    sql`${mergedProfilesOf(tenantId, sql`${playerId}`)} ORDER BY id`,
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns the ids of all profiles of some players that the tenant knows, because its rows keep the id under which they were written. The
 * ids of merged profiles are accepted. An id that the tenant does not know is returned alone: merges in other tenants show nothing.
 */
export async function findProfilesOf(db: Querier, tenantId: string, playerIds: string[]): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`
    SELECT DISTINCT profile.id
    FROM unnest(${playerIds}::uuid[]) wanted (id)
    CROSS JOIN LATERAL (
      SELECT coalesce((SELECT merged_into_id FROM tenant_merged_profiles
                       WHERE tenant_id = ${tenantId} AND player_id = wanted.id), wanted.id) AS id OFFSET 0) remaining
    CROSS JOIN LATERAL (
      SELECT remaining.id UNION ALL (${mergedProfilesOf(tenantId, sql`remaining.id`)}) OFFSET 0) profile`);
  return rows.map(({ id }) => id);
}

/**
 * Records in each tenant that knows the source that it is merged into the target now, with the profiles that were merged into the source
 * before. Runs in the target's scope, after the source was absorbed and before its access records move. Returns these tenants.
 */
export async function recordMerge(db: Querier, sourceId: string, targetId: string): Promise<Set<string>> {
  await db.run(sql`
    UPDATE tenant_merged_profiles SET merged_into_id = ${targetId}
    WHERE player_id = ANY ((SELECT guildhall_person())::uuid[]) AND merged_into_id = ${sourceId}`);
  const rows = await db.rows<{ tenantId: string }>(sql`
    INSERT INTO tenant_merged_profiles (tenant_id, player_id, merged_into_id)
    SELECT tenant_id, player_id, ${targetId} FROM tenant_access WHERE player_id = ${sourceId}
    RETURNING tenant_id AS "tenantId"`);
  return new Set(rows.map(({ tenantId }) => tenantId));
}

/** Lists the tenants that knew a profile when it was merged, in the order of their ids. Runs in the scope of this profile. */
export async function listTenantsOfMerged(
  db: Querier,
  playerId: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db.rows<{ tenantId: string }>(sql`
    SELECT tenant_id AS "tenantId" FROM tenant_merged_profiles
    WHERE player_id = ${playerId} AND tenant_id > ${after} ORDER BY tenant_id LIMIT ${limit}`);
  return rows.map(({ tenantId }) => tenantId);
}
