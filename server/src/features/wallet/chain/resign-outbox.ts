import { inChunks } from '../../../core/in-chunks.ts';
import { describeRefusal, ChainStalledError } from './contract-faults.ts';
import { raisedCap } from './fees.ts';
import { decodeAppend } from './ledger-call.ts';
import { insertAttempts, listUnmined, type WaitingCall } from './queries.ts';
import { lockNextNonce, setNextNonce } from './writer-queries.ts';
import { callOf, signAgain, type OutboxContext } from './outbox-context.ts';

/** How many calls are signed in one statement. */
const CHUNK = 200;

/** The gas limit is the simulated gas of the first call times this factor. */
const GAS_MARGIN = 1.5;

/**
 * Signs all waiting calls again in order, with the nonces from `nextNonce` on. The fees are higher, because a new transaction may
 * have to replace an old one. The contract refuses duplicate entries. The first call is simulated before. If the contract would
 * refuse it, nothing is signed, and this throws {@link ChainStalledError} with the reason.
 */
export async function resignOutbox(
  context: OutboxContext,
  first: WaitingCall,
  nextNonce: number,
): Promise<void> {
  const { database, node, writer, signer, feeLimit, logger } = context;
  const { data } = callOf(first);
  const simulation = await node.simulate({ from: signer.address, to: signer.contract, data });
  if ('refusal' in simulation)
    throw new ChainStalledError(describeRefusal(simulation.refusal, signer, decodeAppend(data)));
  const { fees } = await node.head();
  const enoughGas = Math.ceil(simulation.gas * GAS_MARGIN);

  const signed = await database.transaction(async (transaction) => {
    await lockNextNonce(transaction, writer.id);
    let nonce = nextNonce;
    const chunks = inChunks(CHUNK, (last?: WaitingCall) =>
      listUnmined(transaction, writer.id, { after: last?.position, limit: CHUNK }),
    );
    for await (const calls of chunks) {
      const attempts = [];
      for (const call of calls) {
        const cap = raisedCap(fees, call, feeLimit) ?? call;
        // If the first call ran out of gas, the others would too.
        attempts.push(await signAgain(context, call, { nonce: nonce++, cap, gas: enoughGas }));
      }
      if (attempts.length > 0) await insertAttempts(transaction, attempts);
    }
    await setNextNonce(transaction, writer.id, nonce);
    return nonce - nextNonce;
  });
  logger.warn(
    { transactions: signed, firstNonce: nextNonce },
    'the waiting calls were signed again, because nonces were used elsewhere or calls were refused',
  );
}
