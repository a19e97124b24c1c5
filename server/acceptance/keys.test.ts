import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { arrangeTenant } from './arrange.ts';
import { accepted, signIn } from './http.ts';
import { dataFolder, exitOf, spawnCommand, startServer } from './server-process.ts';

const folder = dataFolder();
after(() => folder.remove());

async function run(
  command: string,
  env: Record<string, string> = {},
): Promise<{ code: number | string; output: string }> {
  const { child, output } = spawnCommand(command, { dataDir: folder.path, env });
  return { code: await exitOf(child), output: output() };
}

test('a running server uses a new signing key after its rotation', async () => {
  const server = await startServer({ dataDir: folder.path });
  const { gameKey } = await arrangeTenant(server.url);
  const published = async (): Promise<string[]> => {
    const { keys } = await accepted('GET', `${server.url}/.well-known/jwks.json`);
    return keys.map(({ kid }: { kid: string }) => kid);
  };
  const signingKid = async (): Promise<string> => {
    const { accessToken } = await signIn(server.url, gameKey);
    return JSON.parse(Buffer.from(accessToken.split('.')[0]!, 'base64url').toString()).kid;
  };
  const [first = ''] = await published();
  assert.equal(await signingKid(), first);
  const untouched = await run('keys list');
  assert.equal(untouched.code, 0, untouched.output);
  assert.match(untouched.output, new RegExp(`^${first}  signing    active from \\S+Z\n$`));

  const rotated = await run('keys rotate');
  assert.equal(rotated.code, 0, rotated.output);
  const [, second = '', activeFrom = '', retiresAt = ''] =
    /^The key (\S+) is published, and signs from (\S+) on\.\nTokens of the keys before it are accepted until (\S+)\.\n$/.exec(
      rotated.output,
    ) ?? [];
  assert.ok(second, rotated.output);
  assert.ok(
    Math.abs(Date.parse(activeFrom) - Date.now() - 10 * 60_000) < 60_000,
    'the new key signs after 10 minutes',
  );
  assert.equal(Date.parse(retiresAt) - Date.parse(activeFrom), 130 * 60_000);
  while ((await published()).length < 2) await sleep(20);
  assert.equal(await signingKid(), first);
  const { output: list } = await run('keys list');
  assert.match(list, new RegExp(`^${second}  waiting .*\n${first}  signing .*, retires at ${retiresAt}\n$`));

  const again = await run('keys rotate --activate-in 0');
  assert.equal(again.code, 1);
  assert.equal(again.output, `The key ${second} is waiting already. It starts to sign at ${activeFrom}.\n`);

  const revoked = await run('keys rotate --revoke-old');
  assert.equal(revoked.code, 0, revoked.output);
  const [, third = ''] = /^The key (\S+) signs from now on\. [^\n]+\n$/.exec(revoked.output) ?? [];
  while ((await published()).join() !== third) await sleep(20);
  assert.equal(await signingKid(), third);

  for (const [options, sentence] of [
    ['--activate-in soon', /'soon' is invalid\. Write it as [^\n]+ from 0s to 7d\.\n/],
    ['--activate-in 8d', /'8d' is invalid\. Write it as [^\n]+\n/],
    ['--activate-in 0 --revoke-old', /cannot be used with option/],
  ] as const) {
    const { code, output } = await run(`keys rotate ${options}`);
    assert.equal(code, 1, output);
    assert.match(output, sentence);
  }
  assert.deepEqual(await published(), [third]);
  assert.equal(await server.end('SIGTERM'), 0, server.output());
});

test('a new master key opens what the old one has encrypted, and the old one can be removed', async () => {
  const first = await startServer({ dataDir: folder.path });
  const { gameKey } = await arrangeTenant(first.url);
  const keySet = async (url: string): Promise<string> => (await fetch(`${url}/.well-known/jwks.json`)).text();
  const published = await keySet(first.url);

  const added = await run('master-key add');
  assert.equal(added.code, 0, added.output);
  const [, id = '', MASTER_KEY = ''] =
    /^The deployment accepts the master key ([0-9a-f]{16}) too\. [^\n]+\n\nMASTER_KEY=([0-9a-f]{64})\n\n[^\n]+\n$/.exec(
      added.output,
    ) ?? [];
  assert.ok(MASTER_KEY, added.output);
  const list = await run('master-key list');
  assert.match(list.output, new RegExp(`^[0-9a-f]{16}  added at \\S+Z  current\n${id}  added at \\S+Z\n$`));
  assert.equal(await first.end('SIGTERM'), 0, 'the old key is accepted until it is removed');

  const second = await startServer({ dataDir: folder.path, env: { MASTER_KEY } });
  assert.equal(await keySet(second.url), published, 'the same keys sign');
  // The HMAC of the game key is the same.
  await signIn(second.url, gameKey);
  const removed = await run('master-key remove-others', { MASTER_KEY });
  assert.match(removed.output, /^Removed [0-9a-f]{16}\. [^\n]+\n$/);
  // A running server continues.
  await signIn(second.url, gameKey);
  assert.equal(await second.end('SIGTERM'), 0);

  for (const command of ['serve', 'master-key add']) {
    const { code, output } = await run(command);
    assert.equal(code, 1, output);
    assert.match(output, /^MASTER_KEY cannot decrypt the secrets of this database\. [^\n]+\n$/, command);
  }
});
