import { keccak256, type Address, type Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import type { FeeCap } from './fees.ts';
import type { ContractOnChain } from './writer-queries.ts';

/** A call of the contract. */
export interface Call {
  data: Hex;
  gas: number;
}

/** A signed call. The signature determines its transaction hash. */
export interface SignedCall extends FeeCap {
  nonce: number;
  hash: Hex;
  signed: Hex;
}

/** Signs a call of one contract on one chain. It needs no node. */
export type Sign = (call: Call, nonce: number, cap: FeeCap) => Promise<SignedCall>;

/** Signs a call of the contract `to`, or the deployment of a contract if `to` is not given. */
export async function signCall(
  account: PrivateKeyAccount,
  { chainId, to, data, gas }: Call & { chainId: number; to?: Address },
  nonce: number,
  { maxFee, priorityFee }: FeeCap,
): Promise<SignedCall> {
  const signed = await account.signTransaction({
    type: 'eip1559',
    chainId,
    to,
    data,
    gas: BigInt(gas),
    nonce,
    maxFeePerGas: BigInt(maxFee),
    maxPriorityFeePerGas: BigInt(priorityFee),
  });
  return { nonce, maxFee, priorityFee, hash: keccak256(signed), signed };
}

/** Creates the signer of a private key. */
export function createSigner(key: Hex, { chainId, contract }: ContractOnChain): Sign {
  const account = privateKeyToAccount(key);
  return (call, nonce, cap) => signCall(account, { chainId, to: contract, ...call }, nonce, cap);
}
