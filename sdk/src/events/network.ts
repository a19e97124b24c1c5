import { wait } from '../core/waiting.ts';

/**
 * Waits for some time, or until the device gets a network, or until `wake` is aborted. If the browser knows of no network, it
 * waits for `offlineMs`: the browser may be wrong.
 */
export async function waitForNetwork(
  milliseconds: number,
  offlineMs: number,
  wake: AbortController,
): Promise<void> {
  if (typeof document === 'undefined') return wait(milliseconds, wake.signal);
  addEventListener('online', () => wake.abort(), { signal: wake.signal });
  await wait(navigator.onLine ? milliseconds : Math.max(milliseconds, offlineMs), wake.signal);
  // This removes the listener.
  wake.abort();
}
