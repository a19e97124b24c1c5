import { oneAtATime } from './one-at-a-time.ts';

/** Calls `write` at an interval, and a last time at `close`. One call runs after the other. `write` must not reject. */
export function createFlusher(everyMs: number, write: () => Promise<void>) {
  const flush = oneAtATime(write);
  const timer = setInterval(() => void flush(), everyMs).unref();
  return {
    /** Calls `write` after the call that may be running. All that wait for it share one call. */
    flush,
    close(): Promise<void> {
      clearInterval(timer);
      return flush();
    },
  };
}
