import { columnOf } from '../../../database/column-of.ts';
import { createdWithin } from '../../../database/created-within.ts';
import type { Querier } from '../../../database/database.ts';
import { join, sql, type Sql } from '../../../database/sql.ts';

/** A player in a match. */
export interface RosterEntry {
  matchPlayerId: string;
  matchSessionId: string;
  playerId: string;
}

/** Returns the roster entries that exist in the tenant. */
export function findRoster(db: Querier, tenantId: string, matchPlayerIds: string[]): Promise<RosterEntry[]> {
  return db.rows(sql`
    SELECT id AS "matchPlayerId", match_session_id AS "matchSessionId", player_id AS "playerId"
    FROM unnest(${matchPlayerIds}::uuid[]) wanted (match_player_id)
    CROSS JOIN LATERAL (
      SELECT * FROM match_players WHERE tenant_id = ${tenantId} AND id = wanted.match_player_id OFFSET 0) entry`);
}

export interface MatchPlayer {
  matchPlayerId: string;
  playerId: string;
  loginSessionId: string | null;
  joinedAt: string;
  leftAt: string | null;
  placement: number | null;
  score: number | null;
  outcome: string | null;
}

const matchPlayer = sql`match_players.id AS "matchPlayerId", match_players.player_id AS "playerId",
    match_players.login_session_id AS "loginSessionId", match_players.joined_at AS "joinedAt",
    match_players.left_at AS "leftAt", match_players.placement, match_players.score, match_players.outcome`;

interface SharedEntry {
  tenantId: string;
  matchSessionId: string;
  matchPlayerId: string;
}

/**
 * Finds the running matches of some tenants in which several profiles of a person are. Returns all of their entries but one: that of
 * the player, or else the first. Runs in the scope of the player.
 */
export function findSharedEntries(
  db: Querier,
  tenantIds: string[],
  playerId: string,
): Promise<SharedEntry[]> {
  return db.rows(sql`
    WITH entry AS MATERIALIZED (
      SELECT entry.*, row_number() OVER (
               PARTITION BY entry.tenant_id, entry.match_session_id
               ORDER BY entry.player_id <> ${playerId}, entry.joined_at, entry.id) AS number
      FROM unnest(${tenantIds}::uuid[]) tenant (id)
      CROSS JOIN unnest((SELECT guildhall_person())) profile (id)
      CROSS JOIN LATERAL (
        SELECT tenant_id, match_session_id, id, player_id, joined_at FROM match_players
        WHERE tenant_id = tenant.id AND player_id = profile.id AND left_at IS NULL OFFSET 0) entry)
    SELECT entry.tenant_id AS "tenantId", entry.match_session_id AS "matchSessionId", entry.id AS "matchPlayerId"
    FROM entry CROSS JOIN LATERAL (
      SELECT FROM match_sessions
      WHERE tenant_id = entry.tenant_id AND id = entry.match_session_id AND ended_at IS NULL OFFSET 0) running
    WHERE entry.number > 1`);
}

/** Sets the time at which a player left, if it is not set yet. Returns undefined if the match player is unknown. */
export function markLeft(
  db: Querier,
  tenantId: string,
  matchSessionId: string,
  matchPlayerId: string,
  at: string,
): Promise<MatchPlayer | undefined> {
  return db.row(sql`
    UPDATE match_players SET left_at = coalesce(left_at, ${at})
    WHERE tenant_id = ${tenantId} AND match_session_id = ${matchSessionId} AND id = ${matchPlayerId}
    RETURNING ${matchPlayer}`);
}

export interface MatchSession {
  matchSessionId: string;
  mode: string | null;
  metadata: Record<string, unknown>;
  startedAt: string;
  endedAt: string | null;
}

const matchSession = sql`id AS "matchSessionId", mode, metadata, started_at AS "startedAt", ended_at AS "endedAt"`;

/** Sets the end of a match, if it is not set yet. Returns undefined if the match is unknown. */
export function markEnded(
  db: Querier,
  tenantId: string,
  matchSessionId: string,
  at: string,
): Promise<MatchSession | undefined> {
  return db.row(sql`
    UPDATE match_sessions SET ended_at = coalesce(ended_at, ${at})
    WHERE tenant_id = ${tenantId} AND id = ${matchSessionId}
    RETURNING ${matchSession}`);
}

export function findMatch(
  db: Querier,
  tenantId: string,
  matchSessionId: string,
): Promise<MatchSession | undefined> {
  return db.row(sql`
    SELECT ${matchSession} FROM match_sessions WHERE tenant_id = ${tenantId} AND id = ${matchSessionId}`);
}

