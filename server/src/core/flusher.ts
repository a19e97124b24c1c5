/** Calls `write` at an interval, and a last time at `close`. One call runs after the other. `write` must not reject. */
export function createFlusher(everyMs: number, write: () => Promise<void>) {
  let writing = Promise.resolve();
  const flush = (): Promise<void> => (writing = writing.then(write));
  const timer = setInterval(() => void flush(), everyMs).unref();
  return {
    /** Calls `write` now, after the call that may be running. */
    flush,
    close(): Promise<void> {
      clearInterval(timer);
      return flush();
    },
  };
}
