import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** Sends a request, perhaps after a delay. */
type Begin = <Answer>(send: () => Promise<Answer>) => Promise<Answer>;

/** Sends a request after up to 8 random milliseconds, so that the requests of a round arrive in every order. */
export const later: Begin = (send) => delayed(0, send);

/** The last of these rounds delays a side by three seconds. */
const ROUNDS_WITH_ONE_ORDER = 14;

/**
 * Repeats a race of two sides `rounds` times, and until each side has come first. `race` begins the sides with its two functions,
 * checks the result, and returns whether the first side came first. The side that came first begins later in the next round. So
 * most rounds are near the moment at which the order changes, on a fast machine and on a slow one.
 */
export async function raceInEachOrder(
  rounds: number,
  race: (first: Begin, second: Begin, round: number) => Promise<boolean>,
): Promise<void> {
  const orders = new Set<boolean>();
  let [wasFirst, delay, step] = [false, 0, 4];
  for (let round = 0; round < rounds || orders.size < 2; round++) {
    const wait = delay;
    const isFirst = await race(
      (send) => delayed(wait, send),
      (send) => delayed(-wait, send),
      round,
    );
    orders.add(isFirst);
    assert.ok(orders.size === 2 || round < ROUNDS_WITH_ONE_ORDER, 'each order occurs');
    step = isFirst === wasFirst ? step * 1.5 : Math.max(step / 2, 1);
    delay += isFirst ? step : -step;
    wasFirst = isFirst;
  }
}

async function delayed<Answer>(milliseconds: number, send: () => Promise<Answer>): Promise<Answer> {
  await sleep(Math.max(0, milliseconds) + Math.random() * 8);
  return send();
}
