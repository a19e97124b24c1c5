import { LRUCache } from 'lru-cache';
import type { KeyCaller } from '../../../core/callers.ts';
import type { RedisWindowSum, SharedSum } from './redis-window-sum.ts';
import { alertTypes, type AlertType, type Spike } from './alert.ts';
import { createRollingWindow, WINDOW_SECONDS, type RollingWindow } from './rolling-window.ts';

/** Keys that are watched at once, of some 1.5 kB each. With more, those that asked the longest ago are forgotten. */
const WATCHED_KEYS = 20_000;

/** After another process was faster with an alert, this one asks again so often whether the next is due. */
const ASK_AGAIN_MS = 10_000;

export interface TrafficWatch {
  /** Counts a request on a key. */
  countRequest(key: KeyCaller): void;
  /** Counts bytes that came in on a key. */
  countBytes(key: KeyCaller, bytes: number): void;
  /** Judges what was counted since the last time, and raises the alerts that are due. Called every second. */
  judge(): Promise<void>;
}

export interface TrafficWatchOptions {
  /** Records an alert; false where one was recorded shortly before. */
  raise(spike: Spike): Promise<boolean>;
  /** How long a key raises no second alert of a type. */
  suppressionSeconds: number;
  /** Where several processes count together. */
  windowSum?: RedisWindowSum | undefined;
  logger: { warn(details: object, message: string): void };
  now?: () => number;
}

/** The fullest window of a counter. */
interface Peak {
  sum: number;
  /** The second with which it ends. */
  end: number;
}

interface Counter {
  type: AlertType;
  /** As it was at its last request: its thresholds may have changed. */
  key: KeyCaller;
  window: RollingWindow;
  /** Since it was last judged. */
  peak: Peak | undefined;
  /** By the second: what the other processes were not told of. */
  untold: Map<number, number>;
  /** Until then an alert would be refused. */
  quietUntilMs: number;
}

/**
 * Watches what comes in on keys. A request costs a few additions in memory, and waits for nothing. What went above a threshold
 * is found a second later, by what was its fullest window: so a stall of the process hides nothing.
 */
export function watchTraffic({
  raise,
  suppressionSeconds,
  windowSum,
  logger,
  now = Date.now,
}: TrafficWatchOptions): TrafficWatch {
  const counters = new LRUCache<string, Record<AlertType, Counter>>({ max: WATCHED_KEYS });
  /** What has changed since it was last judged, or is above its threshold. */
  let unsettled = new Set<Counter>();
  const currentSecond = (): number => Math.floor(now() / 1000);

  const count = (key: KeyCaller, type: AlertType, amount: number): void => {
    let ofKey = counters.get(key.keyId);
    if (!ofKey) counters.set(key.keyId, (ofKey = openCounters(key)));
    const counter = ofKey[type];
    counter.key = key;
    const end = currentSecond();
    const sum = counter.window.add(end, amount);
    if (!counter.peak || sum > counter.peak.sum) counter.peak = { sum, end };
    if (windowSum) counter.untold.set(end, (counter.untold.get(end) ?? 0) + amount);
    unsettled.add(counter);
  };

  const sumWindows = async (judged: Counter[], second: number): Promise<(SharedSum | undefined)[]> => {
    if (!windowSum) return [];
    const reports = judged.map(({ type, key, untold }) => ({
      name: `${type}:${key.keyId}`,
      amounts: [...untold].map(([counted, amount]) => ({ age: Math.max(0, second - counted), amount })),
    }));
    // Told once, whether or not it arrives: counting something twice could raise a false alert.
    for (const { untold } of judged) untold.clear();
    return windowSum(reports);
  };

  /** Raises an alert unless one would be refused. Throws where it cannot be recorded. */
  const alarm = async (counter: Counter, { sum, end }: Peak): Promise<void> => {
    if (now() < counter.quietUntilMs) return;
    const { type, key } = counter;
    const isRaised = await raise({
      type,
      keyId: key.keyId,
      keyKind: key.kind,
      tenantId: key.tenantId,
      workspaceId: key.workspaceId,
      threshold: key.alertThresholds[type],
      observed: sum,
      windowStart: new Date((end - WINDOW_SECONDS + 1) * 1000).toISOString(),
    });
    const suppressedMs = suppressionSeconds * 1000;
    counter.quietUntilMs = now() + (isRaised ? suppressedMs : Math.min(suppressedMs, ASK_AGAIN_MS));
  };

  return {
    countRequest: (key) => count(key, 'rate_spike', 1),
    countBytes: (key, bytes) => count(key, 'payload_spike', bytes),

    async judge() {
      const judged = [...unsettled];
      unsettled = new Set();
      const second = currentSecond();
      const peaks = judged.map((counter): Peak => {
        const peak = counter.peak ?? { sum: counter.window.sum(second), end: second };
        counter.peak = undefined;
        return peak;
      });
      const shared = await sumWindows(judged, second);
      let cannotRecord: unknown;
      // One after the other: alerts take no more than one of the connections that requests need.
      for (const [index, counter] of judged.entries()) {
        const peak = fuller(peaks[index]!, shared[index], second);
        if (peak.sum <= counter.key.alertThresholds[counter.type]) continue;
        // Looked at again for as long as it is above: the alert that is not due now, or fails, may be then.
        unsettled.add(counter);
        if (!cannotRecord) await alarm(counter, peak).catch((error) => (cannotRecord = error));
      }
      if (cannotRecord)
        logger.warn({ reason: (cannotRecord as Error).message }, 'alerts cannot be recorded: tried again');
    },
  };
}

function openCounters(key: KeyCaller): Record<AlertType, Counter> {
  const open = (type: AlertType): [AlertType, Counter] => [
    type,
    {
      type,
      key,
      window: createRollingWindow(),
      peak: undefined,
      untold: new Map(),
      quietUntilMs: 0,
    },
  ];
  return Object.fromEntries(alertTypes.map(open)) as Record<AlertType, Counter>;
}

/** All processes together have counted no less than one of them, unless Redis has forgotten or is away. */
function fuller(own: Peak, shared: SharedSum | undefined, second: number): Peak {
  return shared && shared.sum > own.sum ? { sum: shared.sum, end: second - shared.age } : own;
}
