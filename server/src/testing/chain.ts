import { decodeEventLog, encodeEventTopics, parseAbiItem, toHex, type Address, type Hex } from 'viem';
import { guildhallLedgerAbi } from '../../contracts/guildhall-ledger.ts';
import type { ChainSettings } from '../features/wallet/chain/index.ts';
import { deployContract } from '../features/wallet/chain/index.ts';
import { richKeys, startEvmNode, type EvmNode, type EvmNodeOptions } from './evm-node.ts';

/** An EVM chain with the deployed contract. */
export interface TestChain {
  node: EvmNode;
  settings: ChainSettings;
  /** The settings as environment variables. */
  env: Record<string, string>;
  /** Returns the entries of a tenant on the chain as `index:hash`, in order. */
  entries(tenantId: string): Promise<string[]>;
  /** Sends another transaction of the signer, with the next nonce or a given one. */
  sendForeign(nonce?: number): Promise<void>;
}

const appended = parseAbiItem('event Appended(bytes16 indexed tenant, uint64 indexed index, bytes32 hash)');

/** Starts a node and deploys the contract. Every test file has its own node and signer. */
export async function startTestChain(options: EvmNodeOptions = {}): Promise<TestChain> {
  const node = await startEvmNode(options);
  const signerKey: Hex = richKeys[0];
  const feeLimit = 500_000_000_000;
  const { contract, writer } = await deployContract({ rpcUrl: node.url, signerKey, feeLimit });
  const settings = { rpcUrl: node.url, contract, signerKey, confirmations: 1, feeLimit };
  return {
    node,
    settings,
    env: chainEnv(settings),
    async entries(tenantId) {
      const topics = encodeEventTopics({
        abi: [appended],
        args: { tenant: `0x${tenantId.replaceAll('-', '')}` },
      });
      const filter = { address: contract, topics, fromBlock: '0x0', toBlock: 'latest' };
      const logs = await node.ask<{ topics: [Hex, ...Hex[]]; data: Hex }[]>('eth_getLogs', filter);
      return logs.map((log) => {
        const { args } = decodeEventLog({ abi: guildhallLedgerAbi, eventName: 'Appended', ...log });
        return `${args.index}:${args.hash}`;
      });
    },
    async sendForeign(nonce) {
      const chosen = nonce !== undefined && { nonce: toHex(nonce) };
      await node.ask('eth_sendTransaction', { from: writer, to: writer, value: '0x1', ...chosen });
    },
  };
}

function chainEnv({ rpcUrl, contract, signerKey, confirmations }: ChainSettings): Record<string, string> {
  return {
    CHAIN_RPC_URL: rpcUrl,
    CHAIN_CONTRACT_ADDRESS: contract satisfies Address,
    CHAIN_SIGNER_KEY: signerKey,
    CHAIN_CONFIRMATIONS: String(confirmations),
  };
}
