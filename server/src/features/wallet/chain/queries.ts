import type { Hex } from 'viem';
import { columnOf } from '../../../database/column-of.ts';
import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { Block, Fees } from './chain-node.ts';
import type { SignedCall } from './signer.ts';
import type { ContractOnChain, Writer } from './writer-queries.ts';

/** A call that is not in a block, with its newest signature. */
export interface WaitingCall extends SignedCall {
  position: number;
  /** How often the call was signed, including this time. */
  number: number;
}

/** The status of a call on the chain. */
export interface TransactionStatus {
  state: 'pending' | 'mined' | 'confirmed' | 'abandoned';
  blockNumber: number | null;
  confirmations: number;
  /** The hash of the transaction in the block. */
  minedHash: Hex | null;
}

const bytes = (hex: Hex): Buffer => Buffer.from(hex.slice(2), 'hex');
/** Neither final nor abandoned. */
const isOpen = sql`confirmed_at IS NULL AND abandoned_at IS NULL`;
const isUnmined = sql`${isOpen} AND block_hash IS NULL`;
const isMined = sql`block_hash IS NOT NULL AND abandoned_at IS NULL`;
const newestAttempt = sql`
  outbox.position, attempt.number, attempt.nonce, attempt.max_fee AS "maxFee", attempt.priority_fee AS "priorityFee",
  '0x' || encode(attempt.hash, 'hex') AS hash, '0x' || encode(attempt.signed, 'hex') AS signed`;

/** Counts the calls that are neither final nor abandoned, except those of one writer if it is given. */
export function countOpen(db: Querier, except?: Writer): Promise<number> {
  return db.count(sql`
    SELECT count(*) FROM chain_outbox
    WHERE ${isOpen} AND writer_id IS DISTINCT FROM ${except?.id ?? null}`);
}

/** The newest entry of a tenant that was enqueued for a contract. 0 if there is none. */
export async function findLastEnqueued(
  db: Querier,
  tenantId: string,
  { chainId, contract }: ContractOnChain,
): Promise<number> {
  const row = await db.row<{ index: number }>(sql`
    SELECT entry_index AS index FROM chain_heads
    WHERE tenant_id = ${tenantId} AND chain_id = ${chainId} AND contract = ${contract}`);
  return row?.index ?? 0;
}

/** Moves the head of a tenant back to an entry if it is a later one. */
export async function lowerHead(
  db: Querier,
  tenantId: string,
  { chainId, contract }: ContractOnChain,
  index: number,
): Promise<void> {
  await db.run(sql`
    UPDATE chain_heads SET entry_index = ${index}
    WHERE tenant_id = ${tenantId} AND chain_id = ${chainId} AND contract = ${contract} AND entry_index > ${index}`);
}

/** Inserts a signed call into the outbox, and moves the tenant's head to the last entry of the call. */
export async function insertCall(
  db: Querier,
  { id, chainId, contract }: Writer,
  call: SignedCall,
  head: { tenantId: string; index: number },
): Promise<void> {
  await db.run(sql`
    WITH head AS (
      INSERT INTO chain_heads (tenant_id, chain_id, contract, entry_index)
      VALUES (${head.tenantId}, ${chainId}, ${contract}, ${head.index})
      ON CONFLICT (tenant_id, chain_id, contract) DO UPDATE SET entry_index = excluded.entry_index
    ), call AS (
      INSERT INTO chain_outbox (writer_id, nonce) VALUES (${id}, ${call.nonce}) RETURNING position
    )
    INSERT INTO chain_attempts (hash, position, number, nonce, max_fee, priority_fee, signed)
    SELECT ${bytes(call.hash)}, position, 1, ${call.nonce}, ${call.maxFee}, ${call.priorityFee}, ${bytes(call.signed)}
    FROM call`);
}

/** The calls that are not in a block, in order, after a position. */
export function listUnmined(
  db: Querier,
  writerId: number,
  { after = 0, limit }: { after?: number; limit: number },
): Promise<WaitingCall[]> {
  return db.rows(sql`
    SELECT ${newestAttempt}
    FROM (SELECT position FROM chain_outbox
          WHERE writer_id = ${writerId} AND ${isUnmined} AND position > ${after} ORDER BY position LIMIT ${limit}) outbox
    CROSS JOIN LATERAL (SELECT * FROM chain_attempts WHERE position = outbox.position ORDER BY number DESC LIMIT 1) attempt
    ORDER BY outbox.position`);
}

export function countUnmined(db: Querier, writerId: number): Promise<number> {
  return db.count(sql`SELECT count(*) FROM chain_outbox WHERE writer_id = ${writerId} AND ${isUnmined}`);
}

/** All signed attempts of these calls whose nonce is used on the chain, newest first for each call. */
export function listTakenAttempts(
  db: Querier,
  positions: number[],
  nonceBelow: number,
): Promise<{ position: number; hash: Hex }[]> {
  return db.rows(sql`
    SELECT position, '0x' || encode(hash, 'hex') AS hash FROM chain_attempts
    WHERE position = ANY(${positions}::bigint[]) AND nonce < ${nonceBelow}
    ORDER BY position, number DESC`);
}

