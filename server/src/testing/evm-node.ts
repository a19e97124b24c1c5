import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import solc from 'solc';
import type { Abi, Hex } from 'viem';

/** A development node of an EVM chain of its own, on a free port of the loopback. */
export interface EvmNode {
  url: string;
  chainId: number;
  /** As by a crash. */
  kill(): Promise<void>;
}

/** Starts a node in some 50 ms, and kills it after the tests of the file. */
export async function startEvmNode({ chainId = 31_337, port = 0 } = {}): Promise<EvmNode> {
  const node = spawn(
    anvil(),
    ['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const kill = async (): Promise<void> => {
    if (node.exitCode !== null || node.signalCode !== null) return;
    node.kill('SIGKILL');
    await once(node, 'exit');
  };
  after(kill);
  return { url: `http://${await addressOf(node)}`, chainId, kill };
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: stdout! })) {
    const address = /^Listening on (\S+)/.exec(line)?.[1];
    if (!address) continue;
    // It goes on to write a line for every call.
    stdout!.resume();
    return address;
  }
  throw new Error('The EVM node ended before it listened.');
}

/** The executable, in the package for this platform, or where the installation put it that found no such package. */
function anvil(): string {
  const require = createRequire(import.meta.url);
  const platform = process.platform;
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const folder = require.resolve('@foundry-rs/anvil/package.json').replace(/package\.json$/, '');
  const candidates = [`${folder}../anvil-${platform}-${architecture}/bin/anvil`, `${folder}anvil`];
  const found = candidates.find((candidate) => existsSync(candidate));
  if (!found)
    throw new Error(`There is no anvil for ${platform} on ${architecture}: ${candidates.join(', ')}`);
  return found;
}

export interface CompiledContract {
  abi: Abi;
  bytecode: Hex;
}

/** Compiles a Solidity file, in half a second, to its contracts by name. Throws with the compiler's words. */
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
