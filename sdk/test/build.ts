import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after } from 'node:test';

const SDK = fileURLToPath(new URL('..', import.meta.url));

/**
 * Builds the client into a folder of its own, and removes it after the tests of the file. Other test files read `dist` at the same time.
 * The folder is inside of the package, because bundlers read its `sideEffects`.
 */
export function buildClient(): string {
  const parent = join(SDK, 'node_modules');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, '.built-'));
  after(() => rmSync(folder, { recursive: true }));
  const { status, stdout } = spawnSync('npx', ['tsc', '-p', 'tsconfig.build.json', '--outDir', folder], {
    cwd: SDK,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stdout);
  return folder;
}
