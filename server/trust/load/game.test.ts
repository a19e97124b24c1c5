import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../src/simulation/random.ts';
import { createGame } from './game.ts';
import type { StrictApi } from './strict-api.ts';

/** Answers like the API: sign-ins at once, and everything else not before `release` is called. */
function openStalledApi(): StrictApi & { release(): void } {
  const released = Promise.withResolvers<void>();
  return {
    faults: [],
    acknowledged: { count: 0, idSum: 0n },
    async send(_method, path, body) {
      if (/^\/api\/player-auth\/(login|wallet)/.test(path)) return { status: 200, body: answer() };
      await released.promise;
      if (path !== '/api/game/matches') return { status: 200, body: answer() };
      const { players } = body as { players: { playerId: string }[] };
      const roster = players.map(({ playerId }) => ({ playerId, matchPlayerId: randomUUID() }));
      return { status: 201, body: { matchSessionId: randomUUID(), players: roster } };
    },
    close: () => Promise.resolve(),
    release: released.resolve,
  };
}

/** The members that the game reads of challenges, sign-ins, refreshes and batches. */
const answer = () => ({
  message: 'sign me',
  playerId: randomUUID(),
  sessionId: randomUUID(),
  accessToken: 'a',
  refreshToken: 'r',
  records: [],
  duplicateCount: 0,
  errors: [],
});

test('players who all wait during a stall of the server continue after it', { timeout: 60_000 }, async () => {
  for (let seed = 0; seed < 10; seed++) {
    const api = openStalledApi();
    const game = createGame(api, createRandom(`stall ${seed}`), `stall ${seed}`, 20);
    await game.begin();
    const played = Array.from({ length: 100 }, () => game.play());
    await sleep(20);
    api.release();
    assert.equal((await Promise.all(played)).length, 100);
  }
});
