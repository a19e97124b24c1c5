import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startFaultProxy } from '../../../../sdk/conformance/fault-proxy.ts';
import { arrangeTenant } from '../arrange.ts';
import { runProgram } from '../run-program.ts';
import { startTestApp } from '../test-app.ts';

/** The C# code of docs/unity-and-godot.md, compiled and run with Mono against a real server. */
const ROOT = new URL('../../../../', import.meta.url);
const fileOf = (path: string) => fileURLToPath(new URL(path, ROOT));
/** NSwag comes from npm, in the installation of `tools/`. It brings Newtonsoft.Json too. */
const NSWAG = fileOf('tools/node_modules/nswag/bin/binaries/Win/NSwag.exe');
const NEWTONSOFT = join(dirname(NSWAG), 'Newtonsoft.Json.dll');
const isMissing = !existsSync(NSWAG) && process.env['CI'] !== 'true';
const withTools = { skip: isMissing && 'Run `npm ci --prefix tools` to run this test.', timeout: 300_000 };
const ASSEMBLIES = [
  NEWTONSOFT,
  'System.Net.Http',
  'System.Runtime.Serialization',
  'System.ComponentModel.DataAnnotations',
];

const app = await startTestApp();
const proxy = await startFaultProxy(app.url);
after(() => proxy.close());
const folder = await mkdtemp(join(tmpdir(), 'guildhall-csharp-'));
after(() => rm(folder, { recursive: true }));

const page = await readFile(fileOf('docs/unity-and-godot.md'), 'utf8');
const fences = [...page.matchAll(/^```csharp\n(.*?)^```/gms)].map(([, code]) => code!);
const [unityCode, generatedCode] = fences as [string, string];

const read = (name: string) => readFile(new URL(name, import.meta.url), 'utf8');

/** A tenant with the definitions that it needs, and the values of its stored events. */
async function arrangeGame() {
  const tenant = await arrangeTenant(app, { autoCreate: true });
  // The clock of the device is 3 days ahead.
  const values = async () => {
    const { rows } = await app.owner.query(
      "SELECT value::int FROM player_events WHERE tenant_id = $1 AND occurred_at < now() + interval '1 hour' ORDER BY value",
      [tenant.tenantId],
    );
    return rows.map(({ value }) => value as number);
  };
  return { ...tenant, values };
}

/** Compiles source texts to a program in the folder, and returns its path. */
async function compile(name: string, sources: string[]): Promise<string> {
  const files = sources.map((_, index) => join(folder, `${name}-${index}.cs`));
  await Promise.all(sources.map((source, index) => writeFile(files[index]!, source)));
  await copyFile(NEWTONSOFT, join(folder, 'Newtonsoft.Json.dll'));
  const program = join(folder, `${name}.exe`);
  await runProgram('mcs', [
    '-langversion:7',
    `-out:${program}`,
    ...ASSEMBLIES.map((one) => `-r:${one}`),
    ...files,
  ]);
  return program;
}

describe('C# code of the documentation', () => {
  test('of Unity delivers each event once over a bad network', withTools, async () => {
    const { gameKey, values } = await arrangeGame();
    const program = await compile('unity', [
      unityCode.replaceAll('DateTime.UtcNow', 'DeviceClock.UtcNow'),
      await read('UnityStandIn.cs'),
      await read('UnityGame.cs'),
    ]);
    const [signIn, events, refresh] = [
      'POST /api/player-auth/login',
      'POST /api/game/player-events',
      'POST /api/player-auth/refresh',
    ];
    const gateway = { portal: 'Sign in to the network.' };
    proxy.plan([
      { match: signIn, action: 'cut' },
      { match: signIn, action: 'answer_200' },
      { match: signIn, action: 'answer_200', problem: gateway },
      { match: signIn, action: 'cut_answer' },
      { match: signIn, action: 'answer_503' },
      // The first batch is not stored yet, so that a wrong reaction loses it.
      { match: events, action: 'answer_400' },
      { match: events, action: 'answer_400', problem: gateway },
      { match: events, action: 'answer_400', problem: { code: 'batch_size' } },
      { match: events, action: 'answer_413', problem: { code: 'body_too_large' } },
      { match: events, action: 'drop_answer' },
      // With a pause of a month, the test would not end.
      { match: events, action: 'answer_429', retryAfter: 2_592_000, problem: { code: 'quota_exceeded' } },
      { match: events, action: 'cut' },
      { match: events, action: 'answer_401', problem: { code: 'missing_bearer' } },
      { match: refresh, action: 'drop_answer', times: 4 },
      { match: refresh, action: 'answer_401' },
      { match: refresh, action: 'answer_200', problem: gateway },
    ]);
    const output = await runProgram('mono', [program, proxy.url, gameKey]);
    assert.match(output, /sent all events/);
    assert.match(output, /waiting 10000$/m);
    assert.deepEqual(
      await values(),
      Array.from({ length: 1_200 }, (_, index) => index),
    );
    assert.deepEqual(Object.keys(proxy.faults).toSorted(), [
      'answer_200',
      'answer_400',
      'answer_401',
      'answer_413',
      'answer_429',
      'answer_503',
      'cut',
      'cut_answer',
      'drop_answer',
    ]);
    const count = (name: string) => proxy.requests.filter((request) => request === name).length;
    // A refresh with another key would end the session, and cost another sign-in.
    assert.deepEqual({ signIns: count(signIn), refreshes: count(refresh) }, { signIns: 7, refreshes: 7 });
  });

  test('runs with the client that NSwag generates', withTools, async () => {
    const { gameKey, values } = await arrangeGame();
    const document = join(folder, 'openapi.json');
    const { text, body } = await app.http.get('/openapi.json');
    await writeFile(document, text);
    const client = join(folder, 'Client.cs');
    const [, options] = /nswag@\S+ (openapi2csclient .*)/.exec(page)!;
    const files: Record<string, string> = {
      '/input:openapi.json': `/input:${document}`,
      '/output:Client.cs': `/output:${client}`,
    };
    await runProgram('mono', [NSWAG, ...options!.split(' ').map((option) => files[option] ?? option)]);
    const generated = await readFile(client, 'utf8');
    assert.doesNotMatch(generated, /\b(Body|Response|Anonymous)\d+\b/);
    const game = (await read('GeneratedClientGame.cs')).replace('// CODE OF THE PAGE', () => generatedCode);
    const program = await compile('generated', [generated, game]);
    const warning = body.webhooks['usage.warning'].post.requestBody.content['application/json'].example;
    const picture = fileOf('server/src/testing/docs/me.jpg');
    const output = await runProgram('mono', [program, app.url, gameKey, JSON.stringify(warning), picture]);
    assert.match(
      output,
      /^signed in [\w-]{36}\nrefused 404 not_found\nwarned at 90\nscored 3000000000\nuploaded \S+\nread 1 of 2, then 1\n$/,
    );
    assert.deepEqual(await values(), [42]);
  });
});
