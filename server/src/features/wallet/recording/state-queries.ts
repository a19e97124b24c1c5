import { columnOf } from '../../../database/column-of.ts';
import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { WalletMatch, WalletPlayer, WalletSession } from './ledger-state.ts';

const player = sql`player_index AS "playerIndex", player_id AS "playerId", address, player_type AS "playerType",
    is_verified AS "isVerified", score::text AS score`;

type StoredPlayer = Omit<WalletPlayer, 'score'> & { score: string };

const withScore = (stored: StoredPlayer): WalletPlayer => ({ ...stored, score: BigInt(stored.score) });

/** The players with any of these indices, playerIds or addresses. */
export async function findPlayers(
  db: Querier,
  tenantId: string,
  {
    playerIndexes = [],
    playerIds = [],
    addresses = [],
  }: { playerIndexes?: number[]; playerIds?: string[]; addresses?: string[] },
): Promise<WalletPlayer[]> {
  // A union, because no index serves an OR of three columns as well.
  const rows = await db.rows<StoredPlayer>(sql`
    SELECT found.* FROM unnest(${playerIndexes}::bigint[]) wanted (key) CROSS JOIN LATERAL (
      SELECT ${player} FROM wallet_players WHERE tenant_id = ${tenantId} AND player_index = wanted.key OFFSET 0) found
    UNION SELECT found.* FROM unnest(${playerIds}::text[]) wanted (key) CROSS JOIN LATERAL (
      SELECT ${player} FROM wallet_players WHERE (tenant_id = ${tenantId}) IS TRUE AND player_id = wanted.key OFFSET 0) found
    UNION SELECT found.* FROM unnest(${addresses}::text[]) wanted (key) CROSS JOIN LATERAL (
      SELECT ${player} FROM wallet_players WHERE (tenant_id = ${tenantId}) IS TRUE AND address = wanted.key OFFSET 0) found`);
  return rows.map(withScore);
}

export async function findSessions(db: Querier, tenantId: string, ids: number[]): Promise<WalletSession[]> {
  if (ids.length === 0) return [];
  return db.rows(sql`
    SELECT session_id AS "sessionId", player_index AS "playerIndex", start_time AS "startTime", end_time AS "endTime"
    FROM unnest(${ids}::bigint[]) wanted (id)
    CROSS JOIN LATERAL (
      SELECT * FROM wallet_sessions WHERE tenant_id = ${tenantId} AND session_id = wanted.id OFFSET 0) session`);
}

export async function findMatches(db: Querier, tenantId: string, ids: number[]): Promise<WalletMatch[]> {
  if (ids.length === 0) return [];
  return db.rows(sql`
    SELECT match_session_id AS "matchSessionId", player_index AS "playerIndex", play_data_id AS "playDataId",
           is_ended AS "isEnded"
    FROM unnest(${ids}::bigint[]) wanted (id)
    CROSS JOIN LATERAL (
      SELECT * FROM wallet_matches WHERE tenant_id = ${tenantId} AND match_session_id = wanted.id OFFSET 0) match`);
}

export async function writePlayers(db: Querier, tenantId: string, players: WalletPlayer[]): Promise<void> {
  if (players.length === 0) return;
  const column = columnOf(players);
  await db.run(sql`
    INSERT INTO wallet_players (tenant_id, player_index, player_id, address, player_type, is_verified, score)
    SELECT ${tenantId}::uuid, player.*
    FROM unnest(${column('playerIndex')}::bigint[], ${column('playerId')}::text[], ${column('address')}::text[],
                ${column('playerType')}::integer[], ${column('isVerified')}::boolean[],
                ${column('score').map(String)}::bigint[]) AS player
    ON CONFLICT (tenant_id, player_index) DO UPDATE SET is_verified = excluded.is_verified, score = excluded.score`);
}

export async function writeSessions(db: Querier, tenantId: string, sessions: WalletSession[]): Promise<void> {
  if (sessions.length === 0) return;
  const column = columnOf(sessions);
  await db.run(sql`
    INSERT INTO wallet_sessions (tenant_id, session_id, player_index, start_time, end_time)
    SELECT ${tenantId}::uuid, session.*
    FROM unnest(${column('sessionId')}::bigint[], ${column('playerIndex')}::bigint[], ${column('startTime')}::bigint[],
                ${column('endTime')}::bigint[]) AS session
    ON CONFLICT (tenant_id, session_id) DO UPDATE SET end_time = excluded.end_time`);
}

export async function writeMatches(db: Querier, tenantId: string, matches: WalletMatch[]): Promise<void> {
  if (matches.length === 0) return;
  const column = columnOf(matches);
  await db.run(sql`
    INSERT INTO wallet_matches (tenant_id, match_session_id, player_index, play_data_id, is_ended)
    SELECT ${tenantId}::uuid, match.*
    FROM unnest(${column('matchSessionId')}::bigint[], ${column('playerIndex')}::bigint[],
                ${column('playDataId')}::bigint[], ${column('isEnded')}::boolean[]) AS match
    ON CONFLICT (tenant_id, match_session_id) DO UPDATE SET
      play_data_id = excluded.play_data_id, is_ended = excluded.is_ended`);
}

export async function writePasswords(
  db: Querier,
  tenantId: string,
  added: Map<number, string>,
  dropped: number[],
): Promise<void> {
  if (dropped.length > 0)
    await db.run(sql`
      DELETE FROM wallet_passwords WHERE tenant_id = ${tenantId} AND player_index = ANY(${dropped}::bigint[])`);
  if (added.size > 0)
    await db.run(sql`
      INSERT INTO wallet_passwords (tenant_id, player_index, password_hash)
      SELECT ${tenantId}::uuid, password.*
      FROM unnest(${[...added.keys()]}::bigint[], ${[...added.values()]}::text[]) AS password`);
}

export async function findPlayerByAddress(
  db: Querier,
  tenantId: string,
  address: string,
): Promise<WalletPlayer | undefined> {
  const row = await db.row<StoredPlayer>(sql`
    SELECT ${player} FROM wallet_players WHERE tenant_id = ${tenantId} AND address = ${address}`);
  return row && withScore(row);
}

/** The player with a playerId, and the password hash if the player has a password. */
export async function findPlayerById(
  db: Querier,
  tenantId: string,
  playerId: string,
): Promise<(WalletPlayer & { passwordHash: string | null }) | undefined> {
  const row = await db.row<StoredPlayer & { passwordHash: string | null }>(sql`
    SELECT ${player}, (SELECT password_hash FROM wallet_passwords password
                       WHERE password.tenant_id = ${tenantId} AND password.player_index = wallet_players.player_index) AS "passwordHash"
    FROM wallet_players WHERE tenant_id = ${tenantId} AND player_id = ${playerId}`);
  return row && { ...withScore(row), passwordHash: row.passwordHash };
}
