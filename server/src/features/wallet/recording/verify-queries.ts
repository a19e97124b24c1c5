import type { Querier } from '../../../database/database.ts';
import { sql, type Sql } from '../../../database/sql.ts';

/** The end of a chain by its head and by its last entry. Without a head or an entry, the index is 0 and the hash null. */
export function compareEnds(
  db: Querier,
  tenantId: string,
): Promise<{
  headIndex: number;
  headHash: string | null;
  lastIndex: number;
  lastHash: string | null;
}> {
  return db.one(sql`
    SELECT coalesce(head.entries, 0) AS "headIndex", encode(head.hash, 'hex') AS "headHash",
           coalesce(last.entry_index, 0) AS "lastIndex", encode(last.hash, 'hex') AS "lastHash"
    FROM (SELECT ${tenantId}::uuid AS tenant_id) tenant
    LEFT JOIN wallet_ledgers head USING (tenant_id)
    LEFT JOIN LATERAL (
      SELECT entry_index, hash FROM wallet_ledger_entries
      WHERE tenant_id = ${tenantId} ORDER BY entry_index DESC LIMIT 1) last ON true`);
}

/** The tables that are derived from the entries. */
export const derivedTables = [
  'wallet_ledgers',
  'wallet_players',
  'wallet_sessions',
  'wallet_matches',
] as const;

/**
 * The rows of a table that do not match the entries. One statement reads both, so that they are of the same snapshot. It may
 * take minutes, so it has no timeout.
 */
export async function findMismatchedRows(
  db: Querier,
  tenantId: string,
  table: (typeof derivedTables)[number],
): Promise<{ id: string }[]> {
  await db.run(sql`SET LOCAL statement_timeout = 0`);
  return db.rows(mismatchedRows[table](tenantId));
}

const entriesOf = (tenantId: string, kind: string) => sql`
  (SELECT entry_index, player_index, body::jsonb AS body FROM wallet_ledger_entries
   WHERE tenant_id = ${tenantId} AND kind = ${kind})`;

const mismatchedRows: Record<(typeof derivedTables)[number], (tenantId: string) => Sql> = {
  wallet_ledgers: (tenantId) => sql`
    SELECT 'head' AS id
    FROM (SELECT count(*) FILTER (WHERE kind = 'player.added') AS players,
                 count(*) FILTER (WHERE kind = 'session.started') AS sessions,
                 count(*) FILTER (WHERE kind = 'match.started') AS matches,
                 count(*) FILTER (WHERE kind = 'record.added') AS records,
                 count(*) FILTER (WHERE kind = 'match.player_ended') AS play_data
          FROM wallet_ledger_entries WHERE tenant_id = ${tenantId}) derived
    CROSS JOIN wallet_ledgers head
    WHERE head.tenant_id = ${tenantId}
      AND (derived.*) IS DISTINCT FROM (head.players, head.sessions, head.matches, head.records, head.play_data)`,

  wallet_players: (tenantId) => sql`
    SELECT player_index::text AS id
    FROM (SELECT player_index, added.body ->> 'playerId' AS player_id, added.body ->> 'address' AS address,
                 (added.body ->> 'playerType')::integer AS player_type,
                 (added.body ->> 'verified')::boolean OR verified.player_index IS NOT NULL AS is_verified,
                 coalesce((scored.body ->> 'score')::bigint, 0) AS score
          FROM ${entriesOf(tenantId, 'player.added')} added
          LEFT JOIN ${entriesOf(tenantId, 'player.verified')} verified USING (player_index)
          LEFT JOIN (SELECT DISTINCT ON (player_index) player_index, body
                     FROM ${entriesOf(tenantId, 'player.scored')} scored
                     ORDER BY player_index, entry_index DESC) scored USING (player_index)) derived
    FULL JOIN (SELECT * FROM wallet_players WHERE tenant_id = ${tenantId}) known USING (player_index)
    WHERE (known.player_id, known.address, known.player_type, known.is_verified, known.score)
      IS DISTINCT FROM (derived.player_id, derived.address, derived.player_type, derived.is_verified, derived.score)
    ORDER BY player_index`,

  wallet_sessions: (tenantId) => sql`
    SELECT session_id::text AS id
    FROM (SELECT (started.body ->> 'sessionId')::bigint AS session_id, started.player_index,
                 (started.body ->> 'startTime')::bigint AS start_time, (ended.body ->> 'endTime')::bigint AS end_time
          FROM ${entriesOf(tenantId, 'session.started')} started
          LEFT JOIN ${entriesOf(tenantId, 'session.ended')} ended
            ON ended.body -> 'sessionId' = started.body -> 'sessionId') derived
    FULL JOIN (SELECT * FROM wallet_sessions WHERE tenant_id = ${tenantId}) known USING (session_id)
    WHERE (known.player_index, known.start_time, known.end_time)
      IS DISTINCT FROM (derived.player_index, derived.start_time, derived.end_time)
    ORDER BY session_id`,

  wallet_matches: (tenantId) => sql`
    SELECT match_session_id::text AS id
    FROM (SELECT (started.body ->> 'matchSessionId')::bigint AS match_session_id, started.player_index,
                 (part.body ->> 'playDataId')::bigint AS play_data_id, ended.body IS NOT NULL AS is_ended
          FROM ${entriesOf(tenantId, 'match.started')} started
          LEFT JOIN ${entriesOf(tenantId, 'match.player_ended')} part
            ON part.body -> 'matchSessionId' = started.body -> 'matchSessionId'
          LEFT JOIN ${entriesOf(tenantId, 'match.ended')} ended
            ON ended.body -> 'matchSessionId' = started.body -> 'matchSessionId') derived
    FULL JOIN (SELECT * FROM wallet_matches WHERE tenant_id = ${tenantId}) known USING (match_session_id)
    WHERE (known.player_index, known.play_data_id, known.is_ended)
      IS DISTINCT FROM (derived.player_index, derived.play_data_id, derived.is_ended)
    ORDER BY match_session_id`,
};
