import type { Hex } from 'viem';
import { createCallSubmitter } from './call-submitter.ts';
import type { ChainHead } from './chain-node.ts';
import { requireContract, ChainStalledError } from './contract-faults.ts';
import {
  confirmBlocks,
  countUnmined,
  hasMinedFrom,
  listOpenBlocks,
  listTakenAttempts,
  listUnmined,
  setMined,
  unmineBlocks,
  unmineFrom,
  type WaitingCall,
} from './queries.ts';
import { lockNextNonce, saveHead, setNextNonce } from './writer-queries.ts';
import { resignOutbox } from './resign-outbox.ts';
import type { OutboxContext } from './outbox-context.ts';

/** How many calls are sent ahead. Nodes accept about as many pending transactions per account. */
const WINDOW = 64;

/** Several nodes may share one URL, and one of them may lag. So an anomaly must be seen this often in a row. */
const ANOMALIES_BEFORE_ACTION = 3;

/** The state of the chain at the start of a step. */
interface ChainView {
  head: ChainHead;
  /** The number of the signer's transactions in blocks, which is the next nonce that the chain accepts. */
  nextNonce: number;
}

/** Whether the nonces of the waiting calls continue those of the chain. If not, a nonce was used elsewhere, or the contract refused a call. */
export function continuesNonces(calls: Pick<WaitingCall, 'nonce'>[], nextNonce: number): boolean {
  return calls.every(({ nonce }, index) => nonce === nextNonce + index);
}

/**
 * Creates the sender of the outbox. Each call of the result is one step. A step reads the chain, records which transactions are
 * mined and final, and then submits the waiting calls. If their nonces do not continue those of the chain several times in a row, it
 * signs them again. It returns true if it found mined transactions, so that the next step is due at once. It throws if no call can be sent.
 */
export function createOutboxSender(context: OutboxContext): () => Promise<boolean> {
  const { database, node, writer, confirmations, logger } = context;
  const submitter = createCallSubmitter(context);
  // These last between steps. They only save requests to the node, because another process can take over at any time.
  let lastHead: Hex | undefined;
  let isContractChecked = false;
  let anomalyCount = 0;

  return async function step() {
    const view = await readChain();
    if (await hasMinedFrom(database, writer.id, view.nextNonce)) {
      await afterAnomalies(() => resendLost(view.nextNonce));
      return false;
    }
    const { block } = view.head;
    if (block.hash !== lastHead) lastHead = (await followBlocks(block.number)) ? block.hash : undefined;

    const unmined = await listUnmined(database, writer.id, { limit: WINDOW });
    if (unmined.length === 0) {
      anomalyCount = 0;
      await skipUsedNonces(view.nextNonce);
      return false;
    }
    await checkContract();
    const mined = await recordMined(unmined, view.nextNonce);
    // A transaction that was just found may be final already.
    if (mined.size > 0) lastHead = undefined;

    const waiting = unmined.filter(({ position }) => !mined.has(position));
    if (continuesNonces(waiting, view.nextNonce)) {
      anomalyCount = 0;
      await submitter.submit(waiting, view.head);
    } else {
      isContractChecked = false;
      await afterAnomalies(() => resignOutbox(context, waiting[0]!, view.nextNonce));
    }
    return mined.size > 0;
  };

  /** Counts an anomaly, and acts if it was seen several times in a row. */
  async function afterAnomalies(act: () => Promise<void>): Promise<void> {
    if (++anomalyCount < ANOMALIES_BEFORE_ACTION) return;
    if (await node.isSyncing())
      throw new ChainStalledError(
        'The node of CHAIN_RPC_URL is still synchronizing with its network. Wait until it has finished, or set another node.',
      );
    await act();
    submitter.reset();
    anomalyCount = 0;
  }

  async function readChain(): Promise<ChainView> {
    const [chainId, head, nextNonce] = await Promise.all([
      node.chainId(),
      node.head(),
      node.transactionCount(writer.signer),
    ]);
    if (chainId !== writer.chainId)
      throw new ChainStalledError(
        `The node of CHAIN_RPC_URL belongs to chain ${chainId}, but the waiting calls were signed for chain ${writer.chainId}. ` +
          'Set CHAIN_RPC_URL to a node of that chain.',
      );
    await saveHead(database, writer.id, head);
    return { head, nextNonce };
  }

  async function checkContract(): Promise<void> {
    if (!isContractChecked) await requireContract(node, writer);
    isContractChecked = true;
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
      submitter.reset();
      logger.warn({ transactions: lost }, 'the chain dropped blocks, so their transactions are sent again');
    }
    return isComplete;
  }

  /** Takes back transactions that the chain has lost, so that the same bytes are sent again. Throws if it is another chain. */
  async function resendLost(nextNonce: number): Promise<void> {
    await requireContract(node, writer);
    const lost = await unmineFrom(database, writer.id, nextNonce);
    logger.warn({ transactions: lost }, 'the chain lost transactions, so they are sent again');
  }

  /** Skips nonces that were used elsewhere while no call waits. No call has to be signed again for that. */
  async function skipUsedNonces(nextNonce: number): Promise<void> {
    submitter.reset();
    await database.transaction(async (transaction) => {
      const own = await lockNextNonce(transaction, writer.id);
      if (own < nextNonce && (await countUnmined(transaction, writer.id)) === 0)
        await setNextNonce(transaction, writer.id, nextNonce);
    });
  }
}
