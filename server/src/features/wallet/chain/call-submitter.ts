import type { Hex } from 'viem';
import { ChainRefusedError, type Block, type ChainHead, type Fees } from './chain-node.ts';
import { ChainStalledError } from './contract-faults.ts';
import { isTooLow, loweredCap, raisedCap, type FeeCap } from './fees.ts';
import { signAgain, type OutboxContext } from './outbox-context.ts';
import { insertAttempts, type WaitingCall } from './queries.ts';

/** If the oldest transaction is not in a block after this many blocks, its fee is raised. */
const BLOCKS_BEFORE_RAISE = 10;

/** Sends calls to the node, and changes the fees that it does not accept. */
interface CallSubmitter {
  /** Sends the calls that this process has not sent yet, and raises fees that are too low. Throws {@link ChainStalledError}. */
  submit(calls: WaitingCall[], head: ChainHead): Promise<void>;
  /** Sends all calls again at the next `submit`, because the chain may have lost them. */
  reset(): void;
}

/** Creates a submitter. Its cache only saves requests to the node, because another process can take over at any time. */
export function createCallSubmitter(context: OutboxContext): CallSubmitter {
  const { database, node, writer, feeLimit, logger } = context;
  /** The block at which each waiting transaction was sent by this process. */
  const sentAt = new Map<Hex, number>();
  let oldestSeen = { position: 0, sinceBlock: 0 };

  return { submit, reset: () => sentAt.clear() };

  async function submit(calls: WaitingCall[], head: ChainHead): Promise<void> {
    const { block, fees } = head;
    const [oldest] = calls;
    if (!oldest) return;
    keepOnly(calls);
    // A node that was restarted has lost its pending transactions.
    if (sentAt.has(oldest.hash) && !(await node.knows(oldest.hash))) sentAt.clear();
    if (oldest.position !== oldestSeen.position)
      oldestSeen = { position: oldest.position, sinceBlock: block.number };

    let isAtLimit = false;
    for (const call of calls) {
      const since = Math.max(sentAt.get(call.hash) ?? block.number, oldestSeen.sinceBlock);
      const isStuck = call === oldest && block.number - since >= BLOCKS_BEFORE_RAISE;
      const needsRaise = isStuck || isTooLow(call, fees.baseFee);
      const cap = needsRaise ? raisedCap(fees, call, feeLimit) : undefined;
      isAtLimit ||= needsRaise && !cap;
      if (cap) await sendWithFee(call, cap, head);
      else await sendUnchanged(call, head);
    }
    if (isAtLimit) throw atLimit();
  }

  /** Removes transactions that no longer wait, because the chain may never be idle. */
  function keepOnly(calls: WaitingCall[]): void {
    const waiting = new Set(calls.map(({ hash }) => hash));
    for (const hash of sentAt.keys()) if (!waiting.has(hash)) sentAt.delete(hash);
  }

  /** Sends a call with the fee that it has. If the node refuses this fee, sends it with another one. */
  async function sendUnchanged(call: WaitingCall, head: ChainHead): Promise<void> {
    const refusal = await send(call, head.block);
    if (!refusal) return;
    const cap = acceptableCap(refusal, call, head.fees);
    if (!cap) throw notSent(refusal, call, head.fees);
    await sendWithFee(call, cap, head);
  }

  /** Sends a call with another fee. If the node refuses this one too, the fees have changed, and the next step reads them. */
  async function sendWithFee(call: WaitingCall, cap: FeeCap, head: ChainHead): Promise<void> {
    const changed = await changeFee(call, cap);
    const refusal = await send(changed, head.block);
    if (refusal) throw notSent(refusal, changed, head.fees);
  }

  /** Sends a call, unless this process has sent it already. Returns the error if the node refuses it. */
  async function send({ hash, signed }: WaitingCall, block: Block): Promise<ChainRefusedError | undefined> {
    if (sentAt.has(hash)) return undefined;
    try {
      await node.send(signed);
    } catch (error) {
      if (!(error instanceof ChainRefusedError)) throw error;
      if (!isKnownAlready(error)) return error;
    }
    sentAt.set(hash, block.number);
    return undefined;
  }

  /** The fee cap with which the node may accept a call that it has refused. */
  function acceptableCap(error: ChainRefusedError, call: WaitingCall, fees: Fees): FeeCap | undefined {
    if (isUnderpriced(error)) return raisedCap(fees, call, feeLimit);
    return isUnpaid(error) || isTooExpensive(error) ? loweredCap(fees, call, feeLimit) : undefined;
  }

  /** Signs a call with the same nonce and another fee. The chain accepts only one of the two. */
  async function changeFee(call: WaitingCall, cap: FeeCap): Promise<WaitingCall> {
    const attempt = await signAgain(context, call, { nonce: call.nonce, cap });
    await insertAttempts(database, [attempt]);
    logger.info({ transaction: call.hash, by: attempt.hash }, 'the fee of a transaction was changed');
    return attempt;
  }

  function notSent(error: ChainRefusedError, call: WaitingCall, fees: Fees): ChainStalledError {
    if (isUnderpriced(error) && !raisedCap(fees, call, feeLimit)) return atLimit();
    return new ChainStalledError(
      isUnpaid(error)
        ? `The signer ${writer.signer} cannot pay for gas: send funds to it. (${error.message})`
        : `The node refuses a transaction: ${error.message}`,
    );
  }

  function atLimit(): ChainStalledError {
    return new ChainStalledError(
      'A waiting transaction offers the highest fee that CHAIN_MAX_FEE_GWEI allows, and no block contains it. ' +
        'Wait until the fees of the chain fall, or raise the setting and restart.',
    );
  }
}

/** The node or the chain has the transaction already. The next step finds out which. */
function isKnownAlready({ message }: ChainRefusedError): boolean {
  return /already known|already imported|known transaction|already exists|nonce too low/i.test(message);
}

function isUnderpriced({ message }: ChainRefusedError): boolean {
  return /underpriced|fee too low|base ?fee|fee cap/i.test(message);
}

function isUnpaid({ message }: ChainRefusedError): boolean {
  return /insufficient funds/i.test(message);
}

/** The node accepts no transaction that may cost so much: `--rpc.txfeecap` of geth and Erigon. */
function isTooExpensive({ message }: ChainRefusedError): boolean {
  return /exceeds the configured cap/i.test(message);
}
