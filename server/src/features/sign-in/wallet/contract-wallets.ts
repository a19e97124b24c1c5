import {
  encodeDeployData,
  encodeFunctionData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  hashMessage,
  isErc6492Signature,
  parseAbi,
  type Hex,
} from 'viem';
import type { OutboundClient } from '../../../outbound/http-client.ts';
import { createTenantProviders, jsonObjectOf, type OutboundProvider } from '../../../outbound/provider.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { CreateBudget } from '../../../security/attempt-budget.ts';
import { createNetworkBudget } from '../../../security/network-budget.ts';
import type { ChallengeSource } from './challenge-budget.ts';
import type { Challenge } from './queries.ts';

/** Wallets that are smart contracts. The contract decides whether a signature is valid. */
export interface ContractWallets {
  /**
   * Whether the contract at the address of a tenant's challenge accepts the signature (EIP-1271). The contract may be not yet deployed
   * (ERC-6492). Returns false if no node is configured for the chain. Throws too_many_attempts, and provider_unavailable if the node
   * sends no usable response.
   */
  haveSigned(source: ChallengeSource, challenge: Challenge, signature: string): Promise<boolean>;
}

const erc1271 = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);
/** `isValidSignature` returns its own selector, padded to 32 bytes. A contract that echoes its input does not match. */
const VALID_BY_WALLET = `0x1626ba7e${'0'.repeat(56)}`;
const VALID_BY_VALIDATOR = '0x01';

/**
 * The gas limit: 10,485,760. The client chooses the wallet's code, so the limit is needed. Deploying a wallet and verifying a passkey
 * takes 3 million gas. One Ethereum transaction may take 16 million.
 */
const GAS: Hex = '0xa00000';

/**
 * A valid response has about 100 bytes. The wallet's code determines how much it returns, and megabytes cost little gas. Without this
 * limit, they would be an error of the node.
 */
const MAX_RESPONSE_BYTES = 4096;

/**
 * The caller that wallets see: "guildhall" in ASCII. It is not the zero address, because some wallets accept every signature from it
 * to support simulations.
 */
const CALLER: Hex = '0x00000000000000000000006775696c6468616c6c';

/**
 * Calls to nodes per network and tenant. A node costs money for each call, and anybody can write a wallet that accepts every signature.
 * So correct signatures count too, unlike those of keys.
 */
const CALLS = 900;
const WINDOW_SECONDS = 15 * 60;

/** `rpcUrls` are the operator's nodes by chain id. */
export function createContractWallets(
  rpcUrls: ReadonlyMap<number, string>,
  client: OutboundClient,
  createBudget: CreateBudget,
): ContractWallets {
  const budget = createNetworkBudget(createBudget, {
    name: 'contract-wallets',
    attempts: CALLS,
    seconds: WINDOW_SECONDS,
    refusal:
      'Too many sign-ins with contract wallets from this network (900 in 15 minutes). Try again later, or use a wallet with a key.',
  });
  const nodes = new Map(
    [...rpcUrls].map(([chainId, url]) => [
      chainId,
      { url, providerOf: createTenantProviders(`The node of chain ${chainId}`, client) },
    ]),
  );
  return {
    async haveSigned(source, { address, chainId, message }, signature) {
      const node = nodes.get(chainId);
      if (!node || !isBytes(signature)) return false;
      await budget.spend(source.ipAddress, source.tenantId);
      const ask = (transaction: Call) => call(node.url, node.providerOf(source.tenantId), transaction);
      const hash = hashMessage(message);
      if (!isErc6492Signature(signature)) {
        const data = encodeFunctionData({ abi: erc1271, args: [hash, signature] });
        return (await ask({ to: address, data })) === VALID_BY_WALLET;
      }
      const data = encodeDeployData({
        abi: erc6492SignatureValidatorAbi,
        bytecode: erc6492SignatureValidatorByteCode,
        args: [address, hash, signature],
      });
      return (await ask({ data })) === VALID_BY_VALIDATOR;
    },
  };
}

function isBytes(text: string): text is Hex {
  return /^0x([0-9a-f]{2})+$/i.test(text);
}

interface Call {
  to?: Hex;
  data: Hex;
}

/** Runs `eth_call`. Returns undefined if the code reverts or fails, or returns too much. */
async function call(url: string, provider: OutboundProvider, transaction: Call): Promise<string | undefined> {
  const params = [{ from: CALLER, gas: GAS, ...transaction }, 'latest'];
  const answer = await provider.ask(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }),
    readUpTo: MAX_RESPONSE_BYTES,
  });
  const response: RpcResponse | undefined = jsonObjectOf(answer);
  // The rest was not read. A response of a node that is not JSON begins with another character.
  if (!response && answer.text.startsWith('{')) return undefined;
  const { result, error } = response ?? {};
  if (typeof result === 'string') return result;
  if (error && isExecutionError(error)) return undefined;
  throw new ProblemError(
    'provider_unavailable',
    'The node of the chain did not verify the wallet. Try again later.',
  );
}

interface RpcResponse {
  result?: unknown;
  error?: { code?: unknown; message?: unknown } | null;
}

/** All nodes use code 3 for a revert. Other failures of the code have different messages in each node. */
function isExecutionError({ code, message }: { code?: unknown; message?: unknown }): boolean {
  return code === 3 || /revert|out ?of ?gas|gas required|opcode|invalid jump|\bE?VM e/i.test(String(message));
}
