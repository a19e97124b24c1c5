import type { BaseLogger } from 'pino';
import { parseTransaction } from 'viem';
import type { Database } from '../../../database/database.ts';
import type { ChainNode } from './chain-node.ts';
import type { WaitingCall, Writer } from './queries.ts';
import type { Call, Signer } from './signer.ts';

/** The dependencies of the outbox sender. */
export interface OutboxContext {
  database: Database;
  node: ChainNode;
  writer: Writer;
  signer: Signer;
  /** The number of blocks, including its own, after which a transaction is final. */
  confirmations: number;
  logger: Pick<BaseLogger, 'info' | 'warn'>;
}

/** Decodes the contract call of a signed transaction. */
export function callOf({ signed }: Pick<WaitingCall, 'signed'>): Call {
  const { data, gas } = parseTransaction(signed);
  return { data: data!, gas: Number(gas) };
}
