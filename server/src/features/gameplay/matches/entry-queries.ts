import { columnOf } from '../../../database/column-of.ts';
import type { Querier } from '../../../database/database.ts';
import { sql, type Sql } from '../../../database/sql.ts';
import { mergedProfilesOf } from '../../players/merged-profiles/index.ts';

/** A player who enters a match. Without a login session, the latest session of the player in the tenant is used. */
interface Entrant {
  matchPlayerId: string;
  playerId: string;
  loginSessionId: string | null;
}

/**
 * Waits for merges of these players, and lets no other one begin until the transaction ends. It is a statement of its own: one that
 * waits does not see what it waited for. The next statement may be sent with it. The lock conflicts with `FOR UPDATE` of a merge only.
 * Otherwise a game server could delay the sign-ins, bans and renames of its players.
 */
export async function lockAccess(db: Querier, tenantId: string, playerIds: string[]): Promise<void> {
  await db.run(sql`
    SELECT FROM unnest(${playerIds.toSorted()}::uuid[]) wanted (player_id)
    CROSS JOIN LATERAL (
      SELECT FROM tenant_access WHERE tenant_id = ${tenantId} AND player_id = wanted.player_id OFFSET 0 FOR KEY SHARE) access`);
}

/** The reason why a player may not enter a match. */
export type Rejection = 'unknown_player' | 'unknown_session' | 'session_expired';

/**
 * Checks the access record and the login session of each row of `wanted`. The search for the latest session covers two
 * hours, because an older session has ended or expired.
 */
function checkEntrants(tenantId: string): Sql {
  return sql`
    SELECT wanted.*, coalesce(given.session_id, latest.session_id) AS session_id,
           CASE WHEN access.player_id IS NULL THEN 'unknown_player'
                WHEN wanted.login_session_id IS NOT NULL AND given.session_id IS NULL THEN 'unknown_session'
                WHEN coalesce(given.live, latest.live, false) THEN NULL
                ELSE 'session_expired' END AS rejection
    FROM wanted
    LEFT JOIN LATERAL (
      SELECT player_id FROM tenant_access
      WHERE tenant_id = ${tenantId} AND player_id = wanted.player_id OFFSET 0) access ON true
    LEFT JOIN LATERAL (
      SELECT session_id, ended_at IS NULL AND last_seen_at >= now() - interval '2 hours' AS live
      FROM login_sessions
      WHERE tenant_id = ${tenantId} AND session_id = wanted.login_session_id AND player_id = wanted.player_id
      OFFSET 0) given ON true
    LEFT JOIN LATERAL (
      SELECT session_id, ended_at IS NULL AS live FROM login_sessions
      WHERE wanted.login_session_id IS NULL AND tenant_id = ${tenantId} AND player_id = wanted.player_id
        AND last_seen_at >= now() - interval '2 hours'
      ORDER BY ended_at IS NULL DESC, started_at DESC, session_id DESC LIMIT 1) latest ON true`;
}

interface NewMatch {
  matchSessionId: string;
  mode: string | null;
  metadata: Record<string, unknown>;
  startedAt: string;
  entrants: Entrant[];
}

/** Creates a match with its roster. If any player is rejected, creates nothing and returns the rejected players. */
export function insertMatch(
  db: Querier,
  tenantId: string,
  { matchSessionId, mode, metadata, startedAt, entrants }: NewMatch,
): Promise<{ index: number; rejection: Rejection }[]> {
  const column = columnOf(entrants);
  return db.rows(sql`
    WITH wanted AS (
      SELECT * FROM unnest(${column('matchPlayerId')}::uuid[], ${column('playerId')}::uuid[], ${column('loginSessionId')}::uuid[])
        WITH ORDINALITY AS entrant (match_player_id, player_id, login_session_id, number)),
    checked AS MATERIALIZED (${checkEntrants(tenantId)}),
    match AS (
      INSERT INTO match_sessions (tenant_id, id, mode, metadata, started_at)
      SELECT ${tenantId}, ${matchSessionId}, ${mode}, ${JSON.stringify(metadata)}::jsonb, ${startedAt}
      WHERE NOT EXISTS (SELECT FROM checked WHERE rejection IS NOT NULL)),
    roster AS (
      INSERT INTO match_players (tenant_id, id, match_session_id, player_id, login_session_id, joined_at)
      SELECT ${tenantId}, match_player_id, ${matchSessionId}, player_id, session_id, ${startedAt} FROM checked
      WHERE NOT EXISTS (SELECT FROM checked WHERE rejection IS NOT NULL))
    SELECT number - 1 AS index, rejection FROM checked WHERE rejection IS NOT NULL ORDER BY number`);
}

export interface JoinOutcome {
  hasEnded: boolean;
  isFull: boolean;
  rejection: Rejection | null;
  /** Null if the player was rejected or is already in the match. */
  matchPlayerId: string | null;
  joinedAt: string | null;
}

/**
 * Adds a player to a match. A player who has left returns as the same match player. An entry of a merged profile is the player's, too.
 * Returns undefined if the match is unknown. The lock on the match serialises the join with the end of the match.
 */
export function insertMatchPlayer(
  db: Querier,
  tenantId: string,
  matchSessionId: string,
  { matchPlayerId, playerId, loginSessionId, at, maxPlayers }: Entrant & { at: string; maxPlayers: number },
): Promise<JoinOutcome | undefined> {
  return db.row(sql`
    WITH match AS MATERIALIZED (
      SELECT ended_at FROM match_sessions WHERE tenant_id = ${tenantId} AND id = ${matchSessionId} FOR SHARE),
    profile AS (
      SELECT ${playerId}::uuid AS id UNION ALL (${mergedProfilesOf(tenantId, sql`${playerId}`)})),
    own_entry AS MATERIALIZED (
      SELECT entry.* FROM profile CROSS JOIN LATERAL (
        SELECT player_id, joined_at, left_at FROM match_players
        WHERE tenant_id = ${tenantId} AND match_session_id = ${matchSessionId} AND player_id = profile.id OFFSET 0) entry),
    roster AS MATERIALIZED (
      SELECT count(*) >= ${maxPlayers} AND NOT EXISTS (SELECT FROM own_entry) AS is_full
      FROM match_players WHERE tenant_id = ${tenantId} AND match_session_id = ${matchSessionId}),
    wanted AS (SELECT ${playerId}::uuid AS player_id, ${loginSessionId}::uuid AS login_session_id),
    checked AS MATERIALIZED (${checkEntrants(tenantId)}),
    joined AS (
      INSERT INTO match_players AS known (tenant_id, id, match_session_id, player_id, login_session_id, joined_at)
      SELECT ${tenantId}, ${matchPlayerId}, ${matchSessionId},
             coalesce((SELECT player_id FROM own_entry ORDER BY player_id <> ${playerId}, joined_at DESC, player_id LIMIT 1), player_id),
             session_id, ${at}
      FROM match, roster, checked
      WHERE ended_at IS NULL AND NOT is_full AND rejection IS NULL AND NOT EXISTS (SELECT FROM own_entry WHERE left_at IS NULL)
      ON CONFLICT (tenant_id, match_session_id, player_id) DO UPDATE
        SET left_at = NULL, login_session_id = excluded.login_session_id WHERE known.left_at IS NOT NULL
      RETURNING id, joined_at)
    SELECT ended_at IS NOT NULL AS "hasEnded", is_full AS "isFull", rejection, joined.id AS "matchPlayerId", joined.joined_at AS "joinedAt"
    FROM match CROSS JOIN roster CROSS JOIN checked LEFT JOIN joined ON true`);
}
