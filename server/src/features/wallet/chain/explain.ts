import { decodeFunctionResult, encodeFunctionData, type Address } from 'viem';
import { guildhallLedgerAbi } from '../../../../contracts/guildhall-ledger.ts';
import { ChainUnavailableError, type ChainNode, type Refusal } from './chain-node.ts';
import type { Batch } from './ledger-call.ts';
import type { Signer } from './signer.ts';

/** Nothing can be sent before somebody does something. The message says what. */
export class ChainStalledError extends Error {
  override name = 'ChainStalledError';
}

/** Throws {@link ChainStalledError} where the contract is not there, or lets somebody else write. */
export async function requireContract(
  node: ChainNode,
  { address, contract }: Pick<Signer, 'address' | 'contract'>,
): Promise<void> {
  const fault = await faultOfContract(node, address, contract);
  if (fault) throw new ChainStalledError(fault);
}

/** What is wrong with a contract, in a sentence; undefined where all is well. */
export async function faultOfContract(
  node: ChainNode,
  signer: Address,
  contract: Address,
): Promise<string | undefined> {
  if (!(await node.hasCode(contract)))
    return (
      `The chain has no contract at ${contract}. Name a node of the chain that it is on (CHAIN_RPC_URL); ` +
      'where that chain is gone, see docs/chain.md, "When the chain is gone".'
    );
  const data = encodeFunctionData({ abi: guildhallLedgerAbi, functionName: 'writer' });
  let writer: Address;
  try {
    const answer = await node.read(contract, data);
    writer = decodeFunctionResult({ abi: guildhallLedgerAbi, functionName: 'writer', data: answer });
  } catch (error) {
    if (error instanceof ChainUnavailableError) throw error;
    return `What stands at ${contract} is no contract of ours: CHAIN_CONTRACT_ADDRESS must be what \`guildhall chain deploy\` printed.`;
  }
  return writer === signer ? undefined : notWriter(signer, contract);
}

/** What an operator should know and do about a call that the contract refuses. */
export function refusalInWords(
  { name, values }: Refusal,
  { address, contract }: Pick<Signer, 'address' | 'contract'>,
  { tenantId, first, hashes }: Pick<Batch, 'tenantId' | 'first' | 'hashes'>,
): string {
  const entries = hashes.length === 1 ? `entry ${first}` : `entries ${first} to ${first + hashes.length - 1}`;
  if (name === 'NotWriter') return notWriter(address, contract);
  if (name === 'OutOfOrder')
    return (
      `The contract's ledger of tenant ${tenantId} ends with entry ${values[0]}, and the database wants to append ` +
      `${entries} after entry ${values[1]}: they do not belong together, as after a restore of the database. ` +
      'Run `guildhall verify`, and see docs/chain.md, "After a restore".'
    );
  return `The contract refuses ${entries} of tenant ${tenantId}: ${name}. Nothing is sent until it takes them.`;
}

function notWriter(signer: Address, contract: Address): string {
  return `The signer ${signer} may not write to the contract ${contract}: its owner must call setWriter(${signer}).`;
}
