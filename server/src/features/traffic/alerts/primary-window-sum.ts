import { createLruCache } from '../../../core/lru-cache.ts';
import { monotonicClock } from '../../../core/monotonic-clock.ts';
import { COUNT_WITHIN_MS, type Channel } from '../../../processes/channel.ts';
import {
  createRollingWindow,
  type Report,
  type RollingWindow,
  type SharedSum,
  type SharedWindowSum,
} from './rolling-window.ts';

/** Counters that the primary process keeps, about 0.6 kB each: one for each watched key and type. */
const KEPT_COUNTERS = 40_000;

/** Adds up the counts of all processes of a server in their primary process. */
export function createPrimaryWindowSum(primary: Channel): SharedWindowSum {
  return (reports) =>
    primary
      .request<SharedSum[]>('sum-windows', reports, COUNT_WITHIN_MS)
      .catch(() => reports.map(() => undefined));
}

/** Creates the request handler of the primary process, for the reports of all processes. */
export function createWindowSumHandler(now = monotonicClock): (reports: Report[]) => SharedSum[] {
  const windows = createLruCache<string, RollingWindow>(KEPT_COUNTERS);
  return (reports) => {
    const second = Math.floor(now() / 1000);
    return reports.map(({ name, amounts }) => {
      let window = windows.get(name);
      if (!window) windows.set(name, (window = createRollingWindow()));
      let fullest: SharedSum | undefined;
      for (const { age, amount } of amounts) {
        const sum = window.add(second - age, amount);
        if (!fullest || sum > fullest.sum) fullest = { sum, age };
      }
      return fullest ?? { sum: window.sum(second), age: 0 };
    });
  };
}
