import { setTimeout as wait } from 'node:timers/promises';

/**
 * Does something again and again, with a pause after each time, until it is stopped: for what the clock of scheduled jobs,
 * which knows minutes, is too slow for. What must not run on two processes at once sees to that itself.
 */
export function repeat(
  pauseMs: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await work().catch(onError);
      await wait(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
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
