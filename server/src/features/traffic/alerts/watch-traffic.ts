import { createLruCache } from '../../../core/lru-cache.ts';
import type { KeyCaller } from '../../../core/callers.ts';
import { monotonicClock } from '../../../core/monotonic-clock.ts';
import type { Log } from '../../../core/log.ts';
import { alertTypes, type AlertType, type Spike } from './queries.ts';
import {
  createRollingWindow,
  WINDOW_SECONDS,
  type RollingWindow,
  type SharedSum,
  type SharedWindowSum,
} from './rolling-window.ts';

/** Keys with counters in memory, about 1.5 kB each. The least recently used ones are evicted. */
const WATCHED_KEYS = 20_000;

/** The pause before the next attempt, if another process has raised the alert. */
const RETRY_AFTER_OTHER_PROCESS_MS = 10_000;

export interface TrafficWatch {
  countRequest(key: KeyCaller): void;
  /** Counts inbound bytes of a key. */
  countBytes(key: KeyCaller, bytes: number): void;
  /** Compares the counts since the last check with the thresholds, and raises alerts. Called every second. */
  check(): Promise<void>;
}

interface TrafficWatchOptions {
  /** Records an alert. Returns false if the key has raised one of the same type shortly before. */
  raise(spike: Spike): Promise<boolean>;
  /** The minimum time between two alerts of one key and type. */
  suppressionSeconds: number;
  /** Adds up the counts of several processes. Undefined for a single process. */
  windowSum?: SharedWindowSum | undefined;
  logger: Log<'warn'>;
  /** A monotonic clock in milliseconds. */
  now?: () => number;
}

/** The fullest window of a counter. */
interface Peak {
  sum: number;
  /** The last second of the window. */
  end: number;
}

interface Counter {
  type: AlertType;
  /** The key with the thresholds of its last request. */
  key: KeyCaller;
  window: RollingWindow;
  /** The fullest window since the last check. */
  peak: Peak | undefined;
  /** Amounts by second that the shared counter has not received yet. */
  unreported: Map<number, number>;
  /** No alert is due before this time. */
  suppressedUntilMs: number;
}

/**
 * Counts the requests and inbound bytes of keys. A request costs a few additions in memory and waits for nothing. The check one
 * second later compares the fullest window, so it also finds spikes during a stall of the process.
 */
export function createTrafficWatch({
  raise,
  suppressionSeconds,
  windowSum,
  logger,
  now = monotonicClock,
}: TrafficWatchOptions): TrafficWatch {
  const counters = createLruCache<string, Record<AlertType, Counter>>(WATCHED_KEYS);
  /** Counters that have changed since the last check or are above their threshold. */
  let pending = new Set<Counter>();
  const currentSecond = (): number => Math.floor(now() / 1000);

  const count = (key: KeyCaller, type: AlertType, amount: number): void => {
    let ofKey = counters.get(key.keyId);
    if (!ofKey) counters.set(key.keyId, (ofKey = createCounters(key)));
    const counter = ofKey[type];
    counter.key = key;
    const end = currentSecond();
    const sum = counter.window.add(end, amount);
    if (!counter.peak || sum > counter.peak.sum) counter.peak = { sum, end };
    if (windowSum) counter.unreported.set(end, (counter.unreported.get(end) ?? 0) + amount);
    pending.add(counter);
  };

  const sumWindows = async (checked: Counter[], second: number): Promise<(SharedSum | undefined)[]> => {
    if (!windowSum) return [];
    const reports = checked.map(({ type, key, unreported }) => ({
      name: `${type}:${key.keyId}`,
      amounts: [...unreported].map(([counted, amount]) => ({ age: Math.max(0, second - counted), amount })),
    }));
    // A report is never repeated, even if it fails: an amount that is counted twice could raise a false alert.
    for (const { unreported } of checked) unreported.clear();
    return windowSum(reports);
  };

  /** Whether a counter has nothing to report, and its alert is suppressed. To ask for its sum would cost 50 µs in Redis each second. */
  const isQuiet = ({ peak, suppressedUntilMs }: Counter): boolean => !peak && now() < suppressedUntilMs;

  /** Raises an alert unless it is suppressed. Throws if the alert cannot be recorded. */
  const alarm = async (counter: Counter, { sum, end }: Peak): Promise<void> => {
    if (now() < counter.suppressedUntilMs) return;
    const { type, key } = counter;
    const isRaised = await raise({
      type,
      keyId: key.keyId,
      keyKind: key.kind,
      tenantId: key.tenantId,
      workspaceId: key.workspaceId,
      threshold: key.alertThresholds[type],
      observed: sum,
      windowStart: new Date(Date.now() - (now() - (end - WINDOW_SECONDS + 1) * 1000)).toISOString(),
    });
    const suppressedMs = suppressionSeconds * 1000;
    counter.suppressedUntilMs =
      now() + (isRaised ? suppressedMs : Math.min(suppressedMs, RETRY_AFTER_OTHER_PROCESS_MS));
  };

  return {
    countRequest: (key) => count(key, 'rate_spike', 1),
    countBytes: (key, bytes) => count(key, 'payload_spike', bytes),

    async check() {
      const second = currentSecond();
      const checked = [...pending].filter((counter) => !isQuiet(counter));
      // A suppressed alert may become due before the last requests leave the window.
      pending = new Set([...pending].filter((counter) => isQuiet(counter) && counter.window.sum(second) > 0));
      const peaks = checked.map((counter): Peak => {
        const peak = counter.peak ?? { sum: counter.window.sum(second), end: second };
        counter.peak = undefined;
        return peak;
      });
      const shared = await sumWindows(checked, second);
      let failure: unknown;
      // One at a time, so that alerts take at most one database connection from requests.
      for (const [index, counter] of checked.entries()) {
        const peak = fuller(peaks[index]!, shared[index], second);
        if (peak.sum <= counter.key.alertThresholds[counter.type]) continue;
        // Checked again while it is above its threshold, because a suppressed or failed alert may become due.
        pending.add(counter);
        if (!failure) await alarm(counter, peak).catch((error) => (failure = error));
      }
      if (failure)
        logger.warn({ reason: (failure as Error).message }, 'alerts cannot be recorded, will retry');
    },
  };
}

function createCounters(key: KeyCaller): Record<AlertType, Counter> {
  const create = (type: AlertType): [AlertType, Counter] => [
    type,
    {
      type,
      key,
      window: createRollingWindow(),
      peak: undefined,
      unreported: new Map(),
      suppressedUntilMs: 0,
    },
  ];
  return Object.fromEntries(alertTypes.map(create)) as Record<AlertType, Counter>;
}

/** The shared sum is smaller than the own one only if the shared counter has lost data or is unavailable. */
function fuller(own: Peak, shared: SharedSum | undefined, second: number): Peak {
  return shared && shared.sum > own.sum ? { sum: shared.sum, end: second - shared.age } : own;
}
