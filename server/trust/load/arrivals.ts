import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../src/simulation/random.ts';

/** More requests in progress mean that the server does not keep up. They would only wait in this process. */
const MAX_IN_PROGRESS = 5_000;

/** Thrown if the server is slower than the arrivals for so long that 5,000 requests are in progress. */
class OverloadError extends Error {
  override name = 'OverloadError';
}

/**
 * Starts work at random times with a given mean rate, whether or not earlier work has ended. `work` gets its planned time: a
 * latency that is counted from it contains the time that a stall delayed the start. Returns when all work has ended.
 */
export async function openLoop(
  { perSecond, seconds, random }: { perSecond: number; seconds: number; random: Random },
  work: (plannedAt: number) => Promise<void>,
): Promise<void> {
  const inProgress = new Set<Promise<void>>();
  const end = performance.now() + seconds * 1000;
  const gap = (): number => gapBetweenArrivals(random, 1000 / perSecond);
  for (let plannedAt = performance.now() + gap(); plannedAt < end; plannedAt += gap()) {
    const wait = plannedAt - performance.now();
    if (wait > 0) await sleep(wait);
    if (inProgress.size >= MAX_IN_PROGRESS) {
      await Promise.allSettled(inProgress);
      throw new OverloadError(`${MAX_IN_PROGRESS} requests were in progress at ${perSecond.toFixed(0)}/s`);
    }
    const task = work(plannedAt).finally(() => inProgress.delete(task));
    inProgress.add(task);
  }
  await Promise.all(inProgress);
}

/** A random time between two arrivals, with a given mean. Those of independent players are exponentially distributed. */
export function gapBetweenArrivals(random: Random, meanMs: number): number {
  return -Math.log(1 - random.fraction()) * meanMs;
}

/** Runs work on `width` lanes without pauses. Returns how often it ended in a second. */
export async function closedLoop(
  { width, seconds }: { width: number; seconds: number },
  work: () => Promise<void>,
): Promise<number> {
  const started = performance.now();
  const end = started + seconds * 1000;
  let ended = 0;
  const lane = async (): Promise<void> => {
    for (; performance.now() < end; ended++) await work();
  };
  await Promise.all(Array.from({ length: width }, lane));
  return (ended * 1000) / (performance.now() - started);
}