/** Inserts new signed attempts of calls, and sets the nonces of the calls. */
export async function insertAttempts(db: Querier, attempts: WaitingCall[]): Promise<void> {
  const column = columnOf(attempts);
  await db.run(sql`
    WITH attempt AS (
      INSERT INTO chain_attempts (position, number, nonce, max_fee, priority_fee, hash, signed)
      SELECT * FROM unnest(${column('position')}::bigint[], ${column('number')}::int[],
        ${column('nonce')}::bigint[], ${column('maxFee')}::bigint[],
        ${column('priorityFee')}::bigint[], ${column('hash').map(bytes)}::bytea[],
        ${column('signed').map(bytes)}::bytea[])
      RETURNING position, nonce
    )
    UPDATE chain_outbox SET nonce = attempt.nonce FROM attempt WHERE chain_outbox.position = attempt.position`);
}

/** Records the block of a call, and the attempt that is in the block. */
export async function setMined(db: Querier, position: number, hash: Hex, block: Block): Promise<void> {
  await db.run(sql`
    UPDATE chain_outbox SET mined_hash = attempt.hash, nonce = attempt.nonce,
      block_number = ${block.number}, block_hash = ${bytes(block.hash)}
    FROM chain_attempts attempt
    WHERE chain_outbox.position = ${position} AND attempt.hash = ${bytes(hash)}`);
}

/** The blocks with calls that are not confirmed yet. */
export function listOpenBlocks(db: Querier, writerId: number): Promise<Block[]> {
  return db.rows(sql`
    SELECT DISTINCT block_number AS number, '0x' || encode(block_hash, 'hex') AS hash FROM chain_outbox
    WHERE writer_id = ${writerId} AND ${isOpen} AND block_hash IS NOT NULL`);
}

export function confirmBlocks(db: Querier, writerId: number, hashes: Hex[]): Promise<number> {
  return db.run(sql`
    UPDATE chain_outbox SET confirmed_at = now()
    WHERE writer_id = ${writerId} AND ${isOpen}
      AND block_hash = ANY(${hashes.map(bytes)}::bytea[])`);
}

/** Sets the calls of dropped blocks back to waiting. Returns their number. */
export function unmineBlocks(db: Querier, writerId: number, hashes: Hex[]): Promise<number> {
  return db.run(sql`
    UPDATE chain_outbox SET mined_hash = NULL, block_number = NULL, block_hash = NULL
    WHERE writer_id = ${writerId} AND ${isOpen}
      AND block_hash = ANY(${hashes.map(bytes)}::bytea[])`);
}

/** Whether a call that was in a block has a nonce that the chain has not used. */
export function hasMinedFrom(db: Querier, writerId: number, nonce: number): Promise<boolean> {
  return db.exists(
    sql`SELECT FROM chain_outbox WHERE writer_id = ${writerId} AND nonce >= ${nonce} AND ${isMined} LIMIT 1`,
  );
}

/** Sets calls that the chain has lost back to waiting. Returns their number. */
export function unmineFrom(db: Querier, writerId: number, nonce: number): Promise<number> {
  return db.run(sql`
    UPDATE chain_outbox SET confirmed_at = NULL, mined_hash = NULL, block_number = NULL, block_hash = NULL
    WHERE writer_id = ${writerId} AND nonce >= ${nonce} AND ${isMined}`);
}

/** The status of a call, by any hash that it was signed with. */
export function findTransactionStatus(db: Querier, hash: Hex): Promise<TransactionStatus | undefined> {
  return db.row(sql`
    SELECT CASE WHEN chain_outbox.abandoned_at IS NOT NULL THEN 'abandoned' WHEN confirmed_at IS NOT NULL THEN 'confirmed'
                WHEN block_hash IS NOT NULL THEN 'mined' ELSE 'pending' END AS state,
           block_number AS "blockNumber", CASE WHEN block_number IS NULL THEN 0 ELSE greatest(head_block - block_number + 1, 1) END AS confirmations,
           '0x' || encode(mined_hash, 'hex') AS "minedHash"
    FROM chain_attempts JOIN chain_outbox USING (position) JOIN chain_writers ON chain_writers.id = writer_id
    WHERE hash = ${bytes(hash)}`);
}

/** The time of PostgreSQL's clock, which also sets `confirmed_at`. */
export async function readClock(db: Querier): Promise<string> {
  const { now } = await db.one<{ now: string }>(sql`SELECT now() AS now`);
  return now;
}

/** All signers that have written to a contract. */
const writersOf = ({ chainId, contract }: ContractOnChain) =>
  sql`SELECT id FROM chain_writers WHERE chain_id = ${chainId} AND contract = ${contract}`;

