import type { Hex } from 'viem';
import type { Querier } from '../../../database/database.ts';
import { feeCapOf } from './fees.ts';
import { encodeAppend, gasOf, type Batch } from './ledger-call.ts';
import type { Chain } from './open-chain.ts';
import { insertCall, findLastEnqueued } from './queries.ts';
import { takeNonce } from './writer-queries.ts';

/**
 * Signs the call that appends a batch and enqueues it in the outbox, in the transaction that writes the entries. The call is sent
 * only if that transaction commits. Returns the hash of the call. The writer's row stays locked until the commit, so that nonces
 * follow the order of the commits.
 */
export async function enqueueBatch(
  transaction: Querier,
  { writer, sign, feeLimit }: Pick<Chain, 'writer' | 'sign' | 'feeLimit'>,
  batch: Batch,
): Promise<Hex> {
  // Both statements are sent in one packet. The second sees all commits before the lock of the first.
  const [{ nonce, ...fees }, follows] = await Promise.all([
    takeNonce(transaction, writer.id),
    findLastEnqueued(transaction, batch.tenantId, writer),
  ]);
  const data = encodeAppend(batch, follows);
  const call = await sign({ data, gas: gasOf(batch) }, nonce, feeCapOf(fees, feeLimit));
  const index = batch.first + batch.hashes.length - 1;
  await insertCall(transaction, writer, call, { tenantId: batch.tenantId, index });
  return call.hash;
}
