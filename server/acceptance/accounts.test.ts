import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { call } from './http.ts';
import { dataFolder, exitOf, spawnCommand, startServer } from './server-process.ts';

test('an operator can reset an account with their address, make it a platform admin, and sign in', async () => {
  const { path: dataDir, remove } = dataFolder();
  after(remove);
  const server = await startServer({ dataDir, env: { HOST: '0.0.0.0' } });
  const post = (path: string, body: object) => call('POST', `${server.url}/api/saas-auth/${path}`, { body });
  const run = async (command: string) => {
    const process = spawnCommand(command, { dataDir });
    const code = await exitOf(process.child);
    return { code, output: process.output().trim() };
  };
  const email = 'ops@example.com';
  const stranger = { email, password: "the stranger's" };
  const { body: theirs } = await post('signup', stranger);

  const [bootstrap, promote, unknown] = await Promise.all([
    run(`bootstrap --email ${email}`),
    run(`accounts promote --email ${email}`),
    run('accounts reset-password --email nobody@example.com'),
  ]);
  assert.deepEqual([bootstrap.code, promote.code, unknown.code], [1, 1, 1]);
  assert.match(bootstrap.output, /has an account already.+reset-password/);
  assert.match(promote.output, /is not verified/);
  assert.equal(unknown.output, 'No account has the address nobody@example.com.');

  const reset = await run(`accounts reset-password --email ${email}`);
  const password = /is (\S+)\. It is not shown again/.exec(reset.output)?.[1];
  assert.ok(password, reset.output);
  assert.equal((await post('login', stranger)).status, 401);
  assert.equal((await post('refresh', { refreshToken: theirs.refreshToken })).status, 401);
  assert.equal((await run(`accounts promote --email ${email}`)).code, 0);
  const login = await post('login', { email, password });
  assert.deepEqual([login.status, login.body.user?.isPlatformAdmin], [200, true]);
  await server.end('SIGTERM');
});
