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

/** How much of a second unit of gas costs, in wei. */
export interface Fees {
  baseFee: number;
  priorityFee: number;
}

export interface Block {
  number: number;
  hash: Hex;
}

/** What became of a transaction in a block. */
export interface Receipt {
  succeeded: boolean;
  block: Block;
}

/** Thrown where a node gives no answer, or none that can be used: it says nothing about what was asked. */
export class ChainUnavailableError extends Error {
  override name = 'ChainUnavailableError';
}

/** Thrown where a node answers that it will not. */
export class ChainRefusedError extends Error {
  override name = 'ChainRefusedError';
}

/** A node of an EVM chain, as far as we ask it. All of it throws {@link ChainUnavailableError} and {@link ChainRefusedError}. */
export interface ChainNode {
  chainId(): Promise<number>;
  head(): Promise<Block & { baseFee: number }>;
  /** The hash of the block of a number; undefined where there is none. */
  blockHash(number: number): Promise<Hex | undefined>;
  /** What a node takes for a tip that suffices. */
  priorityFee(): Promise<number>;
  /** How many transactions of an account are in blocks, or also on their way. */
  transactionCount(address: Address, tag?: 'latest' | 'pending'): Promise<number>;
  balance(address: Address): Promise<bigint>;
  hasCode(address: Address): Promise<boolean>;
  receipt(hash: Hex): Promise<Receipt | undefined>;
  /** Whether the node has the transaction, in a block or on its way there. */
  knows(hash: Hex): Promise<boolean>;
  send(signed: Hex): Promise<void>;
  /** What a call would burn, or the reason for which the contract would refuse it. */
  rehearse(call: { from: Address; to?: Address; data: Hex }): Promise<{ gas: number } | { refusal: Refusal }>;
  /** What a call that changes nothing gives, as of a block or now. */
  read(to: Address, data: Hex, block?: number): Promise<Hex>;
  /** The logs of a contract with these topics in a range of blocks, both ends included. */
  logs(contract: Address, topics: Hex[], from: number, to: number): Promise<Log[]>;
}

/** Why the contract refuses: one of its errors with what it says, or the node's own words. */
export interface Refusal {
  name: string;
  values: readonly unknown[];
}

export interface Log {
  topics: [Hex, ...Hex[]];
  data: Hex;
  blockNumber: Hex;
}

/** Longer than this is no answer. */
const WITHIN_MS = 5000;

/** A tip for chains whose nodes do not say which suffices: 1 gwei. */
const USUAL_PRIORITY_FEE = 1_000_000_000;

/** Opens a node by the address of its JSON-RPC. */
export function openChainNode(url: string, { withinMs = WITHIN_MS } = {}): ChainNode {
  const client = createPublicClient({ transport: http(url, { timeout: withinMs, retryCount: 0 }) });
  const ask = async <Answer>(method: string, ...params: unknown[]): Promise<Answer> => {
    const answer = await client.request({ method, params } as never).catch((error: unknown) => {
      throw nodeError(error);
    });
    if (answer === undefined) throw new ChainUnavailableError('It answers with no result.');
    return answer;
  };

  return {
    chainId: async () => toNumber(await ask<Hex>('eth_chainId')),
    async head() {
      const block = await ask<RpcBlock>('eth_getBlockByNumber', 'latest', false);
      if (!block) throw new ChainUnavailableError('The node has no block yet.');
      const { number, hash, baseFeePerGas = '0x0' } = block;
      return { number: toNumber(number), hash, baseFee: toNumber(baseFeePerGas) };
    },
    async blockHash(number) {
      return (await ask<RpcBlock>('eth_getBlockByNumber', numberToHex(number), false))?.hash;
    },
    async priorityFee() {
      try {
        return toNumber(await ask<Hex>('eth_maxPriorityFeePerGas'));
      } catch (error) {
        if (error instanceof ChainRefusedError) return USUAL_PRIORITY_FEE;
        throw error;
      }
    },
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
    async rehearse(call) {
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

type RpcBlock = { number: Hex; hash: Hex; baseFeePerGas?: Hex } | null;
type RpcReceipt = Record<keyof Pick<TransactionReceipt, 'status' | 'blockNumber' | 'blockHash'>, Hex>;

function toNumber(hex: Hex): number {
  try {
    return hexToNumber(hex);
  } catch {
    throw new ChainUnavailableError(`It says ${JSON.stringify(hex)}, which is no number.`);
  }
}

/** Only words that the node or the network said: an error's whole text holds the address, and that may hold a key. */
function nodeError(error: unknown): ChainUnavailableError | ChainRefusedError {
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
