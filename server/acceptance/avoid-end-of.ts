import { setTimeout as sleep } from 'node:timers/promises';

/** The days and months of UTC. The usage of a plan begins with each month, and tables have a partition for each. */
export type Period = 'day' | 'month';

/** A test takes less than this, even on a busy machine. */
const LEAST_MS = 60_000;
/** PostgreSQL can be on a machine with another clock. */
const CLOCK_DIFFERENCE_MS = 1_000;

/** How long to wait before a test that takes less than `leastMs` and must begin and end in one period. */
export function waitFor(period: Period, now: Date, leastMs = LEAST_MS): number {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const [start, next] =
    period === 'day'
      ? [Date.UTC(year, month, day), Date.UTC(year, month, day + 1)]
      : [Date.UTC(year, month), Date.UTC(year, month + 1)];
  const left = next - now.getTime();
  if (left <= leastMs + CLOCK_DIFFERENCE_MS) return left + CLOCK_DIFFERENCE_MS;
  return Math.max(0, start + CLOCK_DIFFERENCE_MS - now.getTime());
}

/** Waits for the next period if this one ends within a minute, so that the test after it begins and ends in one period. */
export async function avoidEndOf(period: Period, leastMs?: number): Promise<void> {
  await sleep(waitFor(period, new Date(), leastMs));
}
