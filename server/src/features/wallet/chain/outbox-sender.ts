import type { Hex } from 'viem';
import { ChainRefusedError, type Block, type Fees } from './chain-node.ts';
import { requireContract, ChainStalledError } from './contract-faults.ts';
import { isTooLow, loweredCap, raisedCap, type FeeCap } from './fees.ts';
import {
  confirmBlocks,
  countUnmined,
  hasMinedFrom,
  insertAttempts,
  listOpenBlocks,
  listTakenAttempts,
  listUnmined,
  lockNextNonce,
  saveHead,
  setMined,
  setNextNonce,
  unmineBlocks,
  unmineFrom,
  type WaitingCall,
} from './queries.ts';
import { resignOutbox } from './resign-outbox.ts';
import { signAgain, type OutboxContext } from './outbox-context.ts';

/** How many calls are sent ahead. Nodes accept about as many pending transactions per account. */
const WINDOW = 64;

/** One URL may lead to several nodes, and one of them may lag. So an anomaly must be seen this often in a row. */
const ANOMALIES_BEFORE_ACTION = 3;

/** If the oldest transaction is not in a block after this many blocks, its fee is raised. */
const BLOCKS_BEFORE_RAISE = 10;

/** The state of the chain at the start of a step. */
interface ChainView {
  head: Block;
  fees: Fees;
  /** The number of the signer's transactions in blocks, which is the next nonce that the chain accepts. */
  nextNonce: number;
}

/** A cache between steps. It only saves requests to the node, because another process can take over at any time. */
interface SenderCache {
  /** The block at which each transaction was sent by this process. */
  sentAt: Map<Hex, number>;
  oldest: { position: number; sinceBlock: number };
  lastHead: Hex | undefined;
  isContractChecked: boolean;
  anomalyCount: number;
}

/**
 * The state of the calls that wait for the chain:
 *
 * - `in_step`: the nonces of the calls continue those of the chain. The sender submits them, and raises fees that are too low.
 * - `out_of_step`: a nonce was used elsewhere, or the contract refused a call. If this is seen several times in a row, the sender
 *   signs the calls again.
 */
export function outboxState(
  calls: Pick<WaitingCall, 'nonce'>[],
  nextNonce: number,
): 'in_step' | 'out_of_step' {
  return calls.every(({ nonce }, index) => nonce === nextNonce + index) ? 'in_step' : 'out_of_step';
}

/**
 * Creates the sender of the outbox. Each call of the result is one step. A step reads the chain, records which transactions are
 * mined and final, and then acts on the {@link outboxState}. It returns true if it found mined transactions, so that the next
 * step is due at once. It throws if no call can be sent.
 */