/** The given hashes whose calls of a contract were final at a time. */
export async function filterConfirmed(
  db: Querier,
  writer: Writer,
  hashes: Hex[],
  at: string,
): Promise<Set<Hex>> {
  const rows = await db.rows<{ hash: Hex }>(sql`
    SELECT '0x' || encode(hash, 'hex') AS hash FROM chain_attempts JOIN chain_outbox USING (position)
    WHERE hash = ANY(${hashes.map(bytes)}::bytea[]) AND writer_id IN (${writersOf(writer)}) AND confirmed_at <= ${at}
      AND abandoned_at IS NULL`);
  return new Set(rows.map(({ hash }) => hash));
}

/** A call with its first signature. Its hash is the one that the ledger entries contain. */
export interface FirstAttempt {
  position: number;
  hash: Hex;
  signed: Hex;
}

const firstAttempt = sql`
  SELECT position, '0x' || encode(hash, 'hex') AS hash, '0x' || encode(signed, 'hex') AS signed
  FROM chain_attempts WHERE number = 1`;

/** The calls whose first hash is one of these. */
export function findFirstAttempts(db: Querier, hashes: Hex[]): Promise<FirstAttempt[]> {
  return db.rows(sql`${firstAttempt} AND hash = ANY(${hashes.map(bytes)}::bytea[])`);
}

/** All calls in order, after a position. */
export function listFirstAttempts(db: Querier, after: number, limit: number): Promise<FirstAttempt[]> {
  return db.rows(sql`${firstAttempt} AND position > ${after} ORDER BY position LIMIT ${limit}`);
}

/** The first hash of a call, by any hash that it was signed with. */
export async function findFirstHash(db: Querier, hash: Hex): Promise<Hex | undefined> {
  const row = await db.row<{ hash: Hex }>(sql`
    SELECT '0x' || encode(first.hash, 'hex') AS hash
    FROM chain_attempts given JOIN chain_attempts first ON first.position = given.position AND first.number = 1
    WHERE given.hash = ${bytes(hash)}`);
  return row?.hash;
}

/** Marks all waiting calls and their writers as abandoned. Returns the number of calls. */
export function markAbandoned(db: Querier): Promise<number> {
  return db.count(sql`
    WITH call AS (
      UPDATE chain_outbox SET abandoned_at = now() WHERE ${isOpen} RETURNING writer_id
    ), writer AS (
      UPDATE chain_writers SET abandoned_at = now() WHERE id IN (SELECT writer_id FROM call)
    )
    SELECT count(*) FROM call`);
}

/** Marks all final calls of a contract as abandoned, if a writer of it was abandoned. */
export async function abandonConfirmed(db: Querier, contract: ContractOnChain): Promise<void> {
  await db.run(sql`
    UPDATE chain_outbox SET abandoned_at = now()
    WHERE writer_id IN (${writersOf(contract)}) AND confirmed_at IS NOT NULL AND abandoned_at IS NULL
      AND EXISTS (${writersOf(contract)} AND abandoned_at IS NOT NULL)`);
}

/** The status of a writer and its calls. */
export interface WriterStatus extends Fees {
  nextNonce: number;
  waiting: number;
  mined: number;
  oldestSeconds: number;
  problem: string | null;
  problemSince: string | null;
}

export function readWriterStatus(db: Querier, writerId: number): Promise<WriterStatus> {
  return db.one(sql`
    SELECT next_nonce AS "nextNonce", base_fee AS "baseFee", priority_fee AS "priorityFee", problem,
           problem_since AS "problemSince", calls.*
    FROM chain_writers CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE block_hash IS NULL) AS waiting, count(*) FILTER (WHERE block_hash IS NOT NULL) AS mined,
             coalesce(extract(epoch FROM now() - min(created_at) FILTER (WHERE block_hash IS NULL)), 0)::float8 AS "oldestSeconds"
      FROM chain_outbox
      WHERE writer_id = chain_writers.id AND ${isOpen}) calls
    WHERE id = ${writerId}`);
}

const confirmedBy = (writer: Writer) =>
  sql`FROM chain_outbox WHERE writer_id IN (${writersOf(writer)}) AND confirmed_at IS NOT NULL AND abandoned_at IS NULL`;

/** The number of final calls of a contract, and the first and last block with one. */
export function readConfirmed(
  db: Querier,
  writer: Writer,
): Promise<{ count: number; firstBlock: number | null; lastBlock: number | null }> {
  return db.one(sql`
    SELECT count(*), min(block_number) AS "firstBlock", max(block_number) AS "lastBlock" ${confirmedBy(writer)}`);
}

/** The last block with a final call of a contract, up to a number. */
export function findConfirmedBlock(db: Querier, writer: Writer, upTo: number): Promise<Block | undefined> {
  return db.row(sql`
    SELECT block_number AS number, '0x' || encode(block_hash, 'hex') AS hash ${confirmedBy(writer)}
      AND block_number <= ${upTo}
    ORDER BY block_number DESC LIMIT 1`);
}
