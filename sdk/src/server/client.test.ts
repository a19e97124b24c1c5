import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { GuildhallError } from '../index.ts';
import { createServerClient, type ServerClient } from '../server.ts';

const calls: Record<string, (server: ServerClient) => Promise<unknown>> = {
  refresh: (server) => server.refresh('gh_refresh_0'),
  'assertions.exchange': (server) => server.assertions.exchange('gh_refresh_0', 'https://shop.example'),
};

/** The server repeats the answer for 60 seconds. A later request with the same token would end the session. */
const REPEATED_FOR_SECONDS = 60;

describe('the repetitions of a refresh', () => {
  for (const [name, call] of Object.entries(calls))
    test(`of ${name} are sent within 60 seconds, with one key`, async (context) => {
      context.mock.timers.enable({ apis: ['setTimeout'] });
      let seconds = 0;
      const sentAt: number[] = [];
      const keys = new Set<string | null>();
      const silent: typeof fetch = (_url, init) =>
        new Promise((_resolve, reject) => {
          sentAt.push(seconds);
          keys.add(new Headers(init!.headers).get('idempotency-key'));
          init!.signal!.addEventListener('abort', () => reject(new Error('aborted')));
        });
      const server = createServerClient({
        baseUrl: 'https://api.example',
        gameKey: 'gh_game_0',
        fetch: silent,
      });
      let code: string | undefined;
      void call(server).catch((error: GuildhallError) => (code = error.code));
      for (; !code && seconds < 300; seconds++) {
        await new Promise(setImmediate);
        context.mock.timers.tick(1_000);
      }
      assert.equal(code, 'timeout');
      assert.equal(sentAt.length, 4);
      assert.ok(sentAt.at(-1)! < REPEATED_FOR_SECONDS, `sent after ${sentAt.join(', ')} seconds`);
      assert.equal(keys.size, 1);
      assert.match(String([...keys][0]), /^[\w-]{8,}$/);
    });
});
