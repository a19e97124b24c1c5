import type { Hex } from 'viem';
import { columnOf } from '../../../database/column-of.ts';
import type { Querier } from '../../../database/database.ts';
import { join, sql } from '../../../database/sql.ts';
import { toMicroseconds } from '../../../core/timestamps.ts';
import type { OpenRange } from '../../../core/time-range.ts';
import { GENESIS, type Head, type LedgerEntry } from './ledger-entry.ts';
import type { Counts } from './ledger-state.ts';

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
