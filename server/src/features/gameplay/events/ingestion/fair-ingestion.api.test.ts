import assert from 'node:assert/strict';
import { tracingChannel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import type { Answer } from '../../../../testing/http-client.ts';
import { arrangeEventSender } from '../../../../testing/player-events.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { whileLocked } from '../../../../testing/while-locked.ts';

const app = await startTestApp({ processes: 1 });

describe('a batch of another tenant', () => {
  test('is stored before a busy tenant gets twice as many answers as it has requests in progress', async () => {
    const [busy, quiet] = await Promise.all([arrangeEventSender(app), arrangeEventSender(app)]);
    const inProgress = 30;
    let [answered, isOver] = [0, false];
    const statuses = new Set<number>();
    const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
    const noise = Array.from({ length: inProgress }, async () => {
      while (!isOver) {
        // The body has 42 KB, and is parsed at once.
        statuses.add((await busy.send(busy.some(300))).status);
        if (++answered === inProgress) begin();
      }
    });
    await hasBegun;
    const before = answered;
    const { status } = await quiet.send(quiet.some(1_000));
    const meanwhile = answered - before;
    isOver = true;
    await Promise.all(noise);
    assert.equal(status, 201);
    assert.deepEqual(statuses, new Set([201]));
    // It is about 15. Without turns it is 170 to 200.
    assert.ok(meanwhile < 2 * inProgress, `${meanwhile} answers`);
  });

  test('is stored before the batches of a busy tenant that wait for a connection', async () => {
    const [busy, quiet] = await Promise.all([arrangeEventSender(app), arrangeEventSender(app)]);
    let [answered, before] = [0, 0];
    let noise: Promise<Answer>[] = [];
    await whileLocked(
      app,
      async (holder) => void (await holder.query('LOCK TABLE player_events IN SHARE ROW EXCLUSIVE MODE')),
      async (waiting, release) => {
        noise = Array.from({ length: 30 }, async () => {
          const answer = await busy.send(busy.some(30));
          answered++;
          return answer;
        });
        await waiting(4);
        const stored = quiet.send(quiet.some(30));
        await release();
        assert.equal((await stored).status, 201);
        before = answered;
      },
    );
    for (const { status } of await Promise.all(noise)) assert.equal(status, 201);
    assert.ok(before < 20, `${before} of 30 batches of the busy tenant were first`);
  });
});

describe('a batch of more than 512 KiB that waits for its turn', () => {
  interface Handling {
    reply: { raw: ServerResponse };
  }
  const handlers = tracingChannel<Handling>('fastify.request.handler');

  test('is not stored if its client disconnects', async () => {
    const { tenant, some, caller } = await arrangeEventSender(app);
    const post = (signal: AbortSignal | null = null): Promise<Response> =>
      fetch(`${app.url}/api/game/player-events`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-game-key': caller.gameKey,
          authorization: `Bearer ${caller.bearer}`,
        },
        body: JSON.stringify(some(20)) + ' '.repeat(512 * 1024),
        signal,
      });
    const abandoned = Promise.withResolvers<ServerResponse>();
    const ended = Promise.withResolvers<void>();
    const listeners = {
      start: ({ reply }: Handling) => abandoned.resolve(reply.raw),
      async asyncEnd({ reply }: Handling) {
        if (reply.raw === (await abandoned.promise)) ended.resolve();
      },
    };
    await whileLocked(
      app,
      async (holder) => void (await holder.query('LOCK TABLE player_events IN SHARE ROW EXCLUSIVE MODE')),
      async (waiting, release) => {
        const stored = [post(), post(), post()];
        await waiting(3);
        handlers.subscribe(listeners);
        const client = new AbortController();
        const gone = post(client.signal).catch(() => {});
        const closed = once(await abandoned.promise, 'close');
        client.abort();
        await Promise.all([gone, closed]);
        await release();
        for (const { status } of await Promise.all(stored)) assert.equal(status, 201);
      },
    );
    await ended.promise;
    handlers.unsubscribe(listeners);
    const { rows } = await app.owner.query(
      'SELECT count(*)::int AS count FROM player_events WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    assert.equal(rows[0].count, 1 + 3 * 20);
  });
});
