import {
  BaseError,
  createPublicClient,
  decodeErrorResult,
  hexToBigInt,
  hexToNumber,
  http,
  numberToHex,
  RpcRequestError,
  type Address,
  type Hex,
  type TransactionReceipt,
} from 'viem';
import { guildhallLedgerAbi } from '../../../../contracts/guildhall-ledger.ts';

/** The fees per unit of gas, in wei. */
export interface Fees {
  baseFee: number;
  priorityFee: number;
}

export interface Block {
  number: number;
  hash: Hex;
}

/** The newest block of the chain, and the fees of the next one. */
export interface ChainHead {
  block: Block;
  fees: Fees;
}

/** The result of a transaction in a block. */
interface Receipt {
  succeeded: boolean;
  block: Block;
}

/** Thrown if a request to a node fails. */
export class ChainNodeError extends Error {
  override name = 'ChainNodeError';
}

/** Thrown if a node does not respond, or sends a malformed response. */
export class ChainUnavailableError extends ChainNodeError {
  override name = 'ChainUnavailableError';
}

/** Thrown if a node returns a JSON-RPC error. */
export class ChainRefusedError extends ChainNodeError {
  override name = 'ChainRefusedError';
}

/** A client of an EVM node. All methods throw {@link ChainUnavailableError} or {@link ChainRefusedError}. */
export interface ChainNode {
  chainId(): Promise<number>;
  head(): Promise<ChainHead>;
  /** The hash of a block by its number. Undefined if there is none. */
  blockHash(number: number): Promise<Hex | undefined>;
  /** Whether the node is still downloading blocks of its network. */
  isSyncing(): Promise<boolean>;
  /** The number of an account's transactions in blocks, or with `pending` also in the node's pool. */
  transactionCount(address: Address, tag?: 'latest' | 'pending'): Promise<number>;
  balance(address: Address): Promise<bigint>;
  hasCode(address: Address): Promise<boolean>;
  receipt(hash: Hex): Promise<Receipt | undefined>;
  /** Whether the node has the transaction, in a block or in its pool. */
  knows(hash: Hex): Promise<boolean>;
  send(signed: Hex): Promise<void>;
  /** The gas that a call would use, or the reason if the contract would refuse it. */
  simulate(call: { from: Address; to?: Address; data: Hex }): Promise<{ gas: number } | { refusal: Refusal }>;
  /** The result of a read-only call, at a block or at the newest one. */
  read(to: Address, data: Hex, block?: number): Promise<Hex>;
  /** The logs of a contract with these topics in an inclusive range of blocks. */
  logs(contract: Address, topics: Hex[], from: number, to: number): Promise<Log[]>;
}

/** Why the contract refuses a call: one of its errors with the arguments, or the message of the node. */
export interface Refusal {
  name: string;
  values: readonly unknown[];
}

interface Log {
  topics: [Hex, ...Hex[]];
  data: Hex;
  blockNumber: Hex;
}

const TIMEOUT_MS = 5000;

/** The priority fee if the node suggests none: 1 gwei. */
const DEFAULT_PRIORITY_FEE = numberToHex(1_000_000_000);

