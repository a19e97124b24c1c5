import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { arrangeTenant, enableAutoCreate } from '../arrange.ts';
import { accepted, call, signIn } from '../http.ts';
import { startVictim, withstands } from './victim.ts';

const BATCHES = 5;
const EVENTS_PER_BATCH = 10_000;
const PARALLEL_READS = 40;
const ATTACK_MS = 4_000;

describe('one studio that reads its events as fast as possible', () => {
  test('does not block sign-ins of another studio, and excess reads get a 429', async (t) => {
    const victim = await startVictim();
    const hostile = await arrangeTenant(victim.url);
    const { gameKey } = hostile;
    const tenant = victim.url + hostile.at;
    await enableAutoCreate(victim.url, hostile);
    const { accessToken: bearer, playerId } = await signIn(victim.url, gameKey);

    for (let batch = 0; batch < BATCHES; batch++) {
      const events = Array.from({ length: EVENTS_PER_BATCH }, (_, number) => ({
        playerId,
        eventKey: batch + number === 0 ? 'rare' : 'common',
        idempotencyKey: `${batch}-${number}`,
        occurredAt: new Date(Date.now() - 3_600_000 + batch * 10_000 + number).toISOString(),
      }));
      const parts = { gameKey, bearer, body: { events } };
      await accepted('POST', `${victim.url}/api/game/player-events`, parts, 201);
    }

    // The limits of accounts would refuse most of these reads. A key may send 1,000 a second.
    const body = { name: 'reader', allowDataApi: true };
    const { key } = await accepted('POST', `${tenant}/api-keys`, { body, bearer: hostile.accessToken });
    // No index helps: one query looks for a rare key, the other counts everything.
    const reads = ['events?scope=player&eventKey=rare', 'events/summary?scope=player&bucket=day'];
    const statuses = new Set<number>();
    const attack = async (): Promise<void> => {
      const end = Date.now() + ATTACK_MS;
      const read = async (number: number): Promise<void> => {
        while (Date.now() < end) {
          const url = `${tenant}/${reads[number % reads.length]}`;
          const { status, headers, body } = await call('GET', url, { headers: { 'x-api-key': key } });
          statuses.add(status);
          if (status === 200) continue;
          assert.deepEqual([status, body.code], [429, 'too_many_reads']);
          assert.ok(headers.has('retry-after'));
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
