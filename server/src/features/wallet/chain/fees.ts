import type { Fees } from './chain-node.ts';

/** The maximum fee per unit of gas, in wei, and the priority fee within it. */
export interface FeeCap {
  maxFee: number;
  priorityFee: number;
}

/** The base fee rises by at most an eighth per block. So this cap suffices for eleven consecutive full blocks. */
const HEADROOM = 4;

/** To replace a transaction with the same nonce, nodes require a fee that is 10 % higher. Some require more. */
const LEAST_RAISE = 1.1;
const RAISE = 1.25;

/** The fee cap of a new transaction, in the limit. The base fee of its block is paid, and the whole priority fee. */
export function feeCapOf({ baseFee, priorityFee }: Fees, limit: number): FeeCap {
  return within({ maxFee: Math.ceil(baseFee * HEADROOM) + priorityFee, priorityFee }, limit);
}

/** The fee cap with which nodes replace a transaction that has the cap `before`. Undefined if that is above the limit. */
export function raisedCap(fees: Fees, before: FeeCap, limit: number): FeeCap | undefined {
  if (before.maxFee * LEAST_RAISE > limit) return undefined;
  const fresh = feeCapOf(fees, limit);
  const priorityFee = Math.max(
    fresh.priorityFee,
    Math.ceil(before.priorityFee * RAISE),
    before.priorityFee + 1,
  );
  const maxFee = Math.max(fresh.maxFee, Math.ceil(before.maxFee * RAISE), priorityFee);
  return within({ maxFee, priorityFee }, limit);
}

function within({ maxFee, priorityFee }: FeeCap, limit: number): FeeCap {
  return { maxFee: Math.min(maxFee, limit), priorityFee: Math.min(priorityFee, limit) };
}

/** Whether blocks with this base fee cannot contain the transaction. */
export function isTooLow({ maxFee }: FeeCap, baseFee: number): boolean {
  return maxFee < baseFee;
}

/**
 * The fee cap for a transaction with the cap `before` that the signer could not pay for. Undefined if the present fees are not
 * much lower. Without that margin, a node that still has an earlier signature would cause raises and reductions in turn.
 */
export function loweredCap(fees: Fees, before: FeeCap, limit: number): FeeCap | undefined {
  const fresh = feeCapOf(fees, limit);
  return fresh.maxFee <= before.maxFee / 2 ? fresh : undefined;
}
