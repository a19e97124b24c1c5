import type { Hex } from 'viem';
import { columnOf } from '../../../database/column-of.ts';
import type { Querier } from '../../../database/database.ts';
import { join, sql } from '../../../database/sql.ts';
import { toMicroseconds } from '../../../core/timestamps.ts';
import type { OpenRange } from '../../../core/time-range.ts';
import { GENESIS, type Head, type LedgerEntry } from './ledger-entry.ts';
import type { Counts, WalletMatch, WalletPlayer, WalletSession } from './ledger-state.ts';

const bytea = (hash: Hex): string => `\\x${hash.slice(2)}`;

/**
 * Locks the head of a tenant's chain until the transaction ends. Adds it for the first entry. `now` is the time under the lock,
 * by PostgreSQL's clock, which all processes share.
 */
export function lockHead(db: Querier, tenantId: string): Promise<Head & Counts & { now: string }> {
  return db.one(sql`
    INSERT INTO wallet_ledgers AS head (tenant_id) VALUES (${tenantId})
    ON CONFLICT (tenant_id) DO UPDATE SET entries = head.entries
    RETURNING entries AS index, '0x' || encode(hash, 'hex') AS hash, players, sessions, matches, records,
              play_data AS "playData", clock_timestamp() AS now`);
}

export async function writeHead(
  db: Querier,
  tenantId: string,
  { index, hash }: Head,
  counts: Counts,
): Promise<void> {
  await db.run(sql`
    UPDATE wallet_ledgers
    SET entries = ${index}, hash = ${bytea(hash)}, players = ${counts.players},
        sessions = ${counts.sessions}, matches = ${counts.matches}, records = ${counts.records},
        play_data = ${counts.playData}
    WHERE tenant_id = ${tenantId}`);
}

/** Inserts entries of one tenant with their transaction hashes. */
export async function insertEntries(db: Querier, entries: LedgerEntry[], hashes: Hex[]): Promise<void> {
  const column = columnOf(entries);
  const bytes = (key: 'salt' | 'contentHash' | 'previousHash' | 'hash') => column(key).map(bytea);
  await db.run(sql`
    INSERT INTO wallet_ledger_entries (tenant_id, entry_index, recorded_at, kind, player_index, body, salt, content_hash,
                                       previous_hash, hash, transaction_hash)
    SELECT ${entries[0]!.tenantId}::uuid, entry.*
    FROM unnest(${column('index')}::bigint[], ${column('recordedAt')}::timestamptz[], ${column('kind')}::text[],
                ${column('playerIndex')}::bigint[], ${column('body')}::text[], ${bytes('salt')}::bytea[],
                ${bytes('contentHash')}::bytea[], ${bytes('previousHash')}::bytea[], ${bytes('hash')}::bytea[], ${hashes.map(bytea)}::bytea[]) AS entry`);
}

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

const entry = sql`tenant_id AS "tenantId", entry_index AS index, recorded_at AS "recordedAt", kind,
    player_index AS "playerIndex", body, '0x' || encode(salt, 'hex') AS salt, '0x' || encode(content_hash, 'hex') AS "contentHash",
    '0x' || encode(previous_hash, 'hex') AS "previousHash", '0x' || encode(hash, 'hex') AS hash,
    '0x' || encode(transaction_hash, 'hex') AS "transactionHash"`;

export interface EntryFilter {
  order: 'newest' | 'oldest';
  kind?: string | undefined;
  playerIndex?: number | undefined;
}

/** The first and the last index of entries. */
export interface IndexRange {
  first: number;
  last: number;
}

export type StoredEntry = LedgerEntry & { transactionHash: Hex };

export type Link = Pick<StoredEntry, 'index' | 'contentHash' | 'hash' | 'transactionHash'>;

/** Formats the time as it was hashed. An altered time that cannot be formatted stays as it is and does not match its hash. */
const asHashed = (stored: StoredEntry): StoredEntry => ({
  ...stored,
  recordedAt: toMicroseconds(stored.recordedAt) ?? stored.recordedAt,
});

/** The entries of a transaction, in order. */
export async function findEntries(
  db: Querier,
  tenantId: string,
  transactionHash: Hex,
): Promise<StoredEntry[]> {
  const rows = await db.rows<StoredEntry>(sql`
    WITH found AS MATERIALIZED (
      SELECT * FROM wallet_ledger_entries
      WHERE (tenant_id = ${tenantId}) IS TRUE AND transaction_hash = ${bytea(transactionHash)})
    SELECT ${entry} FROM found ORDER BY entry_index`);
  return rows.map(asHashed);
}

