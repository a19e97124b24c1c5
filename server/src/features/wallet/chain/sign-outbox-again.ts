import { refusalInWords, ChainStalledError } from './explain.ts';
import { raisedCap } from './fees.ts';
import { decodeAppend } from './ledger-call.ts';
import { insertAttempts, listUnmined, lockNextNonce, setNextNonce, type Waiting } from './queries.ts';
import { callOf, type Sending } from './sending.ts';

/** How many calls are signed in one statement. */
const CHUNK = 200;

/** The share by which the simulated gas of the first call is exceeded. */
const GAS_MARGIN = 1.5;

/**
 * Signs all waiting calls again in their order, with the nonces from `nextNonce` on and a higher fee, because a new
 * transaction may have to replace an old one. The contract refuses an entry that comes twice. The first call is simulated
 * before. If the contract would refuse it, nothing is signed, and {@link ChainStalledError} says why.
 */
export async function signOutboxAgain(
  { database, node, writer, signer, logger }: Sending,
  first: Waiting,
  nextNonce: number,
): Promise<void> {
  const { data } = callOf(first);
  const rehearsal = await node.rehearse({ from: signer.address, to: signer.contract, data });
  if ('refusal' in rehearsal)
    throw new ChainStalledError(refusalInWords(rehearsal.refusal, signer, decodeAppend(data)));
  const [head, priorityFee] = await Promise.all([node.head(), node.priorityFee()]);
  const fees = { baseFee: head.baseFee, priorityFee };
  const enoughGas = Math.ceil(rehearsal.gas * GAS_MARGIN);

  const signed = await database.transaction(async (transaction) => {
    await lockNextNonce(transaction, writer.id);
    let nonce = nextNonce;
    for (let after = 0; ;) {
      const calls = await listUnmined(transaction, writer.id, { after, limit: CHUNK });
      const attempts = [];
      for (const call of calls) {
        const { data, gas } = callOf(call);
        // If the first call ran out of gas, the others would too.
        const again = await signer.sign(
          { data, gas: Math.max(gas, enoughGas) },
          nonce++,
          raisedCap(fees, call),
        );
        attempts.push({ ...again, position: call.position, number: call.number + 1 });
      }
      if (attempts.length > 0) await insertAttempts(transaction, attempts);
      if (calls.length < CHUNK) break;
      after = calls.at(-1)!.position;
    }
    await setNextNonce(transaction, writer.id, nonce);
    return nonce - nextNonce;
  });
  logger.warn(
    { transactions: signed, firstNonce: nextNonce },
    'others used nonces of the signer, or calls were refused: the waiting calls were signed again',
  );
}
