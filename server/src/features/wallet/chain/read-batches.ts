import { keccak256, parseTransaction, type Hex } from 'viem';
import type { Querier } from '../../../database/database.ts';
import { decodeAppend, type Batch } from './ledger-call.ts';
import { findAnswered, listAnswered, type AnsweredCall } from './queries.ts';

/** What a transaction was signed to append. */
export type SignedBatch = Pick<Batch, 'tenantId' | 'first' | 'hashes'>;

const CHUNK = 1_000;

/** What the transactions of these hashes were signed to append, without asking a node. */
export async function readBatches(db: Querier, hashes: Hex[]): Promise<Map<Hex, SignedBatch>> {
  return decode(await findAnswered(db, [...new Set(hashes)]));
}

/** What was ever signed to be appended, in portions. */
export async function* listBatches(db: Querier): AsyncGenerator<SignedBatch[]> {
  for (let after = 0; ;) {
    const calls = await listAnswered(db, after, CHUNK);
    yield [...decode(calls).values()];
    if (calls.length < CHUNK) return;
    after = calls.at(-1)!.position;
  }
}

/** Bytes that are not those which were signed say nothing. */
function decode(calls: AnsweredCall[]): Map<Hex, SignedBatch> {
  return new Map(
    calls
      .filter(({ hash, signed }) => keccak256(signed) === hash)
      .map(({ hash, signed }) => [hash, decodeAppend(parseTransaction(signed).data!)]),
  );
}
