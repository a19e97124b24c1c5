import type { Querier } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';

/** Who plays in which match. */
export interface RosterEntry {
  matchPlayerId: string;
  matchSessionId: string;
  playerId: string;
}

/** Those of the roster entries that exist in the tenant. */
export function findRoster(db: Querier, tenantId: string, matchPlayerIds: string[]): Promise<RosterEntry[]> {
  return db.rows(sql`
    SELECT id AS "matchPlayerId", match_session_id AS "matchSessionId", player_id AS "playerId"
    FROM match_players WHERE tenant_id = ${tenantId} AND id = ANY(${matchPlayerIds}::uuid[])`);
}

/** Those of the match sessions that exist in the tenant, ended or not. */
export async function findMatchSessions(db: Querier, tenantId: string, ids: string[]): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`
    SELECT id FROM match_sessions WHERE tenant_id = ${tenantId} AND id = ANY(${ids}::uuid[])`);
  return rows.map((row) => row.id);
}
