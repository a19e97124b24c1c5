import type { BaseLogger } from 'pino';
import { parseTransaction, type Hex } from 'viem';
import type { Database } from '../../database/database.ts';
import { NodeRefused, type Block, type ChainNode } from './chain-node.ts';
import { refusalInWords, requireContract, StandsStill } from './explain.ts';
import { isTooLow, raisedCap } from './fees.ts';
import { decodeAppend } from './ledger-call.ts';
import {
  confirmBlocks,
  countUnmined,
  hasConfirmedFrom,
  insertAttempts,
  listOpenBlocks,
  listTakenAttempts,
  listUnmined,
  lockNextNonce,
  noteHead,
  setMined,
  setNextNonce,
  unconfirmFrom,
  unmineBlocks,
  type Waiting,
  type Writer,
} from './queries.ts';
import type { Call, Signer } from './signer.ts';

export interface Sending {
  database: Database;
  node: ChainNode;
  writer: Writer;
  signer: Signer;
  /** How many blocks, its own included, make a transaction final. */
  confirmations: number;
  logger: Pick<BaseLogger, 'info' | 'warn'>;
}

/** How many calls are on their way at once: nodes keep about as many for one account. */
const WINDOW = 64;

/** A node may be one of many behind one address, and one that lags. So a strange sight must be seen so often in a row. */
const PATIENCE = 3;

/** A transaction that is left lying for so many blocks, with none before it, offers more, and does so this often at most. */
const LEFT_LYING_BLOCKS = 10;
const MOST_RAISES = 8;

/** How many calls are signed anew in one statement. */
const CHUNK = 200;

/**
 * Brings what waits in the outbox onto the chain, step by step. What it remembers between the steps only saves questions:
 * another process may take over at any moment, for bytes that were signed once may be sent as often as one likes.
 */
