import { handleAll } from 'cockatiel';
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import { guildhallLedgerAbi } from '../../../../contracts/guildhall-ledger.ts';
import type { Database } from '../../../database/database.ts';
import { createCircuitBreaker } from '../../../outbound/circuit-breaker.ts';
import { createChainNode } from './chain-node.ts';
import { tenantOnChain } from './ledger-call.ts';
import { readHeadBlock, type Writer } from './queries.ts';

/** Reads the contract at the newest final block. Results are undefined if the node does not respond in time. */
export interface ChainReader {
  /** The index of the player with a keyed hash. 0 if the contract has no such player. */
  findPlayer(tenantId: string, what: 'address' | 'name', hash: Hex): Promise<number | undefined>;
  /** The state of a player after the entry `entry`. */
  readPlayer(
    tenantId: string,
    playerIndex: number,
  ): Promise<{ name: Hex; score: bigint; kind: number; entry: number } | undefined>;
}

/** A short timeout, because requests wait for it and the database has the same data. */
const TIMEOUT_MS = 1000;
/** After this many consecutive failures, the circuit breaker opens for a while. */
const FAILURES_BEFORE_OPEN = 3;
const OPEN_MS = 10_000;

/** Creates a reader of the contract of a writer. */
export function createChainReader(
  database: Database,
  rpcUrl: string,
  writer: Writer,
  confirmations: number,
): ChainReader {
  const node = createChainNode(rpcUrl, { timeoutMs: TIMEOUT_MS });
  const breaker = createCircuitBreaker({
    failures: handleAll,
    opensAfter: FAILURES_BEFORE_OPEN,
    openMs: OPEN_MS,
  });
  const read = async <Answer>(data: Hex, decode: (answer: Hex) => Answer): Promise<Answer | undefined> => {
    const head = await readHeadBlock(database, writer.id);
    const final = head - confirmations + 1;
    if (final < 0) return undefined;
    // At a block before the contract's deployment, the node returns an empty result, and decoding fails.
    return breaker
      .execute(async () => decode(await node.read(writer.contract, data, final)))
      .catch(() => undefined);
  };

  return {
    async findPlayer(tenantId, what, hash) {
      const functionName = what === 'name' ? 'playerOfName' : 'playerOfAccount';
      const call = { abi: guildhallLedgerAbi, functionName } as const;
      const args = [tenantOnChain(tenantId), hash] as const;
      return read(encodeFunctionData({ ...call, args }), (data) =>
        Number(decodeFunctionResult({ ...call, data })),
      );
    },
    async readPlayer(tenantId, playerIndex) {
      const call = { abi: guildhallLedgerAbi, functionName: 'players' } as const;
      const args = [tenantOnChain(tenantId), BigInt(playerIndex)] as const;
      return read(encodeFunctionData({ ...call, args }), (data) => {
        const [name, , score, entry, kind] = decodeFunctionResult({ ...call, data });
        return { name, score, kind, entry: Number(entry) };
      });
    },
  };
}
