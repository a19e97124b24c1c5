import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { createAdminClient } from '../admin.ts';
import { createPlayerClient, createPortalClient } from '../index.ts';
import { createServerClient } from '../server.ts';

const baseUrl = 'https://api.example';
const gameKey = 'gh_game_0';
const match = { players: [{ playerId: 'ada' }] };
const mock = { provider: 'Mock', token: 'mock:ada:secret' } as const;
const event = {
  matchSessionId: 'a',
  matchPlayerId: 'b',
  eventKey: 'goal',
  idempotencyKey: 'goal-1',
  occurredAt: '2026-11-22T10:00:00Z',
};
const stopped = new Error('The player left the page.');

/** A network on which no answer ever arrives. */
function silentNetwork() {
  const network = { requests: 0, asked: Promise.withResolvers<void>() };
  const silent: typeof fetch = (_url, init) =>
    new Promise((_resolve, reject) => {
      network.requests++;
      network.asked.resolve();
      init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason));
    });
  return { network, fetch: silent };
}

type Http = { baseUrl: string; gameKey: string; fetch: typeof fetch };

const calls: Record<string, (http: Http, signal: AbortSignal) => Promise<unknown>> = {
  signIn: (http, signal) => createPlayerClient(http).with({ signal }).signIn.withProvider(mock),
  getPlayer: (http, signal) => createPlayerClient(http).with({ signal }).getPlayer('ada'),
  exportData: (http, signal) => createPlayerClient(http).with({ signal }).profile.exportData(),
  'matches of a game client': (http, signal) =>
    createPlayerClient(http).with({ signal }).matches.create(match),
  'a portal client': (http, signal) => createPortalClient(http).with({ signal }).startStoreA(),
  'an admin client': (http, signal) =>
    createAdminClient(http).with({ signal }).signIn({ email: 'ada@example.com', password: 'secret' }),
  'signIn of a game server': (http, signal) => createServerClient(http).with({ signal }).signIn(mock),
  'matches of a game server': (http, signal) => createServerClient(http).with({ signal }).matches.end('a'),
  sendMatchEvents: (http, signal) =>
    createServerClient(http).with({ signal }).sendMatchEvents('token', [event]),
};

describe('with({ signal })', () => {
  for (const [name, call] of Object.entries(calls))
    test(`ends a request of ${name} with the reason of the signal`, async () => {
      const { network, fetch } = silentNetwork();
      const leaving = new AbortController();
      const answer = call({ baseUrl, gameKey, fetch }, leaving.signal);
      await network.asked.promise;
      leaving.abort(stopped);
      await assert.rejects(answer, stopped);
      assert.equal(network.requests, 1);
    });

  test('ends the pause before a repetition', async () => {
    const leaving = new AbortController();
    const { signal } = leaving;
    let requests = 0;
    const unavailable: typeof fetch = async () => {
      // The pause begins when this answer was read.
      if (++requests === 1) setImmediate(() => leaving.abort(stopped));
      return new Response('{}', { status: 503, headers: { 'retry-after': '3600' } });
    };
    const retries = { backOff: { firstMs: 3_600_000, longestMs: 3_600_000 } };
    const server = createServerClient({ baseUrl, gameKey, retries, fetch: unavailable });
    await assert.rejects(server.with({ signal }).matches.end('a'), stopped);
    assert.equal(requests, 1);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  test('ends no other call of the client', async () => {
    const echo: typeof fetch = async (url) => Response.json(url);
    const game = createPlayerClient({ baseUrl, gameKey, fetch: echo });
    const ended = game.with({ signal: AbortSignal.abort(stopped) });
    await assert.rejects(ended.getPlayer('ada'), stopped);
    assert.equal(await game.getPlayer('ada'), `${baseUrl}/api/player-profiles/ada`);
  });

  test('ends a call of api together with the signal of the call', async () => {
    const echo: typeof fetch = async (url, init) => {
      init!.signal!.throwIfAborted();
      return Response.json(url);
    };
    const game = createPlayerClient({ baseUrl, gameKey, fetch: echo });
    const { signal: open } = new AbortController();
    const ended = AbortSignal.abort(stopped);
    for (const [one, other] of [
      [open, ended],
      [ended, open],
    ] as const) {
      const { api } = game.with({ signal: one });
      await assert.rejects(api.GET('/api/player-profile/me', { signal: other }), stopped);
    }
  });
});
