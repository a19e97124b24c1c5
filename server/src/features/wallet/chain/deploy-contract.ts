import { setTimeout as sleep } from 'node:timers/promises';
import { encodeDeployData, getContractAddress, type Address, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { guildhallLedgerAbi, guildhallLedgerBytecode } from '../../../../contracts/guildhall-ledger.ts';
import { OperatorError } from '../../../core/operator-error.ts';
import {
  ChainNodeError,
  ChainUnavailableError,
  createChainNode,
  unless,
  type ChainNode,
} from './chain-node.ts';
import { feeCapOf } from './fees.ts';
import type { ChainSettings } from './open-chain.ts';
import { signCall } from './signer.ts';

/** The gas limit is the simulated gas times this factor. */
const GAS_MARGIN = 1.2;

const POLL_MS = 250;
const TIMEOUT_MS = 180_000;

/** The settings that exist before there is a contract. */
export type DeploymentSettings = Omit<ChainSettings, 'contract' | 'confirmations'>;

/**
 * Deploys the contract with the signer as its writer. The signer is also its owner, unless `owner` is given. Calls `onSent` before it
 * waits for a block.
 */
export async function deployContract(
  { rpcUrl, signerKey, feeLimit }: DeploymentSettings,
  { owner, onSent = () => {} }: { owner?: Address; onSent?(hash: Hex, contract: Address): void } = {},
): Promise<{ contract: Address; chainId: number; hash: Hex; owner: Address; writer: Address }> {
  const node = createChainNode(rpcUrl);
  const account = privateKeyToAccount(signerKey);
  const writer = account.address;
  const data = encodeDeployData({
    abi: guildhallLedgerAbi,
    bytecode: guildhallLedgerBytecode,
    args: [owner ?? writer, writer],
  });
  try {
    const [chainId, { fees }, nonce, simulation] = await Promise.all([
      node.chainId(),
      node.head(),
      node.transactionCount(writer, 'pending'),
      node.simulate({ from: writer, data }),
    ]);
    if ('refusal' in simulation)
      throw new OperatorError(`The contract cannot be deployed: ${simulation.refusal.name}`);
    const gas = Math.ceil(simulation.gas * GAS_MARGIN);
    const { hash, signed } = await signCall(account, { chainId, data, gas }, nonce, feeCapOf(fees, feeLimit));
    const contract = getContractAddress({ from: writer, nonce: BigInt(nonce) });
    // A node that does not answer may have the transaction.
    await unless(ChainUnavailableError, node.send(signed), undefined);
    onSent(hash, contract);
    await untilDeployed(node, hash, contract);
    return { contract, chainId, hash, owner: owner ?? writer, writer };
  } catch (error) {
    if (error instanceof ChainNodeError)
      throw new OperatorError(`The node of CHAIN_RPC_URL failed: ${error.message}`, {
        cause: error,
      });
    throw error;
  }
}

/** A deployment that was sent costs funds and must not be sent again, so a node that fails only delays it. */
async function untilDeployed(node: ChainNode, hash: Hex, contract: Address): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  while (performance.now() < end) {
    const receipt = await unless(ChainNodeError, node.receipt(hash), undefined);
    if (receipt?.succeeded) return;
    if (receipt)
      throw new OperatorError(
        `The chain has refused the transaction ${hash}, so there is no contract. Look for the reason on the chain.`,
      );
    await sleep(POLL_MS);
  }
  throw new OperatorError(
    `The transaction ${hash} is not in a block after ${TIMEOUT_MS / 1000} s. Look for it on the chain. ` +
      `If a block contains it later, the contract is at ${contract}.`,
  );
}
