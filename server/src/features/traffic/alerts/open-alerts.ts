import type { Database } from '../../../database/database.ts';
import type { Jobs } from '../../../jobs/queue.ts';
import type { Redis } from '../../../redis/redis.ts';
import { createRedisWindowSum } from './redis-window-sum.ts';
import { raiseAlert } from './raise-alert.ts';
import { watchTraffic, type TrafficWatch } from './watch-traffic.ts';

const JUDGE_EVERY_MS = 1_000;

export interface Alerts extends Omit<TrafficWatch, 'judge'> {
  /** Judges what was counted last, and stops. */
  close(): Promise<void>;
}

export interface AlertsOptions {
  database: Database;
  jobs: Jobs;
  redis: Redis | undefined;
  suppressionSeconds: number;
  logger: { warn(details: object, message: string): void };
}

/** Watches the traffic of a process, and raises alerts about it every second. */
export function openAlerts(options: AlertsOptions): Alerts {
  const { redis, suppressionSeconds, logger } = options;
  const watch = watchTraffic({
    raise: (spike) => raiseAlert(options, suppressionSeconds, spike),
    suppressionSeconds,
    windowSum: redis && createRedisWindowSum(redis),
    logger,
  });
  // One after the other: a database that is slow gets no more to do for it.
  let judging: Promise<void> | undefined;
  const timer = setInterval(() => {
    judging ??= watch.judge().finally(() => (judging = undefined));
  }, JUDGE_EVERY_MS).unref();
  return {
    countRequest: watch.countRequest,
    countBytes: watch.countBytes,
    async close() {
      clearInterval(timer);
      await judging;
      await watch.judge();
    },
  };
}
