import type { Address, Hex } from 'viem';
import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { Block, Fees } from './chain-node.ts';
import type { SignedCall } from './signer.ts';

/** Who writes to which contract: the order of their transactions is one. */
export interface Writer {
  id: number;
  chainId: number;
  contract: Address;
  signer: Address;
}

/** A call on its way, as it was signed last. */
export interface Waiting extends Omit<SignedCall, 'signed'> {
  position: number;
  /** The how-manieth way of signing it this is. */
  number: number;
  signed: Hex;
}

/** What became of a call. */
export interface Fate {
  state: 'pending' | 'mined' | 'confirmed' | 'abandoned';
  blockNumber: number | null;
  confirmations: number;
  /** The hash under which the chain took it. */
  minedHash: Hex | null;
}

const bytes = (hex: Hex): Buffer => Buffer.from(hex.slice(2), 'hex');
const isUnmined = sql`confirmed_at IS NULL AND abandoned_at IS NULL AND block_hash IS NULL`;
const newestAttempt = sql`
  outbox.position, attempt.number, attempt.nonce, attempt.max_fee AS "maxFee", attempt.priority_fee AS "priorityFee",
  '0x' || encode(attempt.hash, 'hex') AS hash, '0x' || encode(attempt.signed, 'hex') AS signed`;

/** The writer of this signer to this contract, who has written last. */
export function findWriter(db: Querier, signer: Address, contract: Address): Promise<Writer | undefined> {
  return db.row(sql`
    SELECT id, chain_id AS "chainId", contract, signer FROM chain_writers
    WHERE signer = ${signer} AND contract = ${contract} ORDER BY id DESC LIMIT 1`);
}

/** Adds a writer, or finds the one that another process has added. */
export async function addWriter(
  db: Querier,
  writer: Omit<Writer, 'id'>,
  { nextNonce, baseFee, priorityFee, headBlock }: Fees & { nextNonce: number; headBlock: number },
): Promise<Writer> {
  const { chainId, contract, signer } = writer;
  const row = await db.row<{ id: number }>(sql`
    INSERT INTO chain_writers (chain_id, contract, signer, next_nonce, base_fee, priority_fee, head_block)
    VALUES (${chainId}, ${contract}, ${signer}, ${nextNonce}, ${baseFee}, ${priorityFee}, ${headBlock})
    ON CONFLICT (chain_id, contract, signer) DO UPDATE SET signer = excluded.signer
    RETURNING id`);
  return { ...writer, id: row!.id };
}

/** How many calls wait that other writers have signed, or any. */
export function countWaiting(db: Querier, except: Writer | undefined): Promise<number> {
  return db.count(sql`
    SELECT count(*) FROM chain_outbox
    WHERE confirmed_at IS NULL AND abandoned_at IS NULL AND writer_id IS DISTINCT FROM ${except?.id ?? null}`);
}

/** Takes the writer's next nonce, and keeps its row locked: nonces are in the order of the commits, without gaps. */
export async function takeNonce(db: Querier, writerId: number): Promise<Fees & { nonce: number }> {
  const row = await db.row<Fees & { nonce: number }>(sql`
    UPDATE chain_writers SET next_nonce = next_nonce + 1 WHERE id = ${writerId}
    RETURNING next_nonce - 1 AS nonce, base_fee AS "baseFee", priority_fee AS "priorityFee"`);
  return row!;
}

/** The newest entry of a tenant that was handed to a contract; 0 where there is none. */
export async function lastEnqueued(
  db: Querier,
  tenantId: string,
  { chainId, contract }: Omit<Writer, 'id' | 'signer'>,
): Promise<number> {
  const row = await db.row<{ index: number }>(sql`
    SELECT entry_index AS index FROM chain_heads
    WHERE tenant_id = ${tenantId} AND chain_id = ${chainId} AND contract = ${contract}`);
  return row?.index ?? 0;
}

/** Puts a signed call into the outbox, and moves the tenant's head to the last entry that it appends. */
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

/** Notes what the node says of fees and blocks. */
export async function noteHead(
  db: Querier,
  writerId: number,
  { baseFee, priorityFee, headBlock }: Fees & { headBlock: number },
): Promise<void> {
  await db.run(sql`
    UPDATE chain_writers SET base_fee = ${baseFee}, priority_fee = ${priorityFee}, head_block = ${headBlock}
    WHERE id = ${writerId} AND (base_fee, priority_fee, head_block) <> (${baseFee}, ${priorityFee}, ${headBlock})`);
}

/** The newest block that the sender has seen. */
export async function readHeadBlock(db: Querier, writerId: number): Promise<number> {
  const row = await db.row<{ head: number }>(
    sql`SELECT head_block AS head FROM chain_writers WHERE id = ${writerId}`,
  );
  return row!.head;
}

