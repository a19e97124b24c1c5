import { parseTransaction, type Hex } from 'viem';
import type { Querier } from '../../database/database.ts';
import { decodeAppend, type Batch } from './ledger-call.ts';
import { findSigned } from './queries.ts';

/** What the transactions of these hashes were signed to append, without asking a node. */
export async function readBatches(
  db: Querier,
  hashes: Hex[],
): Promise<Map<Hex, Pick<Batch, 'tenantId' | 'first' | 'hashes'>>> {
  const signed = await findSigned(db, [...new Set(hashes)]);
  return new Map([...signed].map(([hash, bytes]) => [hash, decodeAppend(parseTransaction(bytes).data!)]));
}
