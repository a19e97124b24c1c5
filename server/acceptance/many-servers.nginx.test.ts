import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { arrangeTenant, enableAutoCreate, type Studio } from './arrange.ts';
import { startDatabaseProxy } from './database-proxy.ts';
import { eventually } from './eventually.ts';
import { startExternalPostgres } from './external-postgres.ts';
import { freePort } from './free-port.ts';
import { accepted, call, signIn } from './http.ts';
import { startNginx, type Nginx } from './nginx.ts';
import {
  dataFolder,
  spawnCommand,
  startServer,
  type CommandProcess,
  type ServerProcess,
} from './server-process.ts';

/** Two servers and a worker share a PostgreSQL behind nginx. The second server reaches it through a proxy. */
const folder = dataFolder();
const commonEnv = {
  MASTER_KEY: 'ab'.repeat(32),
  PUBLIC_URL: 'http://guildhall.test',
  TRUST_PROXY: '127.0.0.1',
  ALLOW_PRIVATE_ADDRESSES: 'on',
  ACCOUNT_RATE_LIMIT: '100000',
  NETWORK_RATE_LIMIT: '100000',
  DRAIN_SECONDS: '2',
  LOG_LEVEL: 'warn',
};
const postgres = await startExternalPostgres();
await postgres.run(
  'CREATE ROLE guildhall LOGIN CREATEROLE PASSWORD $PASSWORD',
  'CREATE DATABASE guildhall OWNER guildhall',
);
const proxy = await startDatabaseProxy(postgres.url('guildhall', 'guildhall'));
const ports = [await freePort(), await freePort()];
let nginx: Nginx;
let servers: ServerProcess[];
let worker: CommandProcess;
let studio: Studio;
let revocable: { id: string; key: string };

const start = (index: number): Promise<ServerProcess> => {
  const url = index === 0 ? postgres.url('guildhall', 'guildhall') : proxy.url;
  return startServer({ dataDir: folder.path, port: ports[index]!, env: { ...commonEnv, DATABASE_URL: url } });
};

before(async () => {
  // They migrate the database together.
  servers = await Promise.all([start(0), start(1)]);
  worker = spawnCommand('worker', {
    dataDir: folder.path,
    env: { ...commonEnv, DATABASE_URL: postgres.url('guildhall', 'guildhall') },
  });
  await eventually(() => worker.output().includes('The worker runs.'));
  nginx = await startNginx(servers.map(({ url }) => url));
  studio = await arrangeTenant(nginx.url);
  await enableAutoCreate(nginx.url, studio);
  // Made early: the notification of a new key would empty the cache that the test needs.
  revocable = await createKey(nginx.url);
});
after(async () => {
  await nginx?.stop();
  await Promise.all(
    [...(servers ?? []), ...(worker ? [worker] : [])].map((process) => process.end('SIGKILL')),
  );
  postgres.stop();
  folder.remove();
});

const createKey = (url: string): Promise<{ id: string; key: string }> =>
  accepted('POST', `${url}${studio.at}/game-keys`, { body: { name: 'x' }, bearer: studio.accessToken });

/** Sends one event. Returns undefined if it is stored now or was before, otherwise the reason. */
async function sendEvent(event: { playerId: string }, bearer: string): Promise<string | undefined> {
  try {
    const { status, body } = await call('POST', `${nginx.url}/api/game/player-events`, {
      gameKey: studio.gameKey,
      bearer,
      headers: { connection: 'close' },
      body: { events: [event] },
    });
    const isDuplicate = status === 422 && body.duplicateCount === 1;
    return status === 201 || isDuplicate ? undefined : `${status} ${JSON.stringify(body)}`;
  } catch (error) {
    return String((error as Error).cause ?? error);
  }
}

/**
 * Players send events one after another until they are stopped. With `repeats`, they send an event again until it is
 * acknowledged, as the client library does.
 */
async function play(name: string, { repeats }: { repeats: boolean }) {
  const acknowledged: string[] = [];
  const failures: string[] = [];
  let running = true;
  const players = await Promise.all(
    Array.from({ length: 6 }, (_, index) => signIn(nginx.url, studio.gameKey, `${name}-${index}`)),
  );
  const work = Promise.all(
    players.map(async ({ playerId, accessToken }) => {
      while (running) {
        const key = randomUUID();
        const occurredAt = new Date().toISOString();
        const event = { playerId, eventKey: 'jump', value: 1, idempotencyKey: key, occurredAt };
        for (;;) {
          const failure = await sendEvent(event, accessToken);
          if (failure === undefined) {
            acknowledged.push(key);
            break;
          }
          failures.push(failure);
          if (!repeats) break;
          await sleep(50);
        }
      }
    }),
  );
  return {
    acknowledged,
    failures,
    /** Waits until more events were acknowledged. */
    async proceed(count = 30) {
      const wanted = acknowledged.length + count;
      await eventually(() => acknowledged.length >= wanted || (!repeats && failures.length > 0));
    },
    async stop() {
      running = false;
      await work;
    },
  };
}

