import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Repeats work with a pause in between until it is stopped. Use it for intervals under one minute, the resolution of
 * scheduled jobs, and for what each server does. If two processes must not run the work at once, the work itself must take a lock.
 * `onError` gets an error once, until its message changes or the work succeeds: an outage of the database makes the work fail for hours.
 */
export function repeat(
  pauseMs: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let reported: string | undefined;
  const report = (error: unknown): void => {
    const { message } = error as Error;
    if (message !== reported) onError(error);
    reported = message;
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await work().then(() => (reported = undefined), report);
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
