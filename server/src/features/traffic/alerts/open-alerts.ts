import { createFlusher } from '../../../core/concurrency/flusher.ts';
import type { Log } from '../../../core/log.ts';
import type { Database } from '../../../database/database.ts';
import type { Jobs } from '../../../jobs/queue.ts';
import type { SharedCounts } from '../../../security/limiter.ts';
import { createPrimaryWindowSum } from './primary-window-sum.ts';
import { raiseAlert } from './raise-alert.ts';
import { createRedisWindowSum } from './redis-window-sum.ts';
import type { SharedWindowSum } from './rolling-window.ts';
import { createTrafficWatch, type TrafficWatch } from './watch-traffic.ts';

const CHECK_EVERY_MS = 1_000;

interface Alerts extends Omit<TrafficWatch, 'check'> {
  /** Checks the last counts, and stops. */
  close(): Promise<void>;
}

interface AlertsOptions extends SharedCounts {
  database: Database;
  jobs: Jobs;
  suppressionSeconds: number;
  logger: Log<'warn'>;
}

/** Watches the traffic of this process. Checks the thresholds every second. */
export function openAlerts(options: AlertsOptions): Alerts {
  const { suppressionSeconds, logger } = options;
  const watch = createTrafficWatch({
    raise: (spike) => raiseAlert(options, suppressionSeconds, spike),
    suppressionSeconds,
    windowSum: createWindowSum(options),
    logger,
  });
  // One check at a time, so that a slow database gets no additional load.
  const { close } = createFlusher(CHECK_EVERY_MS, watch.check);
  return { countRequest: watch.countRequest, countBytes: watch.countBytes, close };
}

/**
 * Adds up in Redis, or in the primary process while Redis is unavailable or refuses writes. Returns undefined for a single process
 * without Redis.
 */
export function createWindowSum({ redis, primary }: SharedCounts): SharedWindowSum | undefined {
  const inRedis = redis && createRedisWindowSum(redis);
  const inPrimary = primary && createPrimaryWindowSum(primary);
  if (!inRedis || !inPrimary) return inRedis ?? inPrimary;
  return async (reports) => {
    const sums = await inRedis(reports);
    const missing = reports.filter((_, index) => !sums[index]);
    if (missing.length === 0) return sums;
    const sumsOfPrimary = (await inPrimary(missing)).values();
    return sums.map((sum) => sum ?? sumsOfPrimary.next().value);
  };
}
