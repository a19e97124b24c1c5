import { setImmediate } from 'node:timers/promises';
import { inChunks } from '../../../core/in-chunks.ts';
import type { Querier } from '../../../database/database.ts';
import { describeRefusal, ChainStalledError } from './contract-faults.ts';
import { raisedCap } from './fees.ts';
import { decodeAppend } from './ledger-call.ts';
import { insertAttempts, listUnmined, type WaitingCall } from './queries.ts';
import { lockNextNonce, setNextNonce } from './writer-queries.ts';
import { callOf, signAgain, type OutboxContext } from './outbox-context.ts';

/** How many calls are signed in one statement. This takes about 0.2 seconds. */
const CHUNK = 50;

/** The gas limit of the first call is at least its simulated gas times this factor. */
const GAS_MARGIN = 1.5;

/**
 * Signs all waiting calls again in order, with the nonces from `nextNonce` on. The fees are higher, because a new transaction may
 * have to replace an old one. The contract refuses duplicate entries. The first call is simulated before. If the contract would
 * refuse it, nothing is signed, and this throws {@link ChainStalledError} with the reason.
 *
 * Entries can be recorded meanwhile: only the last calls are signed under the lock of the next nonce. If the process is
 * killed in between, the nonces of the other calls do not continue, so the next sender signs all waiting calls again.
 */
export async function resignOutbox(
  context: OutboxContext,
  first: WaitingCall,
  nextNonce: number,
): Promise<void> {
  const { database, node, writer, feeLimit, logger } = context;
  const { data, gas } = callOf(first);
  const simulation = await node.simulate({ from: writer.signer, to: writer.contract, data });
  if ('refusal' in simulation)
    throw new ChainStalledError(describeRefusal(simulation.refusal, writer, decodeAppend(data)));
  const { fees } = await node.head();
  // If the first call ran out of gas, the others would too.
  const gasFactor = Math.max(1, (simulation.gas * GAS_MARGIN) / gas);

  const read = (db: Querier, last?: WaitingCall): Promise<WaitingCall[]> =>
    listUnmined(db, writer.id, { after: last?.position, limit: CHUNK });
  const sign = async (db: Querier, calls: WaitingCall[], from: number): Promise<void> => {
    const attempts = [];
    for (const [place, call] of calls.entries()) {
      const cap = raisedCap(fees, call, feeLimit) ?? call;
      attempts.push(await signAgain(context, call, { nonce: from + place, cap, gasFactor }));
      // Requests of the same process take turns with the signatures.
      await setImmediate();
    }
    if (attempts.length > 0) await insertAttempts(db, attempts);
  };

  let nonce = nextNonce;
  let last: WaitingCall | undefined;
  for (let calls = await read(database); calls.length === CHUNK; calls = await read(database, last)) {
    await sign(database, calls, nonce);
    nonce += CHUNK;
    last = calls.at(-1);
  }
  const end = await database.transaction(async (transaction) => {
    await lockNextNonce(transaction, writer.id);
    let next = nonce;
    const readNext = (before?: WaitingCall) => read(transaction, before);
    for await (const calls of inChunks(CHUNK, readNext, last)) {
      await sign(transaction, calls, next);
      next += calls.length;
    }
    await setNextNonce(transaction, writer.id, next);
    return next;
  });
  logger.warn(
    { transactions: end - nextNonce, firstNonce: nextNonce },
    'the waiting calls were signed again, because nonces were used elsewhere or calls were refused',
  );
}
