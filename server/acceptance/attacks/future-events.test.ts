import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { send } from '../arrange.ts';
import { spawnCommand, exitOf } from '../server-process.ts';
import { arrangeStudio, sendPlayerEvents, signIn, startVictim, withstands } from './victim.ts';

const BATCHES = 5;
const EVENTS_PER_BATCH = 10_000;
const MONTH_MS = 31 * 86_400_000;

describe('events with dates in later months', () => {
  test('are rejected, and partitions are created during sign-ins of other studios', async (t) => {
    const victim = await startVictim();
    const hostile = await arrangeStudio(victim.url);
    const settings = `${victim.url}/api/bus_tenants/${hostile.tenantId}/event-definitions/settings`;
    await send(settings, 'PATCH', { autoCreate: true }, hostile.accessToken);
    const login = (await (await signIn(victim.url, hostile)).json()) as {
      accessToken: string;
      playerId: string;
    };

    const sendAhead = async (batch: number): Promise<void> => {
      const events = Array.from({ length: EVENTS_PER_BATCH }, (_, number) => ({
        playerId: login.playerId,
        eventKey: 'ahead',
        idempotencyKey: `${batch}-${number}`,
        occurredAt: new Date(Date.now() + (batch + 1) * MONTH_MS + number).toISOString(),
      }));
      const answer = await sendPlayerEvents(victim.url, hostile, login.accessToken, events);
      const { code, errors } = (await answer.json()) as { code: string; errors: { statusCode: number }[] };
      assert.deepEqual([answer.status, code, errors.length], [422, 'events_rejected', EVENTS_PER_BATCH]);
      assert.ok(errors.every(({ statusCode }) => statusCode === 400));
    };
    await withstands(t, victim, async () => {
      for (let batch = 0; batch < BATCHES; batch++) await sendAhead(batch);
      const making = spawnCommand('migrate', { dataDir: victim.dataDir });
      assert.equal(await exitOf(making.child), 0, making.output());
    });
  });
});