/** A match in a list. */
export interface ListedMatch extends MatchSession {
  playerCount: number;
}

export interface MatchFilter {
  state?: 'running' | 'ended' | undefined;
  /** All profiles of one player. */
  playerIds?: string[] | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** The id of the last match of the previous page. Older matches follow. */
  cursor?: string | undefined;
}

/** Lists matches by their ids, which are generated in the order of time. */
export function selectMatches(
  db: Querier,
  tenantId: string,
  { state, playerIds, from, to, cursor }: MatchFilter,
  limit: number,
): Promise<ListedMatch[]> {
  const conditions = [sql`match.tenant_id = ${tenantId}`];
  if (state === 'running') conditions.push(sql`match.ended_at IS NULL`);
  if (state === 'ended') conditions.push(sql`match.ended_at IS NOT NULL`);
  // For a player, the ids of the entries: PostgreSQL reads those of all newer matches if only the matches are compared.
  const id = playerIds === undefined ? sql`match.id` : sql`own.match_session_id`;
  conditions.push(...createdWithin(id, sql`match.started_at`, { from, to }));
  if (cursor !== undefined) conditions.push(sql`${id} < ${cursor}`);
  const pageOf = (source: Sql): Sql => sql`
      SELECT match.* FROM ${source} WHERE ${join(conditions, ' AND ')} ORDER BY ${id} DESC LIMIT ${limit}`;
  // Two profiles of a player can be in one match.
  const page =
    playerIds === undefined
      ? pageOf(sql`match_sessions match`)
      : sql`
      SELECT DISTINCT ON (match.id) match.*
      FROM unnest(${playerIds}::uuid[]) profile (id)
      CROSS JOIN LATERAL (${pageOf(sql`match_players own JOIN match_sessions match
          ON match.tenant_id = own.tenant_id AND match.id = own.match_session_id
            AND own.tenant_id = ${tenantId} AND own.player_id = profile.id`)}) match
      ORDER BY match.id DESC LIMIT ${limit}`;
  return db.rows(sql`
    WITH page AS MATERIALIZED (${page})
    SELECT ${matchSession}, (
      SELECT count(*) FROM match_players WHERE tenant_id = ${tenantId} AND match_session_id = page.id) AS "playerCount"
    FROM page ORDER BY id DESC`);
}

/** Returns the roster of a match in the order of joining, including players who have left. */
export function listMatchPlayers(
  db: Querier,
  tenantId: string,
  matchSessionId: string,
): Promise<MatchPlayer[]> {
  return db.rows(sql`
    SELECT ${matchPlayer} FROM match_players
    WHERE tenant_id = ${tenantId} AND match_session_id = ${matchSessionId}
    ORDER BY joined_at, id`);
}

export type PlayerResult = Pick<MatchPlayer, 'matchPlayerId' | 'placement' | 'score' | 'outcome'>;

/**
 * Replaces the results of some players of a match. Writes nothing if any player is not in the roster. Returns the changed
 * entries. The lock on the match prevents deadlocks between two writers of several rows.
 *
 * All rows exist. ON CONFLICT finds each by its key. UPDATE … FROM is a join, for which the planner may read all match players of
 * the tenant.
 */
export function writeResults(
  db: Querier,
  tenantId: string,
  matchSessionId: string,
  results: PlayerResult[],
): Promise<MatchPlayer[]> {
  const column = columnOf(results);
  return db.rows(sql`
    WITH match AS MATERIALIZED (
      SELECT id FROM match_sessions WHERE tenant_id = ${tenantId} AND id = ${matchSessionId} FOR NO KEY UPDATE),
    result AS MATERIALIZED (
      SELECT * FROM unnest(${column('matchPlayerId')}::uuid[], ${column('placement')}::integer[],
                           ${column('score')}::bigint[], ${column('outcome')}::text[])
        AS result (match_player_id, placement, score, outcome)),
    known AS MATERIALIZED (
      SELECT player.tenant_id, player.id, player.match_session_id, player.player_id, player.joined_at, result.placement,
             result.score, result.outcome
      FROM match CROSS JOIN result CROSS JOIN LATERAL (
        SELECT * FROM match_players
        WHERE tenant_id = ${tenantId} AND id = result.match_player_id AND (match_session_id = match.id) IS TRUE OFFSET 0) player)
    INSERT INTO match_players (tenant_id, id, match_session_id, player_id, joined_at, placement, score, outcome)
    SELECT * FROM known WHERE (SELECT count(*) FROM known) = ${results.length}
    ON CONFLICT (tenant_id, id) DO UPDATE
      SET placement = excluded.placement, score = excluded.score, outcome = excluded.outcome
    RETURNING ${matchPlayer}`);
}
