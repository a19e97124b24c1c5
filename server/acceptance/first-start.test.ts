import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { GUILDHALL } from '../built-programs.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { accepted, call } from './http.ts';
import { dataFolder, startServer, type ServerProcess } from './server-process.ts';

const exec = promisify(execFile);

/** Reads the output of the first start. */
async function printed(server: ServerProcess) {
  await eventually(() => server.output().includes('simulate'), 'the output of the first start');
  const value = (name: string) => new RegExp(`^ *${name}=(\\S+)$`, 'm').exec(server.output())?.[1] ?? '';
  return {
    email: value('ADMIN_EMAIL'),
    password: value('ADMIN_PASSWORD'),
    tenantId: value('TENANT_ID'),
    gameKey: value('GAME_KEY'),
    apiKey: value('API_KEY'),
    reference: /^ *(http\S+\/docs\/\?demo=\w+)$/m.exec(server.output())?.[1] ?? '',
    curl: /^ *(curl .+)$/m.exec(server.output())?.[1] ?? '',
  };
}

/** Logs an account in. */
const logIn = ({ url }: ServerProcess, { email, password }: { email: string; password: string }) =>
  accepted('POST', `${url}/api/saas-auth/login`, { body: { email, password } }, 200);

/** Runs `guildhall bootstrap` on a data folder. */
async function bootstrap(dataDir: string, ...options: string[]) {
  const env = { ...process.env, DATA_DIR: dataDir };
  return exec(process.execPath, [GUILDHALL, 'bootstrap', ...options], { env }).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, output: stderr }),
  );
}

test('a command keeps its compiled code for later ones, and for the processes that it starts', async () => {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const printFolder = `import { getCompileCacheDir } from 'node:module'; process.on('exit', () => console.log(getCompileCacheDir() + '\\n' + process.env.NODE_COMPILE_CACHE))`;
  const foldersWith = async (given: NodeJS.ProcessEnv) => {
    const options = ['--import', `data:text/javascript,${encodeURIComponent(printFolder)}`];
    const { stdout } = await exec(process.execPath, [...options, GUILDHALL, '--version'], {
      env: { ...env, ...given },
    });
    const [, own, started] = stdout.trim().split('\n');
    return { own: own!, started: started! };
  };
  const usual = join(GUILDHALL, '../../../node_modules/.cache/compiled');
  const { own: folder, started } = await foldersWith({});
  assert.ok(folder.startsWith(usual), folder);
  assert.equal(started, usual);
  assert.ok(readdirSync(folder).length > 30, 'it has the code of all commands');

  const { path: other, remove } = dataFolder();
  after(remove);
  const given = await foldersWith({ NODE_COMPILE_CACHE: other });
  assert.ok(given.own.startsWith(other));
  assert.equal(given.started, other);
});

test('a first start creates a demo once, and its printed commands work', async () => {
  const { path: dataDir, remove } = dataFolder();
  after(remove);
  const env = { GUILDHALL_DEMO: 'on', MOCK_PROVIDER: 'off' };
  const server = await startServer({ dataDir, env });
  const demo = await printed(server);
  assert.doesNotMatch(server.output(), /NODE_ENV is production/);

  const { stdout } = await exec('sh', ['-c', demo.curl]);
  const player = JSON.parse(stdout);
  const simulate = `DATA_DIR="${dataDir}" npm run simulate -- --url ${server.url}`;
  assert.ok(server.output().includes(simulate), 'the printed command finds the database of the server');
  assert.equal(player.tenantId, demo.tenantId);
  assert.equal(player.isNewPlayer, true);

  const reference = await fetch(demo.reference);
  const page = await reference.text();
  for (const key of [demo.gameKey, demo.apiKey])
    assert.ok(page.includes(key), 'the printed page has the keys');
  const open = await fetch(`${server.url}/docs/`);
  assert.doesNotMatch(await open.text(), /gh_game_|gh_api_/, 'the page without the token has no key');

  const login = await logIn(server, demo);
  assert.equal(login.user.isPlatformAdmin, true);
  const bearer = login.accessToken;
  const tenant = await accepted('GET', `${server.url}/api/bus_tenants/${demo.tenantId}`, { bearer });
  assert.equal(tenant.isDemo, true);
  assert.equal(tenant.settings.autoCreateDefinitions, true);
  const ofWorkspace = `${server.url}/api/workspaces/${tenant.workspaceId}`;
  const audit = await accepted('GET', `${ofWorkspace}/audit-records`, { bearer });
  assert.deepEqual(
    audit.items.map((item: { action: string; targetId: string }) =>
      item.action === 'provider.updated' ? item.targetId : item.action,
    ),
    [
      'api_key.created',
      'game_key.created',
      'EvmWallet',
      'EmailPassword',
      'EmailOneTimeCode',
      'Mock',
      'tenant.created',
      'workspace.created',
    ],
  );
  const events = `${server.url}/api/bus_tenants/${demo.tenantId}/events?scope=player`;
  await accepted('GET', events, { headers: { 'x-api-key': demo.apiKey } }, 200);

  const occurredAt = new Date().toISOString();
  const event = { playerId: player.playerId, eventKey: 'tried', idempotencyKey: 'tried-1', occurredAt };
  const batch = { gameKey: demo.gameKey, bearer: player.accessToken, body: { events: [event] } };
  const send = async () => (await call('POST', `${server.url}/api/game/player-events`, batch)).status;
  assert.deepEqual([await send(), await send()], [201, 422]);
  const postgresLog = readFileSync(join(dataDir, 'postgres', 'server.log'), 'utf8');
  assert.doesNotMatch(postgresLog, /ERROR/, 'a client cannot fill the log of PostgreSQL');

  await server.end('SIGTERM');
  const next = await startServer({ dataDir, env });
  await logIn(next, demo);
  assert.doesNotMatch(next.output(), /PASSWORD|curl|gh_/);

  const refused = await bootstrap(dataDir, '--email', 'ada@example.com');
  assert.equal(refused.code, 1);
  assert.equal(
    refused.output.trim(),
    'This database already has a platform administrator. To add another, run: guildhall accounts promote --email <address>',
  );
  await next.end('SIGTERM');
});