/** The idempotency keys of all stored events. */
async function storedKeys(): Promise<string[]> {
  const url = `${nginx.url}${studio.at}/events/export?scope=player&format=ndjson`;
  const events: string = await accepted('GET', url, { bearer: studio.accessToken }, 200);
  const lines = events.trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as { idempotencyKey: string }).idempotencyKey);
}

const readiness = async ({ url }: ServerProcess): Promise<number> =>
  (await fetch(`${url}/health/ready`, { headers: { connection: 'close' } })).status;

describe('two servers and a worker behind nginx', () => {
  test('restart one after another under load without a failed request', async () => {
    const game = await play('rolling', { repeats: false });
    for (const index of servers.keys()) {
      await game.proceed();
      const server = servers[index]!;
      await nginx.takeOut(server.url);
      const ended = server.end('SIGTERM');
      await eventually(async () => (await readiness(server)) === 503);
      assert.equal(await ended, 0, server.output());
      await game.proceed();
      servers[index] = await start(index);
      await nginx.takeOut();
    }
    await game.proceed();
    await game.stop();
    assert.deepEqual(game.failures, []);
    const stored = await storedKeys();
    assert.deepEqual(stored.toSorted(), game.acknowledged.toSorted());
  });

  test('lose nothing that was acknowledged when one is killed under load', async () => {
    const before = new Set(await storedKeys());
    const game = await play('killed', { repeats: true });
    await game.proceed();
    await servers[0]!.end('SIGKILL');
    await game.proceed(100);
    servers[0] = await start(0);
    await game.proceed();
    await game.stop();
    const stored = (await storedKeys()).filter((key) => !before.has(key));
    assert.deepEqual(stored.toSorted(), game.acknowledged.toSorted(), 'each event is stored once');
  });

  test('serve others while a stranger sends large bodies, and answer each of them', async () => {
    let attacks = true;
    const failures: unknown[] = [];
    const others = (async () => {
      while (attacks) {
        const status = await fetch(`${nginx.url}/health/live`).then((answer) => answer.status, String);
        if (status !== 200) failures.push(status);
        await sleep(5);
      }
    })();
    const large = Buffer.alloc(15 * 1024 * 1024, ' ');
    const longHeaders = Object.fromEntries(['a', 'b', 'c'].map((name) => [`x-${name}`, 'x'.repeat(7_000)]));
    const post = async (headers: Record<string, string>): Promise<number> => {
      const answer = await fetch(`${nginx.url}/api/saas-auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: large,
      });
      await answer.text();
      return answer.status;
    };
    for (let round = 0; round < 10; round++) {
      const statuses = await Promise.all([post({}), post({}), post(longHeaders), post(longHeaders)]);
      assert.deepEqual(statuses, [413, 413, 431, 431]);
    }
    attacks = false;
    await others;
    assert.deepEqual(failures, []);
  });

  test('refuse a revoked key soon although the notification is lost', async () => {
    const [first, second] = servers as [ServerProcess, ServerProcess];
    const uses = async (url: string, key: string): Promise<number> => {
      const body = { provider: 'Mock', providerUserId: 'nobody' };
      return (await call('POST', `${url}/api/player-auth/players/exists`, { gameKey: key, body })).status;
    };
    const { id, key } = revocable;
    assert.equal(await uses(second.url, key), 404, 'the key works, and the second server caches it');
    proxy.blackhole('guildhall change feed');
    await accepted('DELETE', `${first.url}${studio.at}/game-keys/${id}`, { bearer: studio.accessToken }, 204);
    // The change feed finds out within 4.5 seconds (database/change-feed.ts). The rest is for a busy machine.
    await eventually(async () => (await uses(second.url, key)) === 401);
    proxy.open();
  });

  test('run no job twice at once', async () => {
    const running = new Map<string, number>();
    const overlapping: string[] = [];
    const attempts = new Map<string, number>();
    const receiver = createServer((request, response) => {
      const id = String(request.headers['webhook-id']);
      attempts.set(id, (attempts.get(id) ?? 0) + 1);
      running.set(id, (running.get(id) ?? 0) + 1);
      if (running.get(id)! > 1) overlapping.push(id);
      request.resume();
      setTimeout(() => {
        running.set(id, running.get(id)! - 1);
        response.writeHead(200).end();
      }, 100);
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    try {
      const { workspaceId, accessToken: bearer } = studio;
      const webhooks = `${nginx.url}/api/workspaces/${workspaceId}/webhooks`;
      const body = { url: `http://127.0.0.1:${port}/` };
      const { id: webhookId } = await accepted('POST', webhooks, { body, bearer });
      const deliveries = await Promise.all(
        Array.from({ length: 60 }, () => accepted('POST', `${webhooks}/${webhookId}/test`, { bearer })),
      );
      const ids = deliveries.map(({ id }) => id as string);
      await eventually(
        () => ids.every((id) => attempts.has(id)) && [...running.values()].every((n) => n === 0),
      );
      assert.deepEqual(overlapping, []);
      assert.deepEqual(
        [...attempts.values()].filter((count) => count > 1),
        [],
      );
    } finally {
      receiver.closeAllConnections();
      receiver.close();
    }
  });
});
