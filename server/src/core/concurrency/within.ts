import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Waits for a value, at most some milliseconds. Returns undefined if it comes later. */
export async function within<Value>(ms: number, value: Promise<Value>): Promise<Value | undefined> {
  const settled = new AbortController();
  const late = sleep(ms, undefined, { signal: settled.signal })
    // If the process was busy, the value may have arrived in time, and the event loop has not delivered it yet.
    .then(() => nextTurn(undefined))
    .catch(() => undefined);
  try {
    return await Promise.race([value, late]);
  } finally {
    settled.abort();
  }
}
