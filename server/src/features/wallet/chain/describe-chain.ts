import { formatEther } from 'viem';
import type { Database } from '../../../database/database.ts';
import { ChainNodeError } from './chain-node.ts';
import { findContractFault } from './contract-faults.ts';
import type { Chain } from './open-chain.ts';
import { readConfirmed, readWriterStatus } from './queries.ts';

/** Describes the status of the chain for the operator, in one line per value. */
export async function describeChain(
  database: Database,
  { node, writer, confirmations }: Chain,
): Promise<string[]> {
  const [status, confirmed] = await Promise.all([
    readWriterStatus(database, writer.id),
    readConfirmed(database, writer),
  ]);
  const line = (name: string, value: unknown) => `${name.padEnd(11)}${String(value)}`;
  const lines = [
    line('chain', writer.chainId),
    line('contract', writer.contract),
    line('signer', writer.signer),
    line(
      'pending',
      `${status.waiting}${status.waiting > 0 ? `, the oldest for ${Math.round(status.oldestSeconds)} s` : ''}`,
    ),
    line('mined', `${status.mined}, final after ${confirmations} blocks`),
    line('confirmed', confirmed.count),
    line('next nonce', status.nextNonce),
  ];
  try {
    const [{ block, fees }, balance, nonce, fault] = await Promise.all([
      node.head(),
      node.balance(writer.signer),
      node.transactionCount(writer.signer),
      findContractFault(node, writer),
    ]);
    lines.push(
      line('on chain', `block ${block.number}, nonce ${nonce}, base fee ${fees.baseFee} wei`),
      line('balance', `${formatEther(balance)} ether`),
    );
    if (fault && fault !== status.problem) lines.push(line('problem', fault));
  } catch (error) {
    if (!(error instanceof ChainNodeError)) throw error;
    lines.push(line('on chain', `the node does not respond (${error.message})`));
  }
  if (status.problem !== null) lines.push(line('problem', `since ${status.problemSince}: ${status.problem}`));
  return lines;
}
