import { createContext, use, useSyncExternalStore } from 'react';
import classes from './RelativeTime.module.css';
import { formatClockTime, formatRelativeTime } from './format';

const TICK_MS = 20_000;
const listeners = new Set<() => void>();
let now = Date.now();
let ticking: ReturnType<typeof setInterval> | undefined;

/** One timer for all relative times of the page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  ticking ??= setInterval(() => {
    now = Date.now();
    for (const notify of listeners) notify();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

/** The time of the last tick. A later one at each call would render each time twice. */
function readNow(): number {
  const current = Date.now();
  if (current - now > TICK_MS) now = current;
  return now;
}

/** Whether each time is a stop of the Tab key. In tables the arrow keys lead to it, and in a button it cannot have the focus. */
export const TimesAreTabStops = createContext(true);

/** A relative time. The exact one, with its zone, shows on hover, with the focus, and after a tap (TipLayer). */
export function RelativeTime({ at }: { at: string }) {
  const isTabStop = use(TimesAreTabStops);
  const current = useSyncExternalStore(subscribe, readNow);
  // What happened after the last tick is "now", and not in the future.
  const reference = Math.max(current, Math.min(Date.parse(at), Date.now()));
  return (
    <time dateTime={at} tabIndex={isTabStop ? 0 : undefined}>
      {formatRelativeTime(at, reference)}
    </time>
  );
}

/** The same for times that may be missing. */
export function MaybeTime({ at, none = '–' }: { at: string | null; none?: string }) {
  return at === null ? <span>{none}</span> : <RelativeTime at={at} />;
}

/** The clock time, with the date if it is not today. The exact time and the relative one show like that of RelativeTime. */
export function ClockTime({ at }: { at: string }) {
  const isTabStop = use(TimesAreTabStops);
  const current = useSyncExternalStore(subscribe, readNow);
  return (
    <time dateTime={at} data-clock className={classes.clock} tabIndex={isTabStop ? 0 : undefined}>
      {formatClockTime(at, current)}
    </time>
  );
}
