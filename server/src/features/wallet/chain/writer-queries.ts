import type { Address } from 'viem';
import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { ChainHead, Fees } from './chain-node.ts';

/** A contract on a chain. */
export interface ContractOnChain {
  chainId: number;
  contract: Address;
}

/** A signer that writes to a contract on a chain. Its transactions have one order of nonces. */
export interface Writer extends ContractOnChain {
  id: number;
  signer: Address;
}

/** The newest writer with this signer and contract, on a chain or on any chain. */
export function findWriter(
  db: Querier,
  { signer, contract, chainId }: Pick<Writer, 'signer' | 'contract'> & { chainId?: number },
): Promise<Writer | undefined> {
  return db.row(sql`
    SELECT id, chain_id AS "chainId", contract, signer FROM chain_writers
    WHERE signer = ${signer} AND contract = ${contract} AND chain_id = coalesce(${chainId ?? null}, chain_id) AND abandoned_at IS NULL
    ORDER BY id DESC LIMIT 1`);
}

/** Inserts a writer. Returns false if it exists. */
export function insertWriter(
  db: Querier,
  { chainId, contract, signer }: Omit<Writer, 'id'>,
  nextNonce: number,
  { block, fees }: ChainHead,
): Promise<boolean> {
  return db.changes(sql`
    INSERT INTO chain_writers (chain_id, contract, signer, next_nonce, base_fee, priority_fee, head_block)
    VALUES (${chainId}, ${contract}, ${signer}, ${nextNonce}, ${fees.baseFee}, ${fees.priorityFee}, ${block.number})
    ON CONFLICT (chain_id, contract, signer) WHERE abandoned_at IS NULL DO NOTHING`);
}

/** Takes the writer's next nonce and locks its row. So nonces follow the order of the commits, without gaps. */
export function takeNonce(db: Querier, writerId: number): Promise<Fees & { nonce: number }> {
  return db.one(sql`
    UPDATE chain_writers SET next_nonce = next_nonce + 1 WHERE id = ${writerId}
    RETURNING next_nonce - 1 AS nonce, base_fee AS "baseFee", priority_fee AS "priorityFee"`);
}

/** Saves the fees and the newest block of the node. */
export async function saveHead(
  db: Querier,
  writerId: number,
  { block, fees: { baseFee, priorityFee } }: ChainHead,
): Promise<void> {
  await db.run(sql`
    UPDATE chain_writers SET base_fee = ${baseFee}, priority_fee = ${priorityFee}, head_block = ${block.number}
    WHERE id = ${writerId} AND (base_fee, priority_fee, head_block) <> (${baseFee}, ${priorityFee}, ${block.number})`);
}

/** The newest block that the sender has seen. */
export async function readHeadBlock(db: Querier, writerId: number): Promise<number> {
  const { head } = await db.one<{ head: number }>(
    sql`SELECT head_block AS head FROM chain_writers WHERE id = ${writerId}`,
  );
  return head;
}

/** Locks the writer's row and returns its next nonce. No call gets a nonce until the transaction ends. */
export async function lockNextNonce(db: Querier, writerId: number): Promise<number> {
  const { nextNonce } = await db.one<{ nextNonce: number }>(
    sql`SELECT next_nonce AS "nextNonce" FROM chain_writers WHERE id = ${writerId} FOR UPDATE`,
  );
  return nextNonce;
}

export async function setNextNonce(db: Querier, writerId: number, nonce: number): Promise<void> {
  await db.run(sql`UPDATE chain_writers SET next_nonce = ${nonce} WHERE id = ${writerId}`);
}

/** Records why no call can be sent, or null. Returns false if it was recorded before. */
export function setProblem(db: Querier, writerId: number, problem: string | null): Promise<boolean> {
  return db.changes(sql`
    UPDATE chain_writers
    SET problem = ${problem}, problem_since = CASE WHEN ${problem}::text IS NOT NULL THEN coalesce(problem_since, now()) END
    WHERE id = ${writerId} AND problem IS DISTINCT FROM ${problem}`);
}
