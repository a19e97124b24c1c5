import { Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { formatExactTime, formatRelativeTime } from './format';

const TICK_MS = 20_000;
const listeners = new Set<() => void>();
let now = Date.now();
let ticking: ReturnType<typeof setInterval> | undefined;

/** One timer for all relative times of the page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  now = Date.now();
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

/** A relative time. The exact one, with its zone, shows on hover. */
export function RelativeTime({ at }: { at: string }) {
  const current = useSyncExternalStore(subscribe, () => now);
  return (
    <Tooltip label={formatExactTime(at)}>
      <time dateTime={at}>{formatRelativeTime(at, current)}</time>
    </Tooltip>
  );
}

/** The same for times that may be missing. */
export function MaybeTime({ at, none = '–' }: { at: string | null; none?: string }) {
  return at === null ? <span>{none}</span> : <RelativeTime at={at} />;
}