/** The writer's next nonce, with its row locked: no call gets a nonce until the transaction ends. */
export async function lockNextNonce(db: Querier, writerId: number): Promise<number> {
  const row = await db.row<{ nextNonce: number }>(
    sql`SELECT next_nonce AS "nextNonce" FROM chain_writers WHERE id = ${writerId} FOR UPDATE`,
  );
  return row!.nextNonce;
}

export async function setNextNonce(db: Querier, writerId: number, nonce: number): Promise<void> {
  await db.run(sql`UPDATE chain_writers SET next_nonce = ${nonce} WHERE id = ${writerId}`);
}

/** The calls that are in no block yet, in their order, from a position on. */
export function listUnmined(
  db: Querier,
  writerId: number,
  { after = 0, limit }: { after?: number; limit: number },
): Promise<Waiting[]> {
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

/** Every way in which calls were signed whose nonce is taken, the newest first. */
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

/** Adds another way of signing a call. */
export async function insertAttempts(
  db: Querier,
  attempts: (SignedCall & { position: number; number: number })[],
): Promise<void> {
  await db.run(sql`
    WITH attempt AS (
      INSERT INTO chain_attempts (position, number, nonce, max_fee, priority_fee, hash, signed)
      SELECT * FROM unnest(${attempts.map(({ position }) => position)}::bigint[], ${attempts.map(({ number }) => number)}::int[],
        ${attempts.map(({ nonce }) => nonce)}::bigint[], ${attempts.map(({ maxFee }) => maxFee)}::bigint[],
        ${attempts.map(({ priorityFee }) => priorityFee)}::bigint[], ${attempts.map(({ hash }) => bytes(hash))}::bytea[],
        ${attempts.map(({ signed }) => bytes(signed))}::bytea[])
      RETURNING position, nonce
    )
    UPDATE chain_outbox SET nonce = attempt.nonce FROM attempt WHERE chain_outbox.position = attempt.position`);
}

/** Notes the block that took a call, and as what. */
export async function setMined(db: Querier, position: number, hash: Hex, block: Block): Promise<void> {
  await db.run(sql`
    UPDATE chain_outbox SET mined_hash = attempt.hash, nonce = attempt.nonce,
      block_number = ${block.number}, block_hash = ${bytes(block.hash)}
    FROM chain_attempts attempt
    WHERE chain_outbox.position = ${position} AND attempt.hash = ${bytes(hash)}`);
}

/** The blocks that hold calls which are not yet confirmed. */
export function listOpenBlocks(db: Querier, writerId: number): Promise<Block[]> {
  return db.rows(sql`
    SELECT DISTINCT block_number AS number, '0x' || encode(block_hash, 'hex') AS hash FROM chain_outbox
    WHERE writer_id = ${writerId} AND confirmed_at IS NULL AND abandoned_at IS NULL AND block_hash IS NOT NULL`);
}

export function confirmBlocks(db: Querier, writerId: number, hashes: Hex[]): Promise<number> {
  return db.run(sql`
    UPDATE chain_outbox SET confirmed_at = now()
    WHERE writer_id = ${writerId} AND confirmed_at IS NULL AND abandoned_at IS NULL
      AND block_hash = ANY(${hashes.map(bytes)}::bytea[])`);
}

/** What stood in blocks that the chain has dropped waits again. */
export function unmineBlocks(db: Querier, writerId: number, hashes: Hex[]): Promise<number> {
  return db.run(sql`
    UPDATE chain_outbox SET mined_hash = NULL, block_number = NULL, block_hash = NULL
    WHERE writer_id = ${writerId} AND confirmed_at IS NULL AND abandoned_at IS NULL
      AND block_hash = ANY(${hashes.map(bytes)}::bytea[])`);
}

/** Whether a call was taken for confirmed whose nonce the chain has not seen. */
export async function hasConfirmedFrom(db: Querier, writerId: number, nonce: number): Promise<boolean> {
  const row = await db.row<{ found: boolean }>(sql`
    SELECT EXISTS (SELECT FROM chain_outbox
                   WHERE writer_id = ${writerId} AND nonce >= ${nonce} AND confirmed_at IS NOT NULL) AS found`);
  return row!.found;
}

/** What was confirmed, and is on the chain no more, waits again. */
export function unconfirmFrom(db: Querier, writerId: number, nonce: number): Promise<number> {
  return db.run(sql`
    UPDATE chain_outbox SET confirmed_at = NULL, mined_hash = NULL, block_number = NULL, block_hash = NULL
    WHERE writer_id = ${writerId} AND nonce >= ${nonce} AND confirmed_at IS NOT NULL`);
}

/** Notes why nothing is sent, or that all is well. Returns how many rows changed: 0 where it was known. */
export function setProblem(db: Querier, writerId: number, problem: string | null): Promise<number> {
  return db.run(sql`
    UPDATE chain_writers
    SET problem = ${problem}, problem_since = CASE WHEN ${problem}::text IS NOT NULL THEN coalesce(problem_since, now()) END
    WHERE id = ${writerId} AND problem IS DISTINCT FROM ${problem}`);
}

/** What became of the call that any of its hashes names. */
export function findFate(db: Querier, hash: Hex): Promise<Fate | undefined> {
  return db.row(sql`
    SELECT CASE WHEN abandoned_at IS NOT NULL THEN 'abandoned' WHEN confirmed_at IS NOT NULL THEN 'confirmed'
                WHEN block_hash IS NOT NULL THEN 'mined' ELSE 'pending' END AS state,
           block_number AS "blockNumber", CASE WHEN block_number IS NULL THEN 0 ELSE greatest(head_block - block_number + 1, 1) END AS confirmations,
           '0x' || encode(mined_hash, 'hex') AS "minedHash"
    FROM chain_attempts JOIN chain_outbox USING (position) JOIN chain_writers ON chain_writers.id = writer_id
    WHERE hash = ${bytes(hash)}`);
}

/** The time by the clock that `confirmed_at` is written by. */
export async function readClock(db: Querier): Promise<string> {
  const row = await db.row<{ now: string }>(sql`SELECT now() AS now`);
  return row!.now;
}

/** Those of these hashes that name calls of a writer which were final at a time. */
export async function confirmedAmong(
  db: Querier,
  writerId: number,
  hashes: Hex[],
  at: string,
): Promise<Set<Hex>> {
  const rows = await db.rows<{ hash: Hex }>(sql`
    SELECT '0x' || encode(hash, 'hex') AS hash FROM chain_attempts JOIN chain_outbox USING (position)
    WHERE hash = ANY(${hashes.map(bytes)}::bytea[]) AND writer_id = ${writerId} AND confirmed_at <= ${at}`);
  return new Set(rows.map(({ hash }) => hash));
}

/** A call as it was signed first, which is the way whose hash was answered. */
export interface AnsweredCall {
  position: number;
  hash: Hex;
  signed: Hex;
}

const answeredCall = sql`
  SELECT position, '0x' || encode(hash, 'hex') AS hash, '0x' || encode(signed, 'hex') AS signed
  FROM chain_attempts WHERE number = 1`;

/** The calls for which these hashes were answered. */
export function findAnswered(db: Querier, hashes: Hex[]): Promise<AnsweredCall[]> {
  return db.rows(sql`${answeredCall} AND hash = ANY(${hashes.map(bytes)}::bytea[])`);
}

/** All calls in their order, after a position. */
export function listAnswered(db: Querier, after: number, limit: number): Promise<AnsweredCall[]> {
  return db.rows(sql`${answeredCall} AND position > ${after} ORDER BY position LIMIT ${limit}`);
}

/** The hash that was answered for a call, whichever of its hashes is given. */
export async function findFirstHash(db: Querier, hash: Hex): Promise<Hex | undefined> {
  const row = await db.row<{ hash: Hex }>(sql`
    SELECT '0x' || encode(first.hash, 'hex') AS hash
    FROM chain_attempts given JOIN chain_attempts first ON first.position = given.position AND first.number = 1
    WHERE given.hash = ${bytes(hash)}`);
  return row?.hash;
}

/** Gives up every call that waits. */
export function abandonWaiting(db: Querier): Promise<number> {
  return db.run(sql`
    UPDATE chain_outbox SET abandoned_at = now() WHERE confirmed_at IS NULL AND abandoned_at IS NULL`);
}

/** How things stand with a writer. */
export interface Standing extends Fees {
  nextNonce: number;
  waiting: number;
  mined: number;
  oldestSeconds: number;
  problem: string | null;
  problemSince: string | null;
}

export async function readStanding(db: Querier, writerId: number): Promise<Standing> {
  const row = await db.row<Standing>(sql`
    SELECT next_nonce AS "nextNonce", base_fee AS "baseFee", priority_fee AS "priorityFee", problem,
           problem_since AS "problemSince", calls.*
    FROM chain_writers CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE block_hash IS NULL) AS waiting, count(*) FILTER (WHERE block_hash IS NOT NULL) AS mined,
             coalesce(extract(epoch FROM now() - min(created_at) FILTER (WHERE block_hash IS NULL)), 0)::float8 AS "oldestSeconds"
      FROM chain_outbox
      WHERE writer_id = chain_writers.id AND confirmed_at IS NULL AND abandoned_at IS NULL) calls
    WHERE id = ${writerId}`);
  return row!;
}

/** How many calls are final, and the first block that holds one. */
export async function readConfirmed(
  db: Querier,
  writerId: number,
): Promise<{ count: number; firstBlock: number | null }> {
  const row = await db.row<{ count: number; firstBlock: number | null }>(sql`
    SELECT count(*), min(block_number) AS "firstBlock" FROM chain_outbox
    WHERE writer_id = ${writerId} AND confirmed_at IS NOT NULL`);
  return row!;
}
