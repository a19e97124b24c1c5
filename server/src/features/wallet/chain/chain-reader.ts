import { handleAll } from 'cockatiel';
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import { createLruCache } from '../../../core/lru-cache.ts';
import { guildhallLedgerAbi } from '../../../../contracts/guildhall-ledger.ts';
import type { Database } from '../../../database/database.ts';
import { createCircuitBreaker } from '../../../outbound/circuit-breaker.ts';
import { MemoryLimiter } from '../../../security/memory-limiter.ts';
import { createChainNode } from './chain-node.ts';
import { tenantOnChain } from './ledger-call.ts';
import { readHeadBlock, type Writer } from './writer-queries.ts';

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

/** Any holder of a game key causes reads. Above this rate the database answers, so that the sender keeps its share of the node. */
const MAX_READS_PER_SECOND = 20;
const MAX_CACHED = 10_000;

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
  /** The answers at one block. They do not change, because the block is final. */
  const answers = createLruCache<string, Promise<Hex | undefined>>(MAX_CACHED);
  let cachedBlock = -1;
  const limiter = new MemoryLimiter({ points: MAX_READS_PER_SECOND, duration: 1 });
  const ask = (data: Hex, block: number): Promise<Hex | undefined> =>
    limiter
      .consume('reads')
      .then(() => breaker.execute(() => node.read(writer.contract, data, block)))
      .catch(() => undefined);
  const askOnce = async (data: Hex, block: number): Promise<Hex | undefined> => {
    if (block !== cachedBlock) answers.clear();
    cachedBlock = block;
    let answer = answers.get(data);
    if (!answer) answers.set(data, (answer = ask(data, block)));
    if ((await answer) === undefined && answers.peek(data) === answer) answers.delete(data);
    return answer;
  };
  const read = async <Answer>(data: Hex, decode: (answer: Hex) => Answer): Promise<Answer | undefined> => {
    const head = await readHeadBlock(database, writer.id);
    const final = head - confirmations + 1;
    if (final < 0) return undefined;
    const answer = await askOnce(data, final);
    if (answer === undefined) return undefined;
    try {
      return decode(answer);
    } catch {
      // At a block before the contract's deployment, the node returns an empty result.
      return undefined;
    }
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