export function openSending({ database, node, writer, signer, confirmations, logger }: Sending) {
  /** What this process has sent, and at which block. */
  const sent = new Map<Hex, number>();
  /** The call that is next, and the block since which it is. */
  let next = { position: 0, since: 0 };
  let lastHead: Hex | undefined;
  let contractSeen = false;
  let strangeSights = 0;

  /** One step. Returns whether it moved something, so that the next one is due at once. Throws where nothing can be sent. */
  async function step(): Promise<boolean> {
    const [chainId, head, priorityFee, count] = await Promise.all([
      node.chainId(),
      node.head(),
      node.priorityFee(),
      node.transactionCount(signer.address),
    ]);
    if (chainId !== writer.chainId)
      throw new StandsStill(
        `The node of CHAIN_RPC_URL is one of chain ${chainId}; what waits was signed for chain ${writer.chainId}. ` +
          'Name a node of that chain.',
      );
    const fees = { baseFee: head.baseFee, priorityFee };
    await noteHead(database, writer.id, { ...fees, headBlock: head.number });

    if (await hasConfirmedFrom(database, writer.id, count)) await sendConfirmedAgain(count);
    if (head.hash !== lastHead) await followBlocks(head.number);
    lastHead = head.hash;

    const unmined = await listUnmined(database, writer.id, { limit: WINDOW });
    if (unmined.length === 0) {
      await catchUp(count);
      return false;
    }
    if (!contractSeen) await requireContract(node, signer);
    contractSeen = true;

    const mined = await findMined(unmined, count);
    // What was just found may be deep enough already.
    if (mined.size > 0) lastHead = undefined;
    const waiting = unmined.filter(({ position }) => !mined.has(position));
    if (waiting.some(({ nonce }, index) => nonce !== count + index)) {
      // Somebody else took a nonce, or a call was refused. Before it can be told why, a moment: the node may lag.
      contractSeen = false;
      if (++strangeSights >= PATIENCE) {
        await signAnew(waiting[0]!, count);
        strangeSights = 0;
      }
      return mined.size > 0;
    }
    strangeSights = 0;
    // A node that was killed has forgotten what was on its way.
    if (waiting[0] && sent.has(waiting[0].hash) && !(await node.knows(waiting[0].hash))) sent.clear();
    if (waiting[0] && waiting[0].position !== next.position)
      next = { position: waiting[0].position, since: head.number };
    for (const [index, call] of waiting.entries()) {
      const since = Math.max(sent.get(call.hash) ?? head.number, next.since);
      const lies = index === 0 && head.number - since >= LEFT_LYING_BLOCKS;
      const due = isTooLow(call, fees.baseFee) || (lies && call.number <= MOST_RAISES);
      await send(due ? await raise(call) : call);
    }
    return mined.size > 0;

    /** Signs a call with the same nonce and a higher fee: the chain takes one of the two. */
    async function raise(call: Waiting): Promise<Waiting> {
      const raised = await signer.sign(callOf(call), call.nonce, raisedCap(fees, call));
      const attempt = { ...raised, position: call.position, number: call.number + 1 };
      await insertAttempts(database, [attempt]);
      logger.info({ transaction: call.hash, by: raised.hash }, 'a transaction offers a higher fee');
      return attempt;
    }

    async function send(call: Waiting): Promise<void> {
      if (sent.has(call.hash)) return;
      try {
        await node.send(call.signed);
      } catch (error) {
        if (!(error instanceof NodeRefused)) throw error;
        if (isTooLittle(error) && call.number <= MOST_RAISES) return send(await raise(call));
        if (!isNoNews(error)) throw refusalToTake(error);
      }
      sent.set(call.hash, head.number);
    }
  }

  function refusalToTake({ message }: NodeRefused): StandsStill {
    return new StandsStill(
      /insufficient funds/i.test(message)
        ? `The signer ${signer.address} cannot pay for gas: send funds to it. (${message})`
        : `The node does not take a transaction: ${message}`,
    );
  }

  /** Looks for calls whose nonce is taken, in every way in which they were signed, and notes the blocks that hold them. */
  async function findMined(calls: Waiting[], count: number): Promise<Set<number>> {
    const mined = new Set<number>();
    const positions = calls.map(({ position }) => position);
    for (const { position, hash } of await listTakenAttempts(database, positions, count)) {
      if (mined.has(position)) continue;
      const receipt = await node.receipt(hash);
      if (!receipt?.succeeded) continue;
      await setMined(database, position, hash, receipt.block);
      mined.add(position);
    }
    return mined;
  }

  /** Confirms what lies deep enough, and takes back what stood in blocks that the chain has dropped. */
  async function followBlocks(headNumber: number): Promise<void> {
    const dropped: Block[] = [];
    const deep: Block[] = [];
    for (const block of await listOpenBlocks(database, writer.id)) {
      const hash = await node.blockHash(block.number);
      if (hash !== block.hash) dropped.push(block);
      else if (headNumber - block.number + 1 >= confirmations) deep.push(block);
    }
    await confirmBlocks(
      database,
      writer.id,
      deep.map(({ hash }) => hash),
    );
    const lost = await unmineBlocks(
      database,
      writer.id,
      dropped.map(({ hash }) => hash),
    );
    if (lost === 0) return;
    sent.clear();
    logger.warn({ transactions: lost }, 'the chain has dropped blocks; what they held is sent again');
  }

  /** The chain knows fewer nonces than it had confirmed. The same bytes go out again, if it is the right chain at all. */
  async function sendConfirmedAgain(count: number): Promise<void> {
    await requireContract(node, signer);
    const lost = await unconfirmFrom(database, writer.id, count);
    sent.clear();
    logger.warn({ transactions: lost }, 'the chain has lost confirmed transactions; they are sent again');
  }

  /** Where nothing waits, a nonce that somebody else took costs nothing: the next call takes the one after it. */
  async function catchUp(count: number): Promise<void> {
    sent.clear();
    await database.transaction(async (transaction) => {
      const next = await lockNextNonce(transaction, writer.id);
      if (next < count && (await countUnmined(transaction, writer.id)) === 0)
        await setNextNonce(transaction, writer.id, count);
    });
  }

  /**
   * Signs all that waits anew, with the nonces that are free now, in the same order. It offers more than before, as one of the
   * new ones may have to take the place of an old one. The contract refuses whatever would come twice.
   */
  async function signAnew(first: Waiting, count: number): Promise<void> {
    const { data } = callOf(first);
    const rehearsal = await node.rehearse({ from: signer.address, to: signer.contract, data });
    if ('refusal' in rehearsal)
      throw new StandsStill(refusalInWords(rehearsal.refusal, signer, decodeAppend(data)));
    const head = await node.head();
    const fees = { baseFee: head.baseFee, priorityFee: await node.priorityFee() };
    let nonce = count;
    await database.transaction(async (transaction) => {
      await lockNextNonce(transaction, writer.id);
      nonce = count;
      let after = 0;
      while (true) {
        const calls = await listUnmined(transaction, writer.id, { after, limit: CHUNK });
        const attempts = [];
        for (const call of calls) {
          const { data, gas } = callOf(call);
          // Where it ran out of gas, so would the others.
          const enough = { data, gas: Math.max(gas, Math.ceil(rehearsal.gas * 1.5)) };
          const signed = await signer.sign(enough, nonce++, raisedCap(fees, call));
          attempts.push({ ...signed, position: call.position, number: call.number + 1 });
        }
        if (attempts.length > 0) await insertAttempts(transaction, attempts);
        if (calls.length < CHUNK) break;
        after = calls.at(-1)!.position;
      }
      await setNextNonce(transaction, writer.id, nonce);
    });
    sent.clear();
    logger.warn(
      { transactions: nonce - count, firstNonce: count },
      'nonces of the signer were taken by others, or calls were refused: what waits was signed anew',
    );
  }

  return step;
}

function callOf({ signed }: Waiting): Call {
  const { data, gas } = parseTransaction(signed);
  return { data: data!, gas: Number(gas) };
}

/** The node has it already, or the chain has: either is found out at the next step. */
function isNoNews({ message }: NodeRefused): boolean {
  return /already known|already imported|known transaction|already exists|nonce too low/i.test(message);
}

function isTooLittle({ message }: NodeRefused): boolean {
  return /underpriced|fee too low|base ?fee|fee cap/i.test(message);
}
