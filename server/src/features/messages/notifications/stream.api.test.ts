import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../../database/database.ts';
import { openJobs } from '../../../jobs/queue.ts';
import { arrangeAccount, arrangeTenant, signedToken, type TestTenant } from '../../../testing/arrange.ts';
import { openTestStream, type TestStream } from '../../../testing/event-stream.ts';
import { eventually } from '../../../testing/eventually.ts';
import type { Caller } from '../../../testing/http-client.ts';
import { someEmail } from '../../../testing/mailbox.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { vault } from '../../../testing/test-vault.ts';
import { notifyTeam } from './index.ts';

const app = await startTestApp();
const second = await startTestApp({ databaseUrl: app.databaseUrl });
const database = openDatabase(app.databaseUrl, { poolSize: 12 });
const services = { vault, jobs: await openJobs(database) };
test.after(async () => {
  await services.jobs.close();
  await database.close();
});

/** Notifies a workspace. The transaction stays open until `then` is done. */
const notifyOwner = (tenant: TestTenant, title: string, then = async (): Promise<unknown> => undefined) =>
  database.transaction(async (transaction) => {
    const notice = { type: 'test.news', title, text: '-' };
    await notifyTeam(services, transaction, tenant.workspaceId, notice);
    await then();
  });
const listen = (caller: Caller, { at = app, lastSeen }: { at?: typeof app; lastSeen?: string } = {}) =>
  openTestStream(`${at.url}/api/notifications/stream`, caller, lastSeen);
const titlesOf = ({ events }: Pick<TestStream, 'events'>) => events.map(({ data }) => data.title);
const arrangeOwner = async () => {
  const tenant = await arrangeTenant(app);
  return { tenant, owner: await arrangeAccount(app, tenant, 'owner') };
};
/** Waits until all 10 streams of an account can be opened. */
const untilAllAreFree = async (owner: Caller): Promise<void> => {
  const streams: TestStream[] = [];
  await eventually(async () => {
    const stream = await listen(owner);
    if (stream.status === 200) streams.push(stream);
    return streams.length === 10;
  });
  for (const stream of streams) stream.close();
};
const backends = async () =>
  (
    await app.owner.query(
      'SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database()',
    )
  ).rows[0].count;

