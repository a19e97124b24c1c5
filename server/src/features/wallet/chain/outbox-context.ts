import { parseTransaction } from 'viem';
import type { Log } from '../../../core/log.ts';
import type { Database } from '../../../database/database.ts';
import type { FeeCap } from './fees.ts';
import type { Chain } from './open-chain.ts';
import type { WaitingCall } from './queries.ts';
import type { Call } from './signer.ts';

/** The dependencies of the outbox sender. */
export interface OutboxContext extends Pick<
  Chain,
  'node' | 'writer' | 'sign' | 'confirmations' | 'feeLimit'
> {
  database: Database;
  logger: Log<'info' | 'warn'>;
}

/** Decodes the contract call of a signed transaction. */
export function callOf({ signed }: Pick<WaitingCall, 'signed'>): Call {
  const { data, gas } = parseTransaction(signed);
  return { data: data!, gas: Number(gas) };
}

/**
 * Signs a call again. Each signature of a call has at least one unit of gas more than the one before, because two signatures with
 * the same nonce and fees would have the same hash.
 */
export async function signAgain(
  { sign }: Pick<OutboxContext, 'sign'>,
  call: WaitingCall,
  { nonce, cap, gasFactor = 1 }: { nonce: number; cap: FeeCap; gasFactor?: number },
): Promise<WaitingCall> {
  const { data, gas } = callOf(call);
  const signed = await sign({ data, gas: Math.max(gas + 1, Math.ceil(gas * gasFactor)) }, nonce, cap);
  return { ...signed, position: call.position, number: call.number + 1 };
}
