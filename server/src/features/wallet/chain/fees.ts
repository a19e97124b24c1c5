import type { Fees } from './chain-node.ts';

/** The maximum fee per unit of gas, in wei, and the priority fee within it. */
export interface FeeCap {
  maxFee: number;
  priorityFee: number;
}

/** The base fee rises by at most an eighth per block. So this cap suffices for eleven consecutive full blocks. */
const HEADROOM = 4;

/** To replace a transaction with the same nonce, nodes require a fee that is 10 % higher. Some require more. */
const RAISE = 1.25;

/** The fee cap of a new transaction. Only the actual fee is paid. */
export function feeCapOf({ baseFee, priorityFee }: Fees): FeeCap {
  return { maxFee: Math.ceil(baseFee * HEADROOM) + priorityFee, priorityFee };
}

/** The fee cap with which nodes replace a transaction that has the cap `before`. */
export function raisedCap(fees: Fees, before: FeeCap): FeeCap {
  const fresh = feeCapOf(fees);
  const priorityFee = Math.max(
    fresh.priorityFee,
    Math.ceil(before.priorityFee * RAISE),
    before.priorityFee + 1,
  );
  return {
    maxFee: Math.max(fresh.maxFee, Math.ceil(before.maxFee * RAISE), priorityFee),
    priorityFee,
  };
}

/** Whether blocks with this base fee cannot contain the transaction. */
export function isTooLow({ maxFee }: FeeCap, baseFee: number): boolean {
  return maxFee < baseFee;
}
