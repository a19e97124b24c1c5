import { keccak256, parseTransaction, type Hex } from 'viem';
import { inChunks } from '../../../core/in-chunks.ts';
import type { Querier } from '../../../database/database.ts';
import { decodeAppend, type Batch } from './ledger-call.ts';
import { findFirstAttempts, listFirstAttempts, type FirstAttempt } from './queries.ts';

/** The entries that a signed call appends. */
type SignedBatch = Pick<Batch, 'tenantId' | 'first' | 'hashes'>;

const CHUNK = 1_000;

/** Reads the entries that the calls with these hashes append, from the outbox. */
export async function readBatches(db: Querier, hashes: Hex[]): Promise<Map<Hex, SignedBatch>> {
  return decode(await findFirstAttempts(db, [...new Set(hashes)]));
}

/** Reads the entries of all signed calls, in portions. */
export async function* listBatches(db: Querier): AsyncGenerator<SignedBatch[]> {
  const read = (last?: FirstAttempt) => listFirstAttempts(db, last?.position ?? 0, CHUNK);
  for await (const calls of inChunks(CHUNK, read)) yield [...decode(calls).values()];
}

/** Ignores calls whose stored bytes do not match their hash, or append nothing: somebody has altered them. */
function decode(calls: FirstAttempt[]): Map<Hex, SignedBatch> {
  return new Map(
    calls.flatMap(({ hash, signed }): [Hex, SignedBatch][] => {
      if (keccak256(signed) !== hash) return [];
      try {
        return [[hash, decodeAppend(parseTransaction(signed).data!)]];
      } catch {
        return [];
      }
    }),
  );
}
