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
import { createOutboundProvider, type OutboundProvider } from '../../../outbound/provider.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { Challenge } from './queries.ts';

/** Wallets that are contracts: they judge signatures themselves. */
export interface ContractWallets {
  /**
   * Whether the contract at the address of a challenge says that the signature is its own (EIP-1271), also where it is yet
   * to be deployed (ERC-6492). False on chains without a node. Throws provider_unavailable where the node gives no answer.
   */
  haveSigned(challenge: Challenge, signature: string): Promise<boolean>;
}

const erc1271 = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);
/** `isValidSignature` says yes by its own selector, in a word of its own: a contract that repeats what it is asked does not. */
const YES_OF_WALLET = `0x1626ba7e${'0'.repeat(56)}`;
const YES_OF_VALIDATOR = '0x01';

/**
 * What a wallet's code may burn: the caller chooses that code. Deploying a wallet and verifying a passkey takes three
 * million; one Ethereum transaction may take 16.
 */
const GAS: Hex = '0xa00000';

/**
 * Whom wallets see as their caller. Some believe anybody when it is the zero address, by which simulations go: this is
 * "guildhall" in ASCII.
 */
const CALLER: Hex = '0x00000000000000000000006775696c6468616c6c';

/** Asks the nodes of the operator, by chain id. */
export function createContractWallets(
  rpcUrls: ReadonlyMap<number, string>,
  client: OutboundClient,
): ContractWallets {
  const nodes = new Map(
    [...rpcUrls].map(([chainId, url]) => [
      chainId,
      { url, provider: createOutboundProvider(`The node of chain ${chainId}`, client) },
    ]),
  );
  return {
    async haveSigned({ address, chainId, message }, signature) {
      const node = nodes.get(chainId);
      if (!node || !isBytes(signature)) return false;
      const hash = hashMessage(message);
      if (!isErc6492Signature(signature)) {
        const data = encodeFunctionData({ abi: erc1271, args: [hash, signature] });
        return (await call(node, { to: address, data })) === YES_OF_WALLET;
      }
      const data = encodeDeployData({
        abi: erc6492SignatureValidatorAbi,
        bytecode: erc6492SignatureValidatorByteCode,
        args: [address, hash, signature],
      });
      return (await call(node, { data })) === YES_OF_VALIDATOR;
    },
  };
}

function isBytes(text: string): text is Hex {
  return /^0x([0-9a-f]{2})+$/i.test(text);
}

/** Runs code on a chain without changing it. Undefined where the code fails. */
async function call(
  { url, provider }: { url: string; provider: OutboundProvider },
  transaction: { to?: Hex; data: Hex },
): Promise<string | undefined> {
  const params = [{ from: CALLER, gas: GAS, ...transaction }, 'latest'];
  const { text } = await provider.ask(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }),
  });
  const { result, error } = readAnswer(text);
  if (typeof result === 'string') return result;
  if (error && saysThatCodeFailed(error)) return undefined;
  throw new ProblemError(
    'provider_unavailable',
    'The node of the chain does not answer for the wallet. Try again in a moment.',
  );
}

interface RpcAnswer {
  result?: unknown;
  error?: { code?: unknown; message?: unknown } | null;
}

function readAnswer(text: string): RpcAnswer {
  try {
    return (JSON.parse(text) as RpcAnswer | null) ?? {};
  } catch {
    return {};
  }
}

/** Nodes agree on the code of a revert, 3, and on little else; what is wrong with themselves they say in other words. */
function saysThatCodeFailed({ code, message }: { code?: unknown; message?: unknown }): boolean {
  return code === 3 || /revert|out ?of ?gas|gas required|opcode|invalid jump|\bE?VM e/i.test(String(message));
}
