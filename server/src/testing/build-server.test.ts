import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PROGRAMS = [
  'src/cli/index.ts',
  'src/cli/supervise.ts',
  'src/runtime/cluster/serving-process.ts',
  'src/features/gameplay/events/archive/duckdb/duckdb-process.ts',
];

/** Copies the build, with programs of one line each, because the real ones take seconds. */
function prepareServer(): string {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-build-'));
  after(() => rmSync(folder, { recursive: true }));
  const server = join(folder, 'server');
  mkdirSync(server);
  writeFileSync(join(server, 'package.json'), '{ "type": "module" }');
  for (const file of ['build.ts', 'built-programs.ts'])
    cpSync(join(ROOT, 'server', file), join(server, file));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const program of PROGRAMS) writeProgram(server, program, `console.log('${program}');`);
  return server;
}

function writeProgram(server: string, file: string, code: string): void {
  mkdirSync(dirname(join(server, file)), { recursive: true });
  writeFileSync(join(server, file), code);
}

function runNode(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

const build = (server: string) => runNode(join(server, 'build.ts'));

describe('the build of the server', () => {
  test('adapts the paths of files and programs to its folder', () => {
    const server = prepareServer();
    const paths = `
      console.log(new URL('../../migrations', import.meta.url).pathname);
      console.log(new URL('../runtime/cluster/serving-process.ts', import.meta.url).pathname);`;
    writeProgram(server, 'src/cli/index.ts', paths);
    assert.deepEqual(build(server), { status: 0, output: '' });
    const { output } = runNode(join(server, 'dist/guildhall.js'));
    assert.deepEqual(output.trim().split('\n'), [
      join(server, 'migrations'),
      join(server, 'dist/serving-process.js'),
    ]);
  });

  test('refuses a path in another form, which would lead to another file', () => {
    const server = prepareServer();
    writeProgram(server, 'src/cli/index.ts', 'console.log(import.meta.dirname);');
    const { status, output } = build(server);
    assert.equal(status, 1);
    assert.match(output, /src\/cli\/index\.ts\n.*adapts paths only in the form new URL\(/);
  });

  test('keeps the files of the build before, which a running server may load, and removes older ones', () => {
    const server = prepareServer();
    build(server);
    const ofBuildBefore = join(server, 'dist/of-build-before.js');
    const older = join(server, 'dist/older.js');
    for (const file of [ofBuildBefore, older]) writeFileSync(file, '');
    utimesSync(older, 0, 0);
    build(server);
    assert.deepEqual([existsSync(ofBuildBefore), existsSync(older)], [true, false]);
    build(server);
    assert.equal(existsSync(ofBuildBefore), false);
  });
});