/** The indices from the first to the last entry that was recorded in a time range. Undefined if there is none. */
export function findIndexRange(
  db: Querier,
  tenantId: string,
  { from, to }: OpenRange,
): Promise<IndexRange | undefined> {
  return db.row(sql`
    SELECT min(entry_index) AS first, max(entry_index) AS last FROM wallet_ledger_entries
    WHERE tenant_id = ${tenantId}
      AND recorded_at >= coalesce(${from}::timestamptz, '-infinity')
      AND recorded_at < coalesce(${to}::timestamptz, 'infinity')
    HAVING count(*) > 0`);
}

/** Entries from the index `first` to `last`, optionally of one kind or about one player. */
export async function listEntries(
  db: Querier,
  tenantId: string,
  { first, last, kind, playerIndex, order }: EntryFilter & IndexRange,
  limit: number,
): Promise<StoredEntry[]> {
  const conditions = [sql`tenant_id = ${tenantId} AND entry_index BETWEEN ${first} AND ${last}`];
  if (kind !== undefined) conditions.push(sql`kind = ${kind}`);
  if (playerIndex !== undefined) conditions.push(sql`player_index = ${playerIndex}`);
  const rows = await db.rows<StoredEntry>(sql`
    SELECT ${entry} FROM wallet_ledger_entries WHERE ${join(conditions, ' AND ')}
    ORDER BY entry_index ${order === 'newest' ? sql`DESC` : sql`ASC`} LIMIT ${limit}`);
  return rows.map(asHashed);
}

/** The hashes of entries, without their contents. */
export function listLinks(db: Querier, tenantId: string, from: number, limit: number): Promise<Link[]> {
  return db.rows(sql`
    SELECT entry_index AS index, '0x' || encode(content_hash, 'hex') AS "contentHash", '0x' || encode(hash, 'hex') AS hash,
           '0x' || encode(transaction_hash, 'hex') AS "transactionHash"
    FROM wallet_ledger_entries
    WHERE tenant_id = ${tenantId} AND entry_index >= ${from} ORDER BY entry_index LIMIT ${limit}`);
}

/** The head of a chain: {@link GENESIS} if nothing was ever recorded. */
export async function readHead(db: Querier, tenantId: string): Promise<Head> {
  const head = await db.row<Head>(sql`
    SELECT entries AS index, '0x' || encode(hash, 'hex') AS hash FROM wallet_ledgers WHERE tenant_id = ${tenantId}`);
  return head ?? GENESIS;
}

/** The index of the last entry that added or scored a player. */
export async function findLastChange(db: Querier, tenantId: string, playerIndex: number): Promise<number> {
  const row = await db.row<{ index: number }>(sql`
    SELECT entry_index AS index FROM wallet_ledger_entries
    WHERE tenant_id = ${tenantId} AND player_index = ${playerIndex} AND kind IN ('player.added', 'player.scored')
    ORDER BY entry_index DESC LIMIT 1`);
  return row?.index ?? 0;
}

/** The hashes of entries, by their indices. */
export async function findEntryHashes(
  db: Querier,
  tenantId: string,
  indices: number[],
): Promise<Map<number, Hex>> {
  const rows = await db.rows<Head>(sql`
    SELECT entry_index AS index, '0x' || encode(hash, 'hex') AS hash FROM wallet_ledger_entries
    WHERE tenant_id = ${tenantId} AND entry_index = ANY(${indices}::bigint[])`);
  return new Map(rows.map(({ index, hash }) => [index, hash]));
}

/** The given entries that name no transaction of a chain. */
export async function findEntriesWithoutTransaction(
  db: Querier,
  tenantId: string,
  indices: number[],
): Promise<number[]> {
  const rows = await db.rows<{ index: number }>(sql`
    SELECT entry_index AS index FROM wallet_ledger_entries
    WHERE tenant_id = ${tenantId} AND entry_index = ANY(${indices}::bigint[]) AND transaction_hash = hash
    ORDER BY entry_index`);
  return rows.map(({ index }) => index);
}

/** The entries of a tenant that were enqueued for a chain, in order. */
export function listEnqueuedEntries(
  db: Querier,
  tenantId: string,
  after: number,
  limit: number,
): Promise<{ index: number; transactionHash: Hex }[]> {
  return db.rows(sql`
    SELECT entry_index AS index, '0x' || encode(transaction_hash, 'hex') AS "transactionHash" FROM wallet_ledger_entries
    WHERE tenant_id = ${tenantId} AND entry_index > ${after} AND transaction_hash <> hash
    ORDER BY entry_index LIMIT ${limit}`);
}
