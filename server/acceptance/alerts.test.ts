import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import { dataFolder, startServer, type ServerProcess } from './server-process.ts';

const folder = dataFolder();
after(() => folder.remove());

const options = { dataDir: folder.path };
const password = randomBytes(12).toString('hex');
const email = 'owner@example.com';

/** Sends a request as the owner of a studio. */
async function send(url: string, method: string, path: string, bearer?: string, body?: object) {
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(bearer && { authorization: `Bearer ${bearer}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await answer.clone().text()}`);
  return answer.json() as Promise<any>; // oxlint-disable-line typescript/no-explicit-any -- any shape
}

describe('alerts', () => {
  test('each alert creates one notification and one mail, even when the worker is killed', async () => {
    let server = await startServer(options);
    let { accessToken } = await send(server.url, 'POST', '/api/saas-auth/signup', undefined, {
      email,
      password,
    });
    const workspace = await send(server.url, 'POST', '/api/workspaces', accessToken, { name: 'Studio' });
    const ofWorkspace = `/api/workspaces/${workspace.id}`;
    const tenant = await send(server.url, 'POST', `${ofWorkspace}/bus_tenants`, accessToken, {
      name: 'Game',
    });
    const ofTenant = `/api/bus_tenants/${tenant.id}`;
    const alerts = async ({ url }: ServerProcess) =>
      (await send(url, 'GET', `${ofWorkspace}/alerts`, accessToken)).items as { id: string }[];

    const rounds = 3;
    for (let round = 1; round <= rounds; round++) {
      const name = `key ${round}`;
      const made = { name, rateLimitPerMinute: 5 };
      const { key } = await send(server.url, 'POST', `${ofTenant}/game-keys`, accessToken, made);
      for (let request = 0; request < 6; request++)
        await fetch(`${server.url}/api/game/matches/${randomUUID()}`, { headers: { 'x-game-key': key } });
      await eventually(async () => (await alerts(server)).length === round);
      // A worker polls its queue every second.
      await sleep(Math.random() * 1_200);
      await server.end('SIGKILL');
      server = await startServer(options);
      ({ accessToken } = await send(server.url, 'POST', '/api/saas-auth/login', undefined, {
        email,
        password,
      }));
    }

    const notifications = async () =>
      (await send(server.url, 'GET', '/api/notifications', accessToken)).items;
    const alertMails = async () =>
      (await send(server.url, 'GET', '/api/admin/outbox', accessToken)).items.filter(
        ({ subject }: Record<string, string>) => !subject?.startsWith('Verify your email address'),
      );
    // The job of a dead worker is retried after 15 to 30 seconds.
    await eventually(async () => (await notifications()).length >= rounds);
    await eventually(async () => (await alertMails()).length >= rounds);
    const ids = (await notifications()).map(({ data }: { data: { id: string } }) => data.id);
    assert.deepEqual(ids.toSorted(), (await alerts(server)).map(({ id }) => id).toSorted());
    // Without a mail server the mails stay in the outbox.
    assert.deepEqual(
      (await alertMails())
        .map(({ to, text }: Record<string, string>) => [to, /key \d/.exec(text ?? '')?.[0]])
        .toSorted(),
      Array.from({ length: rounds }, (_, index) => [email, `key ${index + 1}`]),
    );
    await server.end('SIGTERM');
  });

  test('a stopping server ends its notification streams without waiting for clients', async () => {
    const server = await startServer(options);
    const { accessToken } = await send(server.url, 'POST', '/api/saas-auth/login', undefined, {
      email,
      password,
    });
    const headers = { authorization: `Bearer ${accessToken}` };
    const streams = await Promise.all(
      Array.from({ length: 3 }, () => fetch(`${server.url}/api/notifications/stream`, { headers })),
    );
    const contents = streams.map((stream) => stream.text());
    assert.equal(await server.end('SIGTERM'), 0);
    for (const content of await Promise.all(contents))
      assert.match(content, /\n\nevent: end\ndata: {"reason":"server_stopping"}\n\n$/);
  });
});
