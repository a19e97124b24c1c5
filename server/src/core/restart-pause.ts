const FIRST_MS = 1000;
const LONGEST_MS = 30_000;
/** If a process has answered for this time, the next pause is the first one again. */
const STABLE_MS = 60_000;

/** The pauses before a process that has died is started again: 1 second, then twice as long each time, up to 30 seconds. */
export interface RestartPause {
  /** Returns the pause in milliseconds, after a process that has answered since `answeredAt` (of `performance.now()`). */
  next(answeredAt: number | undefined): number;
}

export function createRestartPause(now = () => performance.now()): RestartPause {
  let pause = FIRST_MS;
  return {
    next(answeredAt) {
      if (answeredAt !== undefined && now() - answeredAt > STABLE_MS) pause = FIRST_MS;
      const current = pause;
      pause = Math.min(2 * pause, LONGEST_MS);
      return current;
    },
  };
}