test('a first start in production warns about settings, and says that anybody can sign in to the demo', async () => {
  const { path: dataDir, remove } = dataFolder();
  after(remove);
  const env = { NODE_ENV: 'production', GUILDHALL_DEMO: 'on', LOG_LEVEL: 'warn' };
  const server = await startServer({ dataDir, env });
  await printed(server);
  const output = server.output();
  for (const warning of ['PUBLIC_URL is empty', 'SMTP_URL is empty', 'SIGNUP is open'])
    assert.equal(output.split(`"msg":"${warning}`).length, 2, `${warning}: ${output}`);
  assert.match(
    output,
    /^NODE_ENV is production, but the demo game has Mock sign-in: [^]+GUILDHALL_DEMO=off\.$/m,
  );
  await server.end('SIGTERM');
});

test('a start with its port in use creates nothing, and the next start creates the demo', async () => {
  const { path: dataDir, remove } = dataFolder();
  after(remove);
  const options = { dataDir, env: { GUILDHALL_DEMO: 'on' }, port: await freePort() };
  const occupant = createServer((_, response) => response.writeHead(503).end()).listen(
    options.port,
    '127.0.0.1',
  );
  await assert.rejects(startServer(options), (error: Error) => {
    assert.match(error.message, /^The server ended: PORT \d+ is in use on 127\.0\.0\.1\./);
    assert.doesNotMatch(error.message, /PASSWORD|gh_/);
    return true;
  });
  occupant.closeAllConnections();
  await new Promise((resolve) => occupant.close(resolve));
  const server = await startServer(options);
  const demo = await printed(server);
  await logIn(server, demo);
  await server.end('SIGTERM');
});

test('without the demo the database is empty, and bootstrap creates the administrator', async () => {
  const { path: dataDir, remove } = dataFolder();
  after(remove);
  const server = await startServer({ dataDir });
  assert.doesNotMatch(server.output(), /PASSWORD|gh_/);

  const bad = await bootstrap(dataDir, '--email', 'nobody');
  assert.equal(bad.output.trim(), '"nobody" is not an email address.');
  assert.match((await bootstrap(dataDir)).output, /--email/);
  const [first, second] = await Promise.all([
    bootstrap(dataDir, '--email', ' Ada@Example.com '),
    bootstrap(dataDir, '--email', 'ada@example.com'),
  ]);
  assert.deepEqual([first.code, second.code].toSorted(), [0, 1]);
  const made = first.code === 0 ? first : second;
  const password = made.output.trim().split(' ').at(-1)!;
  const { user } = await logIn(server, { email: 'ada@example.com', password });
  assert.equal(user.isPlatformAdmin, true);
  await server.end('SIGTERM');
});

test('a start on all addresses or behind a proxy without PUBLIC_URL warns, because clients use another address', async () => {
  const { path: dataDir, remove } = dataFolder();
  after(remove);
  const started = async (env: Record<string, string>) => {
    const server = await startServer({ dataDir, env: { HOST: '0.0.0.0', LOG_LEVEL: 'warn', ...env } });
    assert.equal(await server.end('SIGTERM'), 0);
    return server.output();
  };
  assert.match(await started({}), /"msg":"PUBLIC_URL is empty[^"]+http:\/\/0\.0\.0\.0:\d+/);
  const behindProxy = { HOST: '127.0.0.1', TRUST_PROXY: '127.0.0.1' };
  assert.match(await started(behindProxy), /"msg":"PUBLIC_URL is empty[^"]+http:\/\/127\.0\.0\.1:\d+/);
  assert.doesNotMatch(await started({ PUBLIC_URL: 'https://guild.example' }), /PUBLIC_URL/);
});
