import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import solc from 'solc';
import type { Abi, Hex } from 'viem';
import { findAnvil } from './anvil.ts';
import { eventually } from './eventually.ts';

/** A development node with its own EVM chain, on a free loopback port. */
export interface EvmNode {
  url: string;
  chainId: number;
  /**
   * Kills the node, like a crash. Without a state file the chain is lost. With one, at most the last second is lost.
   */
  kill(): Promise<void>;
  /** Restarts the node on the same port. */
  start(): Promise<void>;
  /** Waits until the state file contains the newest block, so that a kill does not lose it. */
  saved(): Promise<void>;
  /** Sends a JSON-RPC request. `anvil_` and `evm_` methods are supported. */
  ask<Answer>(method: string, ...params: unknown[]): Promise<Answer>;
}

export interface EvmNodeOptions {
  chainId?: number;
  port?: number;
  /** The file that stores the chain between restarts. */
  state?: string;
  /** Options of anvil such as `--block-time` or `--no-mining`. By default each transaction gets a block at once. */
  options?: string[];
}

/** Accounts with 10,000 ether on every development node: the first accounts of the shared mnemonic. */
export const richKeys: readonly [Hex, Hex, Hex] = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
];

/** Starts a node in about 50 ms, and kills it after the tests of the file. */
export async function startEvmNode({
  chainId = 31_337,
  port = 0,
  state,
  options = [],
}: EvmNodeOptions = {}): Promise<EvmNode> {
  const executable = findAnvil();
  if (!executable) throw new Error('The package @foundry-rs/anvil has no program for this platform.');
  const kept = state ? ['--state', state, '--state-interval', '1'] : [];
  let node: ChildProcess;
  const kill = async (): Promise<void> => {
    if (node.exitCode !== null || node.signalCode !== null) return;
    // The node overwrites its state in place, and does not start with half of it.
    node.kill('SIGSTOP');
    while (state && !isWhole(state)) {
      node.kill('SIGCONT');
      await sleep(20);
      node.kill('SIGSTOP');
    }
    node.kill('SIGKILL');
    await once(node, 'exit');
  };
  const start = async (onPort: number): Promise<string> => {
    node = spawn(
      executable,
      ['--host', '127.0.0.1', '--port', String(onPort), '--chain-id', String(chainId), ...kept, ...options],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    return `http://${await addressOf(node)}`;
  };
  const url = await start(port);
  after(kill);
  const ask = async <Answer>(method: string, ...params: unknown[]): Promise<Answer> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await answer.json()) as { result: Answer; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  return {
    url,
    chainId,
    kill,
    async start() {
      await kill();
      await start(Number(new URL(url).port));
    },
    async saved() {
      const newest = Number(await ask<Hex>('eth_blockNumber'));
      await eventually(() => savedBlock(state!) >= newest);
    },
    ask,
  };
}

/** Whether a file contains JSON, or does not exist yet. */
function isWhole(file: string): boolean {
  try {
    JSON.parse(readFileSync(file, 'utf8'));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** The newest block of a state file. It is -1 while the node writes the file. */
function savedBlock(file: string): number {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { best_block_number: number }).best_block_number;
  } catch {
    return -1;
  }
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: stdout! })) {
    const address = /^Listening on (\S+)/.exec(line)?.[1];
    if (!address) continue;
    // The node writes a line for every call.
    stdout!.resume();
    return address;
  }
  throw new Error('The EVM node ended before it listened.');
}

interface CompiledContract {
  abi: Abi;
  bytecode: Hex;
}

/**
 * Compiles a Solidity file in about 0.5 seconds, and returns its contracts by name. Throws with the messages of the
 * compiler.
 */
export function compileContracts(file: URL): Record<string, CompiledContract> {
  const name = basename(fileURLToPath(file));
  const input = {
    language: 'Solidity',
    sources: { [name]: { content: readFileSync(file, 'utf8') } },
    settings: { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  };
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput;
  const failures = errors.filter(({ severity }) => severity === 'error');
  if (failures.length > 0)
    throw new Error(failures.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return Object.fromEntries(
    Object.entries(contracts[name]!).map(([contract, { abi, evm }]) => [
      contract,
      { abi, bytecode: `0x${evm.bytecode.object}` as const },
    ]),
  );
}

interface CompilerOutput {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>;
}
