import type { BaseLogger } from 'pino';
import { parseTransaction } from 'viem';
import type { Database } from '../../../database/database.ts';
import type { ChainNode } from './chain-node.ts';
import type { Waiting, Writer } from './queries.ts';
import type { Call, Signer } from './signer.ts';

/** What it takes to send the calls of the outbox. */
export interface Sending {
  database: Database;
  node: ChainNode;
  writer: Writer;
  signer: Signer;
  /** How many blocks, its own included, make a transaction final. */
  confirmations: number;
  logger: Pick<BaseLogger, 'info' | 'warn'>;
}

/** The call of the contract that a signed transaction makes. */
export function callOf({ signed }: Pick<Waiting, 'signed'>): Call {
  const { data, gas } = parseTransaction(signed);
  return { data: data!, gas: Number(gas) };
}
