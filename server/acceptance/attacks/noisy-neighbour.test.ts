import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../arrange.ts';
import { arrangeStudio, sendPlayerEvents, signIn, startVictim, withstands } from './victim.ts';

const BATCHES = 5;
const EVENTS_PER_BATCH = 10_000;
const PARALLEL_READS = 40;
const ATTACK_MS = 4_000;

describe('one studio that reads its events as fast as possible', () => {
  test('does not block sign-ins of another studio, and excess reads get a 429', async (t) => {
    const victim = await startVictim();
    const hostile = await arrangeStudio(victim.url);
    const tenant = `${victim.url}/api/bus_tenants/${hostile.tenantId}`;
    await send(`${tenant}/event-definitions/settings`, 'PATCH', { autoCreate: true }, hostile.accessToken);
    const login = (await (await signIn(victim.url, hostile)).json()) as {
      accessToken: string;
      playerId: string;
    };

    for (let batch = 0; batch < BATCHES; batch++) {
      const events = Array.from({ length: EVENTS_PER_BATCH }, (_, number) => ({
        playerId: login.playerId,
        eventKey: batch + number === 0 ? 'rare' : 'common',
        idempotencyKey: `${batch}-${number}`,
        occurredAt: new Date(Date.now() - 3_600_000 + batch * 10_000 + number).toISOString(),
      }));
      const answer = await sendPlayerEvents(victim.url, hostile, login.accessToken, events);
      assert.equal(answer.status, 201, await answer.text());
    }

    // The limits of accounts would refuse most of these reads. A key may send 1,000 a second.
    const body = { name: 'reader', allowDataApi: true };
    const { key = '' } = await send(`${tenant}/api-keys`, 'POST', body, hostile.accessToken);
    // No index helps: one query looks for a rare key, the other counts everything.
    const reads = ['events?scope=player&eventKey=rare', 'events/summary?scope=player&bucket=day'];
    const statuses = new Set<number>();
    const attack = async (): Promise<void> => {
      const end = Date.now() + ATTACK_MS;
      const read = async (number: number): Promise<void> => {
        while (Date.now() < end) {
          const answer = await fetch(`${tenant}/${reads[number % reads.length]}`, {
            headers: { 'x-api-key': key },
          });
          const body = await answer.text();
          statuses.add(answer.status);
          if (answer.status === 200) continue;
          assert.equal(answer.status, 429, body);
          assert.equal(JSON.parse(body).code, 'too_many_reads');
          assert.ok(answer.headers.has('retry-after'));
          await sleep(50);
        }
      };
      await Promise.all(Array.from({ length: PARALLEL_READS }, (_, number) => read(number)));
    };
    await withstands(t, victim, attack);
    assert.deepEqual(
      [...statuses].toSorted((a, b) => a - b),
      [200, 429],
    );
  });
});
