import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { serverUnderTest, sleep, type ServerUnderTest } from './server-under-test.ts';

const CLI = fileURLToPath(new URL('../src/cli.ts', import.meta.url));
const exec = promisify(execFile);

/** What the first start has printed. */
async function printed(server: ServerUnderTest) {
  for (let waited = 0; !server.output().includes('curl') && waited < 5_000; waited += 20) await sleep(20);
  const value = (name: string) => new RegExp(`^ *${name} +(\\S+)$`, 'm').exec(server.output())?.[1] ?? '';
  return {
    email: value('E-mail'),
    password: value('Password'),
    tenantId: value('Tenant'),
    gameKey: value('Game key'),
    apiKey: value('API key'),
    curl: /^ *(curl .+)$/m.exec(server.output())?.[1] ?? '',
  };
}

async function post(server: ServerUnderTest, path: string, body: object) {
  const answer = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as any }; // oxlint-disable-line typescript/no-explicit-any
}

const get = async (server: ServerUnderTest, path: string, headers: Record<string, string>) => {
  const answer = await fetch(server.url + path, { headers });
  return { status: answer.status, body: (await answer.json()) as any }; // oxlint-disable-line typescript/no-explicit-any
};

/** Runs `guildhall bootstrap` on the data of a server. */
async function bootstrap(server: ServerUnderTest, ...options: string[]) {
  const env = { ...process.env, DATA_DIR: server.dataDir };
  return exec(process.execPath, [CLI, 'bootstrap', ...options], { env }).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, output: stderr }),
  );
}

test('a first start makes a demo that works as printed, once', { timeout: 60_000 }, async () => {
  const server = await serverUnderTest({ MOCK_PROVIDER: 'off' });
  after(() => server.remove());
  await server.start();
  const demo = await printed(server);

  const { stdout } = await exec('sh', ['-c', demo.curl]);
  const player = JSON.parse(stdout);
  assert.equal(player.tenantId, demo.tenantId);
  assert.equal(player.isNewPlayer, true);

  const login = await post(server, '/api/saas-auth/login', demo);
  assert.equal(login.status, 200);
  assert.equal(login.body.user.isPlatformAdmin, true);
  const bearer = { authorization: `Bearer ${login.body.accessToken}` };
  const tenant = await get(server, `/api/bus_tenants/${demo.tenantId}`, bearer);
  assert.equal(tenant.body.isDemo, true);
  assert.equal(tenant.body.settings.autoCreateDefinitions, true);
  const audit = await get(server, `/api/workspaces/${tenant.body.workspaceId}/audit-records`, bearer);
  assert.deepEqual(
    audit.body.items.map((item: { action: string }) => item.action),
    ['api_key.created', 'game_key.created', 'provider.updated', 'tenant.created', 'workspace.created'],
  );
  const events = `/api/bus_tenants/${demo.tenantId}/events?scope=player`;
  assert.equal((await get(server, events, { 'x-api-key': demo.apiKey })).status, 200);

  await server.stop('SIGTERM');
  const before = server.output();
  await server.start();
  assert.equal((await post(server, '/api/saas-auth/login', demo)).status, 200);
  assert.doesNotMatch(server.output().slice(before.length), /Password|curl|gh_/);

  const refused = await bootstrap(server, '--email', 'ada@example.com');
  assert.equal(refused.code, 1);
  assert.equal(
    refused.output.trim(),
    'This database has accounts already; bootstrap creates only the first one.',
  );
});

test(
  'a start that finds its port in use makes nothing, the next one makes the demo',
  { timeout: 60_000 },
  async () => {
    const server = await serverUnderTest();
    after(() => server.remove());
    const port = Number(new URL(server.url).port);
    const occupant = createServer((_, response) => response.writeHead(503).end()).listen(port, '127.0.0.1');
    await assert.rejects(server.start(), /EADDRINUSE/);
    assert.doesNotMatch(server.output(), /Password|gh_/);
    occupant.closeAllConnections();
    await new Promise((resolve) => occupant.close(resolve));
    await server.start();
    const demo = await printed(server);
    assert.equal((await post(server, '/api/saas-auth/login', demo)).status, 200);
  },
);

test(
  'without the demo a database stays empty, and bootstrap makes its administrator',
  { timeout: 60_000 },
  async () => {
    const server = await serverUnderTest({ GUILDHALL_DEMO: 'off' });
    after(() => server.remove());
    await server.start();
    assert.doesNotMatch(server.output(), /Password|gh_/);

    const bad = await bootstrap(server, '--email', 'nobody');
    assert.equal(bad.output.trim(), '"nobody" is not an e-mail address.');
    assert.match((await bootstrap(server)).output, /--email/);
    const [first, second] = await Promise.all([
      bootstrap(server, '--email', ' Ada@Example.com '),
      bootstrap(server, '--email', 'ada@example.com'),
    ]);
    assert.deepEqual([first.code, second.code].toSorted(), [0, 1]);
    const made = first.code === 0 ? first : second;
    const password = made.output.trim().split(' ').at(-1)!;
    const login = await post(server, '/api/saas-auth/login', { email: 'ada@example.com', password });
    assert.equal(login.status, 200);
    assert.equal(login.body.user.isPlatformAdmin, true);
  },
);
