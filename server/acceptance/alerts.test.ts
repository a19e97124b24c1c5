import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { arrangeTenant } from './arrange.ts';
import { eventually } from './eventually.ts';
import { accepted, call } from './http.ts';
import { dataFolder, startServer, type ServerProcess } from './server-process.ts';

const folder = dataFolder();
after(() => folder.remove());

const options = { dataDir: folder.path };
let account: { email: string; password: string };

/** Signs in as the owner of the studio. */
const logIn = async ({ url }: ServerProcess): Promise<string> =>
  (await accepted('POST', `${url}/api/saas-auth/login`, { body: account })).accessToken;

describe('alerts', () => {
  test('each alert creates one notification and one mail, even when the worker is killed', async () => {
    let server = await startServer(options);
    const { workspaceId, at, ...studio } = await arrangeTenant(server.url);
    account = { email: studio.email, password: studio.password };
    let bearer = studio.accessToken;
    const read = async ({ url }: ServerProcess, path: string) =>
      (await accepted('GET', url + path, { bearer })).items;
    const alerts = (): Promise<{ id: string }[]> => read(server, `/api/workspaces/${workspaceId}/alerts`);

    const rounds = 3;
    for (let round = 1; round <= rounds; round++) {
      const name = `key ${round}`;
      const body = { name, rateLimitPerMinute: 5 };
      const { key: gameKey } = await accepted('POST', `${server.url}${at}/game-keys`, { body, bearer });
      for (let request = 0; request < 6; request++)
        await call('GET', `${server.url}/api/game/matches/${randomUUID()}`, { gameKey });
      await eventually(async () => (await alerts()).length === round);
      // A worker polls its queue every second.
      await sleep(Math.random() * 1_200);
      await server.end('SIGKILL');
      server = await startServer(options);
      bearer = await logIn(server);
    }

    const notifications = (): Promise<{ data: { id: string } }[]> => read(server, '/api/notifications');
    const alertMails = async (): Promise<Record<string, string>[]> =>
      (await read(server, '/api/admin/outbox')).filter(
        ({ subject }: Record<string, string>) => !subject?.startsWith('Verify your email address'),
      );
    // The job of a dead worker is retried after 15 to 30 seconds.
    await eventually(async () => (await notifications()).length >= rounds);
    await eventually(async () => (await alertMails()).length >= rounds);
    const ids = (await notifications()).map(({ data }) => data.id);
    assert.deepEqual(ids.toSorted(), (await alerts()).map(({ id }) => id).toSorted());
    // Without a mail server the mails stay in the outbox.
    assert.deepEqual(
      (await alertMails()).map(({ to, text }) => [to, /key \d/.exec(text ?? '')?.[0]]).toSorted(),
      Array.from({ length: rounds }, (_, index) => [account.email, `key ${index + 1}`]),
    );
    await server.end('SIGTERM');
  });

  test('a stopping server ends its notification streams without waiting for clients', async () => {
    const server = await startServer(options);
    const headers = { authorization: `Bearer ${await logIn(server)}` };
    const streams = await Promise.all(
      Array.from({ length: 3 }, () => fetch(`${server.url}/api/notifications/stream`, { headers })),
    );
    const contents = streams.map((stream) => stream.text());
    assert.equal(await server.end('SIGTERM'), 0);
    for (const content of await Promise.all(contents))
      assert.match(content, /\n\nevent: end\ndata: {"reason":"server_stopping"}\n\n$/);
  });
});
