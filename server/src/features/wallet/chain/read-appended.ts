import { decodeEventLog, encodeEventTopics, type Hex } from 'viem';
import { guildhallLedgerAbi } from '../../../../contracts/guildhall-ledger.ts';
import { OperatorError } from '../../../core/operator-error.ts';
import type { Database } from '../../../database/database.ts';
import { ChainNodeError, ChainRefusedError, createChainNode, type ChainNode } from './chain-node.ts';
import { tenantOnChain } from './ledger-call.ts';
import type { Chain } from './open-chain.ts';
import { findConfirmedBlock, readConfirmed } from './queries.ts';
import type { Writer } from './writer-queries.ts';

/** An entry on the chain. */
interface AppendedEntry {
  index: number;
  hash: Hex;
}

/** A node may need a long time for the blocks of a year. */
const TIMEOUT_MS = 60_000;

/**
 * Reads the entries of a tenant on the chain, in order, in portions. It requests all blocks at once, and half as many if the
 * node refuses the range. Throws {@link OperatorError} if the node does not return the logs, or is behind.
 */
export async function* readAppended(
  database: Database,
  { rpcUrl, writer }: Chain,
  tenantId: string,
): AsyncGenerator<AppendedEntry[]> {
  const { firstBlock, lastBlock } = await readConfirmed(database, writer);
  if (firstBlock === null || lastBlock === null) return;
  const node = createChainNode(rpcUrl, { timeoutMs: TIMEOUT_MS });
  const event = { abi: guildhallLedgerAbi, eventName: 'Appended' } as const;
  const topics = encodeEventTopics({ ...event, args: { tenant: tenantOnChain(tenantId) } }) as Hex[];
  try {
    const { block: head } = await node.head();
    if (await isBehind(database, writer, node, head.number, lastBlock))
      throw new OperatorError(
        `The node of CHAIN_RPC_URL is still synchronizing, or is behind: it is at block ${head.number}, and final entries are in ` +
          `block ${lastBlock}. Try again later, or set another node.`,
      );
    let size = head.number - firstBlock + 1;
    for (let from = firstBlock; from <= head.number;) {
      const to = Math.min(from + size - 1, head.number);
      try {
        const logs = await node.logs(writer.contract, topics, from, to);
        yield logs.map(({ topics, data }) => {
          const { args } = decodeEventLog({ ...event, topics, data });
          return { index: Number(args.index), hash: args.hash };
        });
        from = to + 1;
      } catch (error) {
        if (!(error instanceof ChainRefusedError) || size === 1) throw error;
        size = Math.ceil(size / 2);
      }
    }
  } catch (error) {
    if (error instanceof ChainNodeError)
      throw new OperatorError(`The entries on the chain cannot be read: ${error.message}`, {
        cause: error,
      });
    throw error;
  }
}

/** Whether a node lacks newer blocks of the same chain. A chain that was reset has other blocks, so its entries can be compared. */
async function isBehind(
  database: Database,
  writer: Writer,
  node: ChainNode,
  head: number,
  lastBlock: number,
): Promise<boolean> {
  if (await node.isSyncing()) return true;
  if (head >= lastBlock) return false;
  const known = await findConfirmedBlock(database, writer, head);
  return !known || (await node.blockHash(known.number)) === known.hash;
}
