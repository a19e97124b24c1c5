import { setTimeout as sleep } from 'node:timers/promises';
import { encodeDeployData, getContractAddress, keccak256, type Address, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { guildhallLedgerAbi, guildhallLedgerBytecode } from '../../../../contracts/guildhall-ledger.ts';
import { ChainUnavailableError, ChainRefusedError, openChainNode } from './chain-node.ts';
import { capOf } from './fees.ts';
import { ChainConfigurationError } from './open-chain.ts';

const LOOK_EVERY_MS = 250;
const WITHIN_MS = 180_000;

/** Puts the contract on the chain, with the signer as its writer and as its owner, or with another owner. */
export async function deployContract(
  { rpcUrl, signerKey }: { rpcUrl: string; signerKey: Hex },
  owner?: Address,
): Promise<{ contract: Address; chainId: number; hash: Hex; owner: Address; writer: Address }> {
  const node = openChainNode(rpcUrl);
  const account = privateKeyToAccount(signerKey);
  const writer = account.address;
  const data = encodeDeployData({
    abi: guildhallLedgerAbi,
    bytecode: guildhallLedgerBytecode,
    args: [owner ?? writer, writer],
  });
  try {
    const [chainId, head, priorityFee, nonce, rehearsal] = await Promise.all([
      node.chainId(),
      node.head(),
      node.priorityFee(),
      node.transactionCount(writer, 'pending'),
      node.rehearse({ from: writer, data }),
    ]);
    if ('refusal' in rehearsal)
      throw new ChainConfigurationError(`The contract cannot be deployed: ${rehearsal.refusal.name}`);
    const cap = capOf({ baseFee: head.baseFee, priorityFee });
    const signed = await account.signTransaction({
      type: 'eip1559',
      chainId,
      data,
      nonce,
      gas: BigInt(Math.ceil(rehearsal.gas * 1.2)),
      maxFeePerGas: BigInt(cap.maxFee),
      maxPriorityFeePerGas: BigInt(cap.priorityFee),
    });
    const hash = keccak256(signed);
    await node.send(signed);
    const end = Date.now() + WITHIN_MS;
    while (!(await node.receipt(hash))?.succeeded) {
      if (Date.now() > end)
        throw new ChainConfigurationError(
          `The transaction ${hash} is in no block yet; look for it on the chain.`,
        );
      await sleep(LOOK_EVERY_MS);
    }
    const contract = getContractAddress({ from: writer, nonce: BigInt(nonce) });
    return { contract, chainId, hash, owner: owner ?? writer, writer };
  } catch (error) {
    if (error instanceof ChainUnavailableError || error instanceof ChainRefusedError)
      throw new ChainConfigurationError(`The node of CHAIN_RPC_URL does not help: ${error.message}`, {
        cause: error,
      });
    throw error;
  }
}
