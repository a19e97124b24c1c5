import { circuitBreaker, ConsecutiveBreaker, handleAll } from 'cockatiel';
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import { guildhallLedgerAbi } from '../../../../contracts/guildhall-ledger.ts';
import type { Database } from '../../../database/database.ts';
import { openChainNode } from './chain-node.ts';
import { tenantOnChain } from './ledger-call.ts';
import { readHeadBlock, type Writer } from './queries.ts';

/** What the contract says, as of the newest block that is final. Undefined where the node does not say it in time. */
export interface ChainReader {
  /** The index of the player of a keyed hash; 0 where the contract knows none. */
  findPlayer(tenantId: string, what: 'address' | 'name', hash: Hex): Promise<number | undefined>;
  /** What became of a player, up to the entry `entry`. */
  readPlayer(
    tenantId: string,
    playerIndex: number,
  ): Promise<{ name: Hex; score: bigint; kind: number; entry: number } | undefined>;
}

/** Requests wait for this, and the database knows the same: so not for long. */
const WITHIN_MS = 1000;
/** After so many failures the node is left alone for a while. */
const FAILURES = 3;
const LEFT_ALONE_MS = 10_000;

/** Opens the contract of a writer for reading. */
export function createChainReader(
  database: Database,
  rpcUrl: string,
  writer: Writer,
  confirmations: number,
): ChainReader {
  const node = openChainNode(rpcUrl, { withinMs: WITHIN_MS });
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: LEFT_ALONE_MS,
    breaker: new ConsecutiveBreaker(FAILURES),
  });
  const read = async <Answer>(data: Hex, decode: (answer: Hex) => Answer): Promise<Answer | undefined> => {
    const head = await readHeadBlock(database, writer.id);
    const final = head - confirmations + 1;
    if (final < 0) return undefined;
    // A block before the contract's own gives an answer too, an empty one.
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