describe('GET /api/notifications/stream', () => {
  test('sends notifications to all streams of the account in every process', async () => {
    const { tenant, owner } = await arrangeOwner();
    const { tenant: foreignTenant, owner: stranger } = await arrangeOwner();
    const streams = [await listen(owner), await listen(owner, { at: second })];
    const foreign = await listen(stranger);
    assert.deepEqual(
      streams.map(({ status }) => status),
      [200, 200],
    );
    assert.equal(streams[0]?.headers.get('content-type'), 'text/event-stream');
    await notifyOwner(tenant, 'news');
    await notifyOwner(tenant, 'more news');
    const { items } = (await app.http.get('/api/notifications', owner)).body;
    for (const stream of streams) {
      await eventually(() => stream.events.length === 2);
      assert.deepEqual(
        stream.events,
        items
          .toReversed()
          .map((item: { id: string }) => ({ id: item.id, event: 'notification', data: item })),
      );
    }
    await notifyOwner(foreignTenant, 'foreign news');
    await eventually(() => foreign.events.length > 0);
    assert.deepEqual(titlesOf(foreign), ['foreign news']);
    for (const stream of [...streams, foreign]) stream.close();
  });

  test('resumes after Last-Event-ID, or begins with the next notification', async () => {
    const { tenant, owner } = await arrangeOwner();
    for (const title of ['1', '2', '3']) await notifyOwner(tenant, title);
    const { items } = (await app.http.get('/api/notifications', owner)).body;
    const resumed = await listen(owner, { lastSeen: items[2].id });
    const fresh = await listen(owner);
    await eventually(() => resumed.events.length === 2);
    await notifyOwner(tenant, '4');
    await eventually(() => fresh.events.length === 1 && resumed.events.length === 3);
    assert.deepEqual(titlesOf(resumed), ['2', '3', '4']);
    assert.deepEqual(titlesOf(fresh), ['4']);
    for (const stream of [resumed, fresh]) stream.close();
  });

  test('begins with the oldest notification if Last-Event-ID is unknown', async () => {
    const { tenant, owner } = await arrangeOwner();
    const other = await arrangeOwner();
    await notifyOwner(other.tenant, 'theirs');
    await notifyOwner(tenant, 'mine');
    const [{ id }] = (await app.http.get('/api/notifications', other.owner)).body.items;
    for (const lastSeen of [randomUUID(), id]) {
      const stream = await listen(owner, { lastSeen });
      await eventually(() => stream.events.length === 1);
      assert.deepEqual(titlesOf(stream), ['mine']);
      stream.close();
    }
    assert.equal((await listen(owner, { lastSeen: 'the last one' })).status, 400);
  });

  test('sends missed notifications in order', async () => {
    const { tenant, owner } = await arrangeOwner();
    await notifyOwner(tenant, 'first');
    const [{ id: lastSeen }] = (await app.http.get('/api/notifications', owner)).body.items;
    const titles = Array.from({ length: 130 }, (_, index) => String(index));
    for (const title of titles) await notifyOwner(tenant, title);
    const stream = await listen(owner, { lastSeen });
    await eventually(() => stream.events.length >= 130);
    assert.deepEqual(titlesOf(stream), titles);
    stream.close();
  });

  test('sends a notification that commits late exactly once', async () => {
    const { tenant, owner } = await arrangeOwner();
    const live = await listen(owner);
    let resumed: TestStream | undefined;
    await notifyOwner(tenant, 'slow', async () => {
      await notifyOwner(tenant, 'quick');
      await eventually(() => live.events.length === 1);
      resumed = await listen(owner, { lastSeen: live.events[0]?.id ?? '' });
    });
    await eventually(() => live.events.length === 2 && resumed?.events.length === 1);
    assert.deepEqual(titlesOf(live), ['quick', 'slow']);
    assert.deepEqual(titlesOf(resumed!), ['slow']);
    for (const stream of [live, resumed!]) stream.close();
  });

  test('sends each notification once to a client that reconnects often', async () => {
    const { tenant, owner } = await arrangeOwner();
    await notifyOwner(tenant, 'before');
    let [{ id: lastSeen }] = (await app.http.get('/api/notifications', owner)).body.items;
    const total = 120;
    const pause = () => sleep(Math.random() * 20);
    let writing = true;
    const writers = Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let index = 0; index < total / 8; index++)
          await notifyOwner(tenant, `${writer} ${index}`, pause);
      }),
    ).finally(() => (writing = false));

    const seen: string[] = [];
    for (let visit = 0; writing || seen.length < total; visit++) {
      const stream = await listen(owner, { at: visit % 2 ? second : app, lastSeen });
      const enough = Math.floor(Math.random() * 8);
      await eventually(() => stream.events.length >= Math.min(enough, total - seen.length));
      stream.close();
      await stream.ended;
      seen.push(...titlesOf(stream));
      lastSeen = stream.events.at(-1)?.id ?? lastSeen;
      assert.ok(seen.length <= total, 'a notification was sent twice');
    }
    await writers;
    assert.equal(new Set(seen).size, total);
  });

  test('ends when the token expires', async () => {
    const { owner } = await arrangeOwner();
    let bearer = '';
    let stream!: TestStream;
    // On a busy machine, a token may expire before its stream begins.
    await eventually(async () => {
      bearer = await signedToken(app, 'saas', owner.accountId, { sid: randomUUID() }, 2);
      stream = await listen({ bearer });
      return stream.status === 200;
    });
    await stream.ended;
    assert.deepEqual(stream.events, [{ event: 'end', data: { reason: 'token_expired' } }]);
    assert.equal((await listen({ bearer })).status, 401);
  });

  test('ends with the session in every process and rejects new streams', async () => {
    const credentials = { email: someEmail(), password: 'a long password' };
    const signup = await app.http.post('/api/saas-auth/signup', credentials);
    const login = await app.http.post('/api/saas-auth/login', credentials);
    const mine = { bearer: signup.body.accessToken as string };
    const elsewhere = await listen({ bearer: login.body.accessToken });
    const streams = [await listen(mine), await listen(mine, { at: second })];
    const { refreshToken } = signup.body;
    assert.ok((await app.http.post('/api/saas-auth/logout', { refreshToken })).status < 300);
    for (const stream of streams) {
      await stream.ended;
      assert.deepEqual(stream.events, [{ event: 'end', data: { reason: 'session_ended' } }]);
    }
    assert.equal((await listen(mine)).status, 401);
    assert.deepEqual(elsewhere.events, [], 'another session of the account continues');
    elsewhere.close();
  });

  test('allows ten streams per account without extra database connections', async () => {
    const { tenant, owner } = await arrangeOwner();
    const { owner: other } = await arrangeOwner();
    const before = await backends();
    const streams = await Promise.all(Array.from({ length: 10 }, () => listen(owner)));
    assert.ok(streams.every(({ status }) => status === 200));
    await notifyOwner(tenant, 'to all');
    await eventually(() => streams.every(({ events }) => events.length === 1));
    // Connections that the requests have opened are closed when they are idle.
    await eventually(async () => (await backends()) < before + 10);

    const refused = await app.http.get('/api/notifications/stream', owner);
    assert.equal(refused.status, 429);
    assert.equal(refused.body.code, 'too_many_streams');
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    const theirs = await listen(other);
    assert.equal(theirs.status, 200);
    streams[0]?.close();
    await eventually(async () => {
      const stream = await listen(owner);
      if (stream.status !== 200) return false;
      streams.push(stream);
      return true;
    });
    for (const stream of [...streams, theirs]) stream.close();
  });

  test('frees the streams of clients that disconnect early', async () => {
    const { owner } = await arrangeOwner();
    for (let round = 0; round < 4; round++)
      await Promise.allSettled(
        Array.from({ length: 8 }, async (_, index) => {
          const signal = AbortSignal.timeout(index);
          const headers = { authorization: `Bearer ${owner.bearer}` };
          await fetch(`${app.url}/api/notifications/stream`, { headers, signal });
        }),
      );
    await untilAllAreFree(owner);
  });

  test('opens no stream for HEAD', async () => {
    const { owner } = await arrangeOwner();
    for (let request = 0; request < 12; request++) {
      const head = await app.http.raw('HEAD', '/api/notifications/stream', undefined, owner);
      assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/event-stream']);
    }
    const stream = await listen(owner);
    assert.equal(stream.status, 200);
    stream.close();
  });

  test('frees the streams of HEAD requests that disconnect early', async () => {
    const { owner } = await arrangeOwner();
    const { hostname, port } = new URL(app.url);
    for (let round = 0; round < 8; round++)
      await Promise.all(
        Array.from({ length: 8 }, async (_, index) => {
          const socket = connect(Number(port), hostname);
          await once(socket, 'connect');
          socket.write(
            `HEAD /api/notifications/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${owner.bearer}\r\n\r\n`,
          );
          await sleep(index / 2);
          socket.resetAndDestroy();
        }),
      );
    await untilAllAreFree(owner);
  });

  test('returns 401 without a console account', async () => {
    const { tenant } = await arrangeOwner();
    for (const caller of [{}, { gameKey: tenant.gameKey }, { bearer: 'no' }])
      assert.equal((await app.http.get('/api/notifications/stream', caller)).status, 401);
  });
});
