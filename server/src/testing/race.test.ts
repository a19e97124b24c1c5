import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { raceInEachOrder } from './race.ts';

/** Runs a race in which the first side needs some time before the moment that counts. Returns which side came first, for each round. */
async function race(rounds: number, milliseconds: number): Promise<boolean[]> {
  const orders: boolean[] = [];
  await raceInEachOrder(rounds, async (first, second) => {
    const [own, other] = await Promise.all([
      first(async () => performance.now() + milliseconds),
      second(async () => performance.now()),
    ]);
    orders.push(own < other);
    return own < other;
  });
  return orders;
}

describe('raceInEachOrder', { concurrency: true }, () => {
  for (const milliseconds of [-100, 0, 100])
    test(`sees each order if the first side is ${milliseconds} ms slower`, async () => {
      const orders = await race(30, milliseconds);
      const firsts = orders.filter((isFirst) => isFirst).length;
      assert.ok(firsts >= 5 && firsts <= orders.length - 5, `${firsts} of ${orders.length}`);
    });

  test('fails if one side always comes first', async () => {
    const races = [race(30, -Infinity), race(30, Infinity)];
    await Promise.all(races.map((always) => assert.rejects(always, /each order occurs/)));
  });
});
