import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { createEventQueue, createPlayerClient, memoryStorage } from '../index.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const SERVER_TIME = Date.parse('2026-11-24T12:00:00Z');

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A server with a clock of its own, which says it in its tokens only, and a device with another clock. */
function arrange(context: TestContext, aheadMs: number) {
  context.mock.timers.enable({ apis: ['Date'], now: SERVER_TIME + aheadMs });
  const sent: { value: number; occurredAt: string }[] = [];
  const storage = memoryStorage();
  let serverTime = SERVER_TIME;
  const json = (body: unknown) =>
    new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
  const open = () => {
    const client = createPlayerClient({
      baseUrl: 'https://api.example',
      gameKey: 'gh_game_0',
      storage,
      fetch: async (url, init) => {
        if (String(url).endsWith('/player-events')) {
          const { events } = JSON.parse(init!.body as string) as { events: typeof sent };
          sent.push(...events);
          return json({ records: events });
        }
        const accessToken = `eyJ.${base64url({ sub: 'ÿ?', iat: serverTime / 1000 })}.sig`;
        const player = { playerId: 'a', tenantId: 'b', sessionId: 'c' };
        return json({ accessToken, refreshToken: 'r', expiresIn: 7200, ...player });
      },
    });
    const queue = createEventQueue(client, { storage });
    context.after(() => queue.close());
    return { client, queue };
  };
  const { client, queue } = open();
  return {
    client,
    queue,
    sent,
    open,
    /** Lets time pass on both clocks, and sets the clock of the device on top of it. */
    pass: (milliseconds: number, setMs = 0) => {
      serverTime += milliseconds;
      context.mock.timers.setTime(Date.now() + milliseconds + setMs);
    },
  };
}

const signIn = { provider: 'Mock', token: 'mock:ada:secret' } as const;
const at = (milliseconds: number) => new Date(SERVER_TIME + milliseconds).toISOString();

describe('the time of an event on a device whose clock is wrong', () => {
  for (const [name, aheadMs] of [
    ['3 days ahead', 3 * DAY_MS],
    ['a year behind', -365 * DAY_MS],
  ] as const)
    test(`is the server's if the clock is ${name}, even after a restart`, async (context) => {
      const { client, queue, sent, open, pass } = arrange(context, aheadMs);
      await client.signIn.withProvider(signIn);
      await queue.addPlayerEvent({ eventKey: 'jump', value: 1 });
      pass(MINUTE_MS);
      await queue.addPlayerEvent({ eventKey: 'jump', value: 2 });
      await queue.flush();
      pass(MINUTE_MS);
      const restarted = open();
      await restarted.queue.addPlayerEvent({ eventKey: 'jump', value: 3 });
      await restarted.queue.flush();
      assert.deepEqual(
        sent.map(({ value, occurredAt }) => [value, occurredAt]),
        [
          [1, at(0)],
          [2, at(MINUTE_MS)],
          [3, at(2 * MINUTE_MS)],
        ],
      );
    });

  test("is the server's after a clock was set during the game, from the next refresh on", async (context) => {
    const { client, queue, sent, pass } = arrange(context, 0);
    await client.signIn.withProvider(signIn);
    pass(MINUTE_MS, 3 * DAY_MS);
    await client.profile.get();
    await queue.addPlayerEvent({ eventKey: 'jump', value: 1 });
    pass(MINUTE_MS, -3 * DAY_MS);
    await queue.addPlayerEvent({ eventKey: 'jump', value: 2 });
    await queue.flush();
    assert.deepEqual(
      sent.map(({ occurredAt }) => occurredAt),
      [at(MINUTE_MS), at(2 * MINUTE_MS)],
    );
  });

  for (const [name, aheadMs] of [
    ['an hour ahead', 60 * MINUTE_MS],
    ['an hour behind', -60 * MINUTE_MS],
    ['a year behind', -365 * DAY_MS],
  ] as const)
    test(`is the device's as soon as a clock that was ${name} is corrected`, async (context) => {
      const { client, queue, sent, pass } = arrange(context, aheadMs);
      await client.signIn.withProvider(signIn);
      pass(MINUTE_MS);
      await queue.addPlayerEvent({ eventKey: 'jump', value: 1 });
      pass(MINUTE_MS, -aheadMs);
      await queue.addPlayerEvent({ eventKey: 'jump', value: 2 });
      await queue.flush();
      assert.deepEqual(
        sent.map(({ occurredAt }) => occurredAt),
        [at(MINUTE_MS), at(2 * MINUTE_MS)],
      );
    });

  test("is the device's below 5 minutes, and if the game gives the time", async (context) => {
    const { client, queue, sent } = arrange(context, 4 * MINUTE_MS);
    await client.signIn.withProvider(signIn);
    await queue.addPlayerEvent({ eventKey: 'jump' });
    const own = { idempotencyKey: 'own', occurredAt: at(-DAY_MS) };
    await queue.addPlayerEvent({ eventKey: 'jump', ...own });
    await queue.flush();
    assert.deepEqual(
      sent.map(({ occurredAt }) => occurredAt),
      [at(4 * MINUTE_MS), at(-DAY_MS)],
    );
  });
});
