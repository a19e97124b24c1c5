import { decodeEventLog, encodeEventTopics, type Hex } from 'viem';
import { guildhallLedgerAbi } from '../../../../contracts/guildhall-ledger.ts';
import type { Database } from '../../../database/database.ts';
import { ChainUnavailableError, ChainRefusedError, openChainNode } from './chain-node.ts';
import { tenantOnChain } from './ledger-call.ts';
import { ChainConfigurationError, type Chain } from './open-chain.ts';
import { readConfirmed } from './queries.ts';

/** An entry as the chain has it. */
export interface AppendedEntry {
  index: number;
  hash: Hex;
}

/** A range of a year may take a node long. */
const WITHIN_MS = 60_000;

/**
 * The entries of a tenant on the chain, in their order, in portions. It asks for all blocks at once, and where the node finds
 * that too many, for half of them. Throws {@link ChainConfigurationError} where the node does not say.
 */
export async function* readAppended(
  database: Database,
  { rpcUrl, writer }: Chain,
  tenantId: string,
): AsyncGenerator<AppendedEntry[]> {
  const { firstBlock } = await readConfirmed(database, writer.id);
  if (firstBlock === null) return;
  const node = openChainNode(rpcUrl, { withinMs: WITHIN_MS });
  const event = { abi: guildhallLedgerAbi, eventName: 'Appended' } as const;
  const topics = encodeEventTopics({ ...event, args: { tenant: tenantOnChain(tenantId) } }) as Hex[];
  try {
    const head = await node.head();
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
    if (error instanceof ChainUnavailableError || error instanceof ChainRefusedError)
      throw new ChainConfigurationError(`The chain cannot be compared: ${error.message}`, { cause: error });
    throw error;
  }
}
