import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { GuildhallError } from '../index.ts';
import { createServerClient, type ServerClient } from '../server.ts';

const calls: Record<string, (server: ServerClient) => Promise<unknown>> = {
  refresh: (server) => server.refresh('gh_refresh_0'),
  'assertions.exchange': (server) => server.assertions.exchange('gh_refresh_0', 'https://shop.example'),
};

/** The server repeats the answer for 60 seconds. A later request with the same token would end the session. */
const REPEATED_FOR_SECONDS = 60;

/** Calls a server whose time the test controls. Returns when each attempt was sent, in seconds, and the result. */
async function callWith(
  context: TestContext,
  call: (server: ServerClient) => Promise<unknown>,
  fetch: typeof globalThis.fetch,
) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let seconds = 0;
  context.mock.method(performance, 'now', () => seconds * 1_000);
  const sentAt: number[] = [];
  const keys = new Set<string | null>();
  const server = createServerClient({
    baseUrl: 'https://api.example',
    gameKey: 'gh_game_0',
    fetch: (url, init) => {
      sentAt.push(seconds);
      keys.add(new Headers(init!.headers).get('idempotency-key'));
      return fetch(url, init);
    },
  });
  let result: unknown;
  void call(server).then(
    (answer) => (result = answer),
    ({ code }: GuildhallError) => (result = code),
  );
  for (; result === undefined && seconds < 300; seconds++) {
    await new Promise(setImmediate);
    context.mock.timers.tick(1_000);
  }
  return { result, sentAt, keys };
}

/** A server that restarts. */
const unavailable = (retryAfter: number) =>
  Response.json({ code: 'unavailable' }, { status: 503, headers: { 'retry-after': String(retryAfter) } });

describe('the repetitions of a refresh', () => {
  for (const [name, call] of Object.entries(calls)) {
    test(`of ${name} are sent within 60 seconds, with one key`, async (context) => {
      const silent: typeof fetch = (_url, init) =>
        new Promise((_resolve, reject) => {
          init!.signal!.addEventListener('abort', () => reject(new Error('aborted')));
        });
      const { result, sentAt, keys } = await callWith(context, call, silent);
      assert.equal(result, 'timeout');
      assert.equal(sentAt.length, 4);
      assert.ok(sentAt.at(-1)! < REPEATED_FOR_SECONDS, `sent after ${sentAt.join(', ')} seconds`);
      assert.equal(keys.size, 1);
      assert.match(String([...keys][0]), /^[\w-]{8,}$/);
    });

    test(`of ${name} outlast the restart of a server`, async (context) => {
      const answers = [unavailable(5), unavailable(5), Response.json({ accessToken: 'next' })];
      const { result, sentAt, keys } = await callWith(context, call, async () => answers.shift()!);
      assert.deepEqual(result, { accessToken: 'next' });
      assert.deepEqual([sentAt.length, keys.size], [3, 1]);
    });
  }

  test('end before 60 seconds if each answer is slow and asks for the longest wait', async (context) => {
    context.mock.method(Math, 'random', () => 1);
    const slow: typeof fetch = () =>
      new Promise((resolve) => setTimeout(() => resolve(unavailable(10)), 14_000));
    const { result, sentAt } = await callWith(context, calls['refresh']!, slow);
    assert.equal(result, 'unavailable');
    assert.equal(sentAt.length, 2);
  });

  test('are not sent if the server asks for a longer wait than 10 seconds', async (context) => {
    const { result, sentAt } = await callWith(context, calls['refresh']!, async () => unavailable(11));
    assert.deepEqual([result, sentAt], ['unavailable', [0]]);
  });
});
