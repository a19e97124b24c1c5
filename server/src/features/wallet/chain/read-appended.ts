import { decodeEventLog, encodeEventTopics, type Hex } from 'viem';
import { guildhallLedgerAbi } from '../../../../contracts/guildhall-ledger.ts';
import type { Database } from '../../../database/database.ts';
import { ChainNodeError, ChainRefusedError, createChainNode } from './chain-node.ts';
import { tenantOnChain } from './ledger-call.ts';
import { ChainConfigurationError, type Chain } from './open-chain.ts';
import { readConfirmed } from './queries.ts';

/** An entry on the chain. */
export interface AppendedEntry {
  index: number;
  hash: Hex;
}

/** A node may need a long time for the blocks of a year. */
const TIMEOUT_MS = 60_000;

/**
 * Reads the entries of a tenant on the chain, in order, in portions. It requests all blocks at once, and half as many if the
 * node refuses the range. Throws {@link ChainConfigurationError} if the node does not return the logs.
 */
export async function* readAppended(
  database: Database,
  { rpcUrl, writer }: Chain,
  tenantId: string,
): AsyncGenerator<AppendedEntry[]> {
  const { firstBlock } = await readConfirmed(database, writer);
  if (firstBlock === null) return;
  const node = createChainNode(rpcUrl, { timeoutMs: TIMEOUT_MS });
  const event = { abi: guildhallLedgerAbi, eventName: 'Appended' } as const;
  const topics = encodeEventTopics({ ...event, args: { tenant: tenantOnChain(tenantId) } }) as Hex[];
  try {
    const { block: head } = await node.head();
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
      throw new ChainConfigurationError(`The entries on the chain cannot be read: ${error.message}`, {
        cause: error,
      });
    throw error;
  }
}
