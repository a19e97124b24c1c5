import { decodeFunctionResult, encodeFunctionData, type Address } from 'viem';
import { guildhallLedgerAbi } from '../../../../contracts/guildhall-ledger.ts';
import { ChainNodeError, ChainRefusedError, type ChainNode, type Refusal } from './chain-node.ts';
import type { Batch } from './ledger-call.ts';
import type { Writer } from './writer-queries.ts';

/** Thrown if no call can be sent until the operator acts. The message says what to do. */
export class ChainStalledError extends Error {
  override name = 'ChainStalledError';
}

/** Throws {@link ChainStalledError} if the contract does not exist, or has another writer. */
export async function requireContract(
  node: ChainNode,
  writer: Pick<Writer, 'signer' | 'contract'>,
): Promise<void> {
  const fault = await findContractFault(node, writer);
  if (fault) throw new ChainStalledError(fault);
}

/** Describes the fault of a contract. Undefined if the signer can write to it. */
export async function findContractFault(
  node: ChainNode,
  { signer, contract }: Pick<Writer, 'signer' | 'contract'>,
): Promise<string | undefined> {
  if (!(await node.hasCode(contract)))
    return (
      `The chain has no contract at ${contract}. Set CHAIN_RPC_URL to a node of the chain with the contract. ` +
      'If that chain no longer exists, see docs/chain.md, "When the chain is gone".'
    );
  const data = encodeFunctionData({ abi: guildhallLedgerAbi, functionName: 'writer' });
  let writer: Address;
  try {
    const answer = await node.read(contract, data);
    writer = decodeFunctionResult({ abi: guildhallLedgerAbi, functionName: 'writer', data: answer });
  } catch (error) {
    // Other errors, such as a rate limit, say nothing about the contract.
    const isRevert = error instanceof ChainRefusedError && /revert/i.test(error.message);
    if (error instanceof ChainNodeError && !isRevert) throw error;
    return `The contract at ${contract} is not a Guildhall ledger. Set CHAIN_CONTRACT_ADDRESS to the address that \`guildhall chain deploy\` printed.`;
  }
  return writer === signer ? undefined : notWriter(signer, contract);
}

/** Explains to the operator why the contract refuses a call, and what to do. */
export function describeRefusal(
  { name, values }: Refusal,
  { signer, contract }: Pick<Writer, 'signer' | 'contract'>,
  { tenantId, first, hashes }: Pick<Batch, 'tenantId' | 'first' | 'hashes'>,
): string {
  const entries = hashes.length === 1 ? `entry ${first}` : `entries ${first} to ${first + hashes.length - 1}`;
  if (name === 'NotWriter') return notWriter(signer, contract);
  if (name === 'OutOfOrder')
    return (
      `The contract's ledger of tenant ${tenantId} ends with entry ${values[0]}, but the database appends ${entries} ` +
      `after entry ${values[1]}. The contract and the database do not match, for example after a restore of the database. ` +
      'Run `guildhall verify`, and see docs/chain.md, "After a restore".'
    );
  return `The contract refuses ${entries} of tenant ${tenantId}: ${name}. No call is sent until it accepts them.`;
}

function notWriter(signer: Address, contract: Address): string {
  return `The signer ${signer} may not write to the contract ${contract}. The owner of the contract must call setWriter(${signer}).`;
}
