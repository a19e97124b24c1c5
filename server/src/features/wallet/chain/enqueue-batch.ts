import type { Hex } from 'viem';
import type { Querier } from '../../../database/database.ts';
import { capOf } from './fees.ts';
import { encodeAppend, gasOf, type Batch } from './ledger-call.ts';
import { insertCall, lastEnqueued, takeNonce, type Writer } from './queries.ts';
import type { Signer } from './signer.ts';

/**
 * Signs the call that appends a batch and puts it into the outbox, all in the transaction that writes the entries: it is sent
 * if they are there, and its hash is the one under which the chain will know it. The writer's row stays locked until the
 * commit, so that calls come to the chain in the order of the commits.
 */
export async function enqueueBatch(
  transaction: Querier,
  writer: Writer,
  signer: Signer,
  batch: Batch,
): Promise<Hex> {
  // Both leave in one packet. The second sees what was committed before the first got its lock.
  const [{ nonce, ...fees }, follows] = await Promise.all([
    takeNonce(transaction, writer.id),
    lastEnqueued(transaction, batch.tenantId, writer),
  ]);
  const data = encodeAppend(batch, follows);
  const call = await signer.sign({ data, gas: gasOf(data, batch) }, nonce, capOf(fees));
  const index = batch.first + batch.hashes.length - 1;
  await insertCall(transaction, writer, call, { tenantId: batch.tenantId, index });
  return call.hash;
}