export function createOutboxSender(context: OutboxContext): () => Promise<boolean> {
  const { database, node, writer, signer, confirmations, feeLimit, logger } = context;
  const cache: SenderCache = {
    sentAt: new Map(),
    oldest: { position: 0, sinceBlock: 0 },
    lastHead: undefined,
    isContractChecked: false,
    anomalyCount: 0,
  };

  return async function step() {
    const view = await readChain();
    if (await hasMinedFrom(database, writer.id, view.nextNonce)) {
      await afterAnomalies(() => resendLost(view.nextNonce));
      return false;
    }
    if (view.head.hash !== cache.lastHead)
      cache.lastHead = (await followBlocks(view.head.number)) ? view.head.hash : undefined;

    const unmined = await listUnmined(database, writer.id, { limit: WINDOW });
    if (unmined.length === 0) {
      cache.anomalyCount = 0;
      await skipUsedNonces(view.nextNonce);
      return false;
    }
    await checkContract();
    const mined = await recordMined(unmined, view.nextNonce);
    // A transaction that was just found may be final already.
    if (mined.size > 0) cache.lastHead = undefined;

    const waiting = unmined.filter(({ position }) => !mined.has(position));
    switch (outboxState(waiting, view.nextNonce)) {
      case 'in_step':
        cache.anomalyCount = 0;
        await submit(waiting, view);
        break;
      case 'out_of_step':
        cache.isContractChecked = false;
        await afterAnomalies(() => resignOutbox(context, waiting[0]!, view.nextNonce));
        break;
    }
    return mined.size > 0;
  };

  /** Counts an anomaly, and acts if it was seen several times in a row. */
  async function afterAnomalies(act: () => Promise<void>): Promise<void> {
    if (++cache.anomalyCount < ANOMALIES_BEFORE_ACTION) return;
    if (await node.isSyncing())
      throw new ChainStalledError(
        'The node of CHAIN_RPC_URL is still synchronizing with its network. Wait until it has finished, or set another node.',
      );
    await act();
    cache.sentAt.clear();
    cache.anomalyCount = 0;
  }

  async function readChain(): Promise<ChainView> {
    const [chainId, head, priorityFee, nextNonce] = await Promise.all([
      node.chainId(),
      node.head(),
      node.priorityFee(),
      node.transactionCount(signer.address),
    ]);
    if (chainId !== writer.chainId)
      throw new ChainStalledError(
        `The node of CHAIN_RPC_URL belongs to chain ${chainId}, but the waiting calls were signed for chain ${writer.chainId}. ` +
          'Set CHAIN_RPC_URL to a node of that chain.',
      );
    const fees = { baseFee: head.baseFee, priorityFee };
    await saveHead(database, writer.id, { ...fees, headBlock: head.number });
    return { head, fees, nextNonce };
  }

  async function checkContract(): Promise<void> {
    if (!cache.isContractChecked) await requireContract(node, signer);
    cache.isContractChecked = true;
  }

  /** Finds calls whose nonce is used, under each hash that they were signed with, and records their blocks. */
  async function recordMined(calls: WaitingCall[], nextNonce: number): Promise<Set<number>> {
    const mined = new Set<number>();
    const positions = calls.map(({ position }) => position);
    for (const { position, hash } of await listTakenAttempts(database, positions, nextNonce)) {
      if (mined.has(position)) continue;
      const receipt = await node.receipt(hash);
      if (!receipt?.succeeded) continue;
      await setMined(database, position, hash, receipt.block);
      mined.add(position);
    }
    return mined;
  }

  /**
   * Confirms blocks that are deep enough, and takes back transactions of blocks that the chain has dropped. Returns whether the node
   * knows all blocks.
   */
  async function followBlocks(headNumber: number): Promise<boolean> {
    let isComplete = true;
    const dropped: Hex[] = [];
    const final: Hex[] = [];
    for (const block of await listOpenBlocks(database, writer.id)) {
      const hash = await node.blockHash(block.number);
      // A node that lags behind has no such block yet.
      if (hash === undefined) isComplete = false;
      else if (hash !== block.hash) dropped.push(block.hash);
      else if (headNumber - block.number + 1 >= confirmations) final.push(block.hash);
    }
    await confirmBlocks(database, writer.id, final);
    const lost = await unmineBlocks(database, writer.id, dropped);
    if (lost > 0) {
      cache.sentAt.clear();
      logger.warn({ transactions: lost }, 'the chain dropped blocks, so their transactions are sent again');
    }
    return isComplete;
  }

  /** Takes back transactions that the chain has lost, so that the same bytes are sent again. Throws if it is another chain. */
  async function resendLost(nextNonce: number): Promise<void> {
    await requireContract(node, signer);
    const lost = await unmineFrom(database, writer.id, nextNonce);
    logger.warn({ transactions: lost }, 'the chain lost transactions, so they are sent again');
  }

  /** Skips nonces that were used elsewhere while no call waits. No call has to be signed again for that. */
  async function skipUsedNonces(nextNonce: number): Promise<void> {
    cache.sentAt.clear();
    await database.transaction(async (transaction) => {
      const own = await lockNextNonce(transaction, writer.id);
      if (own < nextNonce && (await countUnmined(transaction, writer.id)) === 0)
        await setNextNonce(transaction, writer.id, nextNonce);
    });
  }

  async function submit(calls: WaitingCall[], { head, fees }: ChainView): Promise<void> {
    const [oldest] = calls;
    if (!oldest) return;
    // A node that was restarted has lost its pending transactions.
    if (cache.sentAt.has(oldest.hash) && !(await node.knows(oldest.hash))) cache.sentAt.clear();
    if (oldest.position !== cache.oldest.position)
      cache.oldest = { position: oldest.position, sinceBlock: head.number };

    let isAtLimit = false;
    for (const call of calls) {
      const since = Math.max(cache.sentAt.get(call.hash) ?? head.number, cache.oldest.sinceBlock);
      const isStuck = call === oldest && head.number - since >= BLOCKS_BEFORE_RAISE;
      const needsRaise = isStuck || isTooLow(call, fees.baseFee);
      const cap = needsRaise ? raisedCap(fees, call, feeLimit) : undefined;
      isAtLimit ||= needsRaise && !cap;
      if (cap) await sendWithFee(call, cap, { head, fees });
      else await sendUnchanged(call, { head, fees });
    }
    if (isAtLimit) throw atLimit();
  }

  /** Sends a call with the fee that it has. If the node refuses this fee, sends it with another one. */
  async function sendUnchanged(call: WaitingCall, view: Pick<ChainView, 'head' | 'fees'>): Promise<void> {
    const refusal = await send(call, view.head);
    if (!refusal) return;
    const cap = acceptableCap(refusal, call, view.fees);
    if (!cap) throw notSent(refusal, call, view.fees);
    await sendWithFee(call, cap, view);
  }

  /** Sends a call with another fee. If the node refuses this one too, the fees have changed, and the next step reads them. */
  async function sendWithFee(
    call: WaitingCall,
    cap: FeeCap,
    { head, fees }: Pick<ChainView, 'head' | 'fees'>,
  ): Promise<void> {
    const changed = await changeFee(call, cap);
    const refusal = await send(changed, head);
    if (refusal) throw notSent(refusal, changed, fees);
  }

  /** Sends a call, unless this process has sent it already. Returns the error if the node refuses it. */
  async function send({ hash, signed }: WaitingCall, head: Block): Promise<ChainRefusedError | undefined> {
    if (cache.sentAt.has(hash)) return undefined;
    try {
      await node.send(signed);
    } catch (error) {
      if (!(error instanceof ChainRefusedError)) throw error;
      if (!isKnownAlready(error)) return error;
    }
    cache.sentAt.set(hash, head.number);
    return undefined;
  }

  /** The fee cap with which the node may accept a call that it has refused. */
  function acceptableCap(error: ChainRefusedError, call: WaitingCall, fees: Fees): FeeCap | undefined {
    if (isUnderpriced(error)) return raisedCap(fees, call, feeLimit);
    return isUnpaid(error) ? loweredCap(fees, call, feeLimit) : undefined;
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
        ? `The signer ${signer.address} cannot pay for gas: send funds to it. (${error.message})`
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