/** Creates a client of the node with this JSON-RPC URL. */
export function createChainNode(url: string, { timeoutMs = TIMEOUT_MS } = {}): ChainNode {
  const client = createPublicClient({ transport: http(url, { timeout: timeoutMs, retryCount: 0 }) });
  const ask = async <Answer>(method: string, ...params: unknown[]): Promise<Answer> => {
    const answer = await client.request({ method, params } as never).catch((error: unknown) => {
      throw nodeError(error);
    });
    if (answer === undefined) throw new ChainUnavailableError('The response has no result.');
    return answer;
  };

  return {
    chainId: async () => toNumber(await ask<Hex>('eth_chainId')),
    async head() {
      const [block, priorityFee] = await Promise.all([
        ask<RpcBlock>('eth_getBlockByNumber', 'latest', false),
        unless(ChainRefusedError, ask<Hex>('eth_maxPriorityFeePerGas'), DEFAULT_PRIORITY_FEE),
      ]);
      if (!block) throw new ChainUnavailableError('The node has no block yet.');
      const { number, hash, baseFeePerGas = '0x0' } = block;
      return {
        block: { number: toNumber(number), hash },
        fees: { baseFee: toNumber(baseFeePerGas), priorityFee: toNumber(priorityFee) },
      };
    },
    async blockHash(number) {
      return (await ask<RpcBlock>('eth_getBlockByNumber', numberToHex(number), false))?.hash;
    },
    isSyncing: async () =>
      (await unless(ChainRefusedError, ask<object | false>('eth_syncing'), false)) !== false,
    transactionCount: async (address, tag = 'latest') =>
      toNumber(await ask<Hex>('eth_getTransactionCount', address, tag)),
    balance: async (address) => hexToBigInt(await ask<Hex>('eth_getBalance', address, 'latest')),
    hasCode: async (address) => (await ask<Hex>('eth_getCode', address, 'latest')) !== '0x',
    async receipt(hash) {
      const receipt = await ask<RpcReceipt | null>('eth_getTransactionReceipt', hash);
      if (!receipt) return undefined;
      const { status, blockNumber, blockHash } = receipt;
      return {
        succeeded: status === '0x1',
        block: { number: toNumber(blockNumber), hash: blockHash },
      };
    },
    knows: async (hash) => (await ask<object | null>('eth_getTransactionByHash', hash)) !== null,
    send: async (signed) => void (await ask('eth_sendRawTransaction', signed)),
    async simulate(call) {
      try {
        return { gas: toNumber(await ask<Hex>('eth_estimateGas', call, 'latest')) };
      } catch (error) {
        if (!(error instanceof ChainRefusedError)) throw error;
        return { refusal: refusalOf(error) };
      }
    },
    read: (to, data, block) =>
      ask<Hex>('eth_call', { to, data }, block === undefined ? 'latest' : numberToHex(block)),
    logs: (contract, topics, from, to) =>
      ask<Log[]>('eth_getLogs', {
        address: contract,
        topics,
        fromBlock: numberToHex(from),
        toBlock: numberToHex(to),
      }),
  };
}

/** The answer, or `otherwise` if it fails with an error of this class. Nodes refuse methods that they do not support. */
export async function unless<Answer, Otherwise>(
  failure: typeof ChainNodeError,
  answer: Promise<Answer>,
  otherwise: Otherwise,
): Promise<Answer | Otherwise> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof failure) return otherwise;
    throw error;
  }
}

type RpcBlock = { number: Hex; hash: Hex; baseFeePerGas?: Hex } | null;
type RpcReceipt = Record<keyof Pick<TransactionReceipt, 'status' | 'blockNumber' | 'blockHash'>, Hex>;

function toNumber(hex: Hex): number {
  try {
    return hexToNumber(hex);
  } catch {
    throw new ChainUnavailableError(`The response contains ${JSON.stringify(hex)} instead of a number.`);
  }
}

/** Keeps only the message of the node or the network. The full text of an error contains the URL, which may contain a key. */
function nodeError(error: unknown): ChainNodeError {
  if (!(error instanceof BaseError)) return new ChainUnavailableError((error as Error).message);
  const answer = error.walk((cause) => cause instanceof RpcRequestError);
  if (answer instanceof RpcRequestError)
    return new ChainRefusedError(answer.details, { cause: { data: answer.data } });
  return new ChainUnavailableError(error.details || error.shortMessage);
}

function refusalOf(error: ChainRefusedError): Refusal {
  const { data } = error.cause as { data?: unknown };
  const bytes = typeof data === 'string' ? data : (data as { data?: unknown } | undefined)?.data;
  try {
    const { errorName, args } = decodeErrorResult({ abi: guildhallLedgerAbi, data: bytes as Hex });
    return { name: errorName, values: args ?? [] };
  } catch {
    return { name: error.message, values: [] };
  }
}
