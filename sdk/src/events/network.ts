import { wait } from '../core/waiting.ts';

/**
 * Waits for some time, or shorter if the device gets a network, or until the device gets one if it has none. Only browsers
 * tell; elsewhere this is a wait.
 */
export async function waitForNetwork(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (typeof document === 'undefined') return wait(milliseconds, signal);
  const isBack = new AbortController();
  const ended = AbortSignal.any([isBack.signal, signal]);
  addEventListener('online', () => isBack.abort(), { once: true, signal });
  if (navigator.onLine) return wait(milliseconds, ended);
  await new Promise<void>((resolve) => {
    if (ended.aborted) resolve();
    ended.addEventListener('abort', () => resolve(), { once: true });
  });
}
