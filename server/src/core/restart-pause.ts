const FIRST_MS = 1000;
const LONGEST_MS = 30_000;
/** If a process has answered for this time, the next pause is the first one again. */
const STABLE_MS = 60_000;

/**
 * Returns the pauses before a process that has died is started again: 1 second, then twice as long each time, up to 30 seconds. They are
 * in milliseconds. `answeredAt` is the time of `performance.now()` since which the process had answered.
 */
export function createRestartPauses(
  now = () => performance.now(),
): (answeredAt: number | undefined) => number {
  let next = FIRST_MS;
  return (answeredAt) => {
    if (answeredAt !== undefined && now() - answeredAt > STABLE_MS) next = FIRST_MS;
    const pause = next;
    next = Math.min(2 * next, LONGEST_MS);
    return pause;
  };
}
