import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangeTenant, enableAutoCreate } from '../arrange.ts';
import { call, signIn } from '../http.ts';
import { spawnCommand, exitOf } from '../server-process.ts';
import { startVictim, withstands } from './victim.ts';

const BATCHES = 5;
const EVENTS_PER_BATCH = 10_000;
const MONTH_MS = 31 * 86_400_000;

describe('events with dates in later months', () => {
  test('are rejected, and partitions are created during sign-ins of other studios', async (t) => {
    const victim = await startVictim();
    const hostile = await arrangeTenant(victim.url);
    const { gameKey } = hostile;
    await enableAutoCreate(victim.url, hostile);
    const { accessToken: bearer, playerId } = await signIn(victim.url, gameKey);

    const sendAhead = async (batch: number): Promise<void> => {
      const events = Array.from({ length: EVENTS_PER_BATCH }, (_, number) => ({
        playerId,
        eventKey: 'ahead',
        idempotencyKey: `${batch}-${number}`,
        occurredAt: new Date(Date.now() + (batch + 1) * MONTH_MS + number).toISOString(),
      }));
      const parts = { gameKey, bearer, body: { events } };
      const { status, body } = await call('POST', `${victim.url}/api/game/player-events`, parts);
      const errors: { statusCode: number }[] = body.errors;
      assert.deepEqual([status, body.code, errors.length], [422, 'events_rejected', EVENTS_PER_BATCH]);
      assert.ok(errors.every(({ statusCode }) => statusCode === 400));
    };
    await withstands(t, victim, async () => {
      for (let batch = 0; batch < BATCHES; batch++) await sendAhead(batch);
      const making = spawnCommand('migrate', { dataDir: victim.dataDir });
      assert.equal(await exitOf(making.child), 0, making.output());
    });
  });
});
