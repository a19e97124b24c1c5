import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import { eventually } from '../src/testing/eventually.ts';
import { startTimedOperations } from './faults/timed-operations.ts';

// The clock of the machine of the server is set one hour forward and back while the server runs. The clock of PostgreSQL is right.

const SystemDate = Date;
let offsetMs = 0;
globalThis.Date = class extends SystemDate {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(SystemDate.now() + offsetMs);
    else super(...(args as [number]));
  }
  static override now = () => SystemDate.now() + offsetMs;
} as DateConstructor;
after(() => (globalThis.Date = SystemDate));
const HOUR_MS = 60 * 60_000;

const { app, game, storeA, signIn, signInToStore, refresh, play, useAll } = await startTimedOperations();

describe('the clock of the server', () => {
  afterEach(() => void (offsetMs = 0));
  for (const [name, jumpMs] of [
    ['may jump one hour forward and back', HOUR_MS],
    ['may jump one hour back and forward', -HOUR_MS],
  ] as const)
    test(name, { timeout: 300_000 }, async () => {
      let before = await signIn();
      await useAll();
      for (const offset of [jumpMs, 0]) {
        offsetMs = offset;
        // Credentials from before the jump. An access token is valid for two hours.
        await play(before);
        before = await refresh(before.refreshToken);
        await useAll();
      }
    });

  test('a token that expires with a jump is refused, and works again after the clock is right', async () => {
    const { accessToken } = await signIn();
    const read = async () =>
      (await app.http.get('/api/player-profile/me', { ...game, bearer: accessToken })).status;
    assert.equal(await read(), 200);
    offsetMs = 3 * HOUR_MS;
    assert.equal(await read(), 401);
    offsetMs = 0;
    assert.equal(await read(), 200);
  });

  test(
    'a provider that failed before the clock was set back is asked again',
    { timeout: 300_000 },
    async () => {
      offsetMs = HOUR_MS;
      storeA.fail('broken');
      for (let attempt = 0; attempt < 6; attempt++) assert.equal((await signInToStore()).status, 502);
      storeA.fail('never');
      offsetMs = 0;
      await eventually(async () => (await signInToStore()).status === 200);
    },
  );
});
