import assert from 'node:assert/strict';
import { spawn, type SpawnOptions } from 'node:child_process';
import { after } from 'node:test';

/** Runs a program and returns what it prints. Throws if it fails. */
export async function runProgram(
  program: string,
  args: string[],
  options: Pick<SpawnOptions, 'cwd' | 'env'> = {},
): Promise<string> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  after(() => void child.kill());
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk) => (errors += chunk));
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  assert.equal(code, 0, `${program} failed:\n${output}\n${errors}`);
  return output;
}
