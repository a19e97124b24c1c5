import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runProgram } from './run-program.ts';
import { startTestApp } from './test-app.ts';

/**
 * Tests of the OpenAPI document with other tools. The tools have an installation of their own, in `tools/`. Without it the
 * tests are skipped, except with CI=true.
 */
const TOOLS = fileURLToPath(new URL('../../../tools/', import.meta.url));
const PROGRAMS = join(TOOLS, 'node_modules', '.bin');
const isMissing = !existsSync(PROGRAMS) && process.env['CI'] !== 'true';
const withTools = { skip: isMissing && 'Run `npm ci --prefix tools` to run this test.' };

const app = await startTestApp();
const folder = await mkdtemp(join(tmpdir(), 'guildhall-openapi-'));
after(() => rm(folder, { recursive: true }));
const document = join(folder, 'openapi.json');
await writeFile(document, (await app.http.get('/openapi.json')).text);

describe('linters of the OpenAPI document', () => {
  test('Redocly reports no error and no warning', withTools, async () => {
    const report = await run('redocly', ['lint', document, '--config', 'redocly.yaml', '--format=json']);
    assert.deepEqual(JSON.parse(report).totals, { errors: 0, warnings: 0, ignored: 0 }, report);
  });

  test('Spectral reports no error and no warning', withTools, async () => {
    const report = await run('spectral', [
      'lint',
      document,
      '--ruleset=spectral.yaml',
      '--fail-severity=info',
    ]);
    assert.match(report, /No results/);
  });
});

describe('generated clients', () => {
  test('the TypeScript client compiles, with optional members and named types', withTools, async () => {
    // Without the option, each member with a default would be required, even in requests.
    await run('openapi-typescript', [
      document,
      '--default-non-nullable=false',
      `--output=${join(folder, 'api.d.ts')}`,
    ]);
    await writeFile(join(folder, 'client.ts'), TYPESCRIPT_CLIENT);
    await symlink(join(TOOLS, 'node_modules'), join(folder, 'node_modules'), 'dir');
    await run('tsc', ['--noEmit', '--strict', '--module', 'nodenext', join(folder, 'client.ts')]);
  });
});

/** Uses named types, leaves out optional members, and reads a problem. */
const TYPESCRIPT_CLIENT = `
import type { components, operations, paths } from './api.d.ts';

type Schemas = components['schemas'];
export const login: Schemas['LoginRequest'] = { provider: 'Mock', token: 'mock:ada:secret' };
export const withNull: Schemas['LoginRequest'] = { ...login, profileVisibility: null };
// @ts-expect-error The provider is an enum.
export const unknownProvider: Schemas['LoginRequest'] = { provider: 'None', token: 'x' };
export const batch: Schemas['MatchEventBatchRequest'] = { events: [] };
type Login = operations['logInPlayer']['responses'][200]['content']['application/json'];
export const idOf = ({ playerId }: Login): string => playerId;
type Refusal = paths['/api/player-auth/login']['post']['responses'][401]['content']['application/problem+json'];
export const codeOf = ({ code }: Refusal): string => code;
`;

const run = (program: string, args: string[]): Promise<string> =>
  runProgram(program, args, {
    cwd: TOOLS,
    env: {
      ...process.env,
      PATH: PROGRAMS + delimiter + process.env['PATH'],
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    },
  });
