import type { Fees } from './chain-node.ts';

/** The most that a transaction pays for a unit of gas, in wei, and how much of it is the tip. */
export interface FeeCap {
  maxFee: number;
  priorityFee: number;
}

/** A base fee rises by an eighth a block at most: this cap holds for eleven full blocks in a row. */
const HEADROOM = 4;

/** Nodes replace a transaction by another one of the same nonce for a tenth more, and some ask for more than that. */
const RAISE = 1.25;

/** What a new transaction offers. What the cap leaves over is not paid. */
export function capOf({ baseFee, priorityFee }: Fees): FeeCap {
  return { maxFee: Math.ceil(baseFee * HEADROOM) + priorityFee, priorityFee };
}

/** What must be offered so that nodes take it in place of what was offered before. */
export function raisedCap(fees: Fees, before: FeeCap): FeeCap {
  const fresh = capOf(fees);
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

/** Whether a transaction is left lying at this base fee. */
export function isTooLow({ maxFee }: FeeCap, baseFee: number): boolean {
  return maxFee < baseFee;
}
