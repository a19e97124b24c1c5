import { formatEther } from 'viem';
import type { Database } from '../../../database/database.ts';
import { ChainUnavailableError, ChainRefusedError } from './chain-node.ts';
import type { Chain } from './open-chain.ts';
import { readConfirmed, readStanding } from './queries.ts';

/** How things stand with the chain, a line for each thing that an operator wants to know. */
export async function describeChain(
  database: Database,
  { node, writer, confirmations }: Chain,
): Promise<string[]> {
  const [standing, confirmed] = await Promise.all([
    readStanding(database, writer.id),
    readConfirmed(database, writer.id),
  ]);
  const line = (name: string, value: unknown) => `${name.padEnd(11)}${String(value)}`;
  const lines = [
    line('chain', writer.chainId),
    line('contract', writer.contract),
    line('signer', writer.signer),
    line(
      'pending',
      `${standing.waiting}${standing.waiting > 0 ? `, the oldest for ${Math.round(standing.oldestSeconds)} s` : ''}`,
    ),
    line('mined', `${standing.mined}, final after ${confirmations} blocks`),
    line('confirmed', confirmed.count),
    line('next nonce', standing.nextNonce),
  ];
  try {
    const [head, balance, nonce] = await Promise.all([
      node.head(),
      node.balance(writer.signer),
      node.transactionCount(writer.signer),
    ]);
    lines.push(
      line('on chain', `block ${head.number}, nonce ${nonce}, base fee ${head.baseFee} wei`),
      line('balance', `${formatEther(balance)} ether`),
    );
  } catch (error) {
    if (!(error instanceof ChainUnavailableError || error instanceof ChainRefusedError)) throw error;
    lines.push(line('on chain', `the node gives no answer (${error.message})`));
  }
  if (standing.problem !== null)
    lines.push(line('problem', `since ${standing.problemSince}: ${standing.problem}`));
  return lines;
}
