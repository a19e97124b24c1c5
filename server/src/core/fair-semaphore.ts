import { fallingLimit } from './share.ts';

export interface SemaphoreLimits {
  /** How many tasks run at once. */
  running: number;
  /** How many tasks of one owner run at once. */
  runningPerOwner: number;
  /** The fewer slots are free, the fewer may an owner have ({@link fallingLimit}). So a few owners with slow tasks leave slots for others. */
  isFalling?: boolean;
  /** How many tasks of one owner may wait for a slot. Omit it if another limit applies. */
  waitingPerOwner?: number;
  /** How long a task waits for a slot. By default it waits until all tasks before it have ended. */
  waitMs?: number;
}

/** Limits concurrent tasks, and shares the slots fairly between owners. */
export interface FairSemaphore {
  /**
   * Runs a task when a slot is free. Throws {@link SemaphoreFullError} and {@link SemaphoreTimeoutError}. A patient task
   * is never rejected: use it only if another limit applies.
   */
  run<Result>(owner: string, work: () => Promise<Result>, options?: { patient?: boolean }): Promise<Result>;
  /** The number of tasks that wait for a slot. */
  waiting(): number;
}

/** Thrown if `waitingPerOwner` tasks of the owner already wait. */
export class SemaphoreFullError extends Error {
  override name = 'SemaphoreFullError';
}

/** Thrown if no slot became free within `waitMs`. */
export class SemaphoreTimeoutError extends Error {
  override name = 'SemaphoreTimeoutError';
}

/** Creates a semaphore for this process. Waiting owners take turns, so that one queue cannot starve the others. */
export function createFairSemaphore({
  waitingPerOwner = Infinity,
  waitMs,
  ...limits
}: SemaphoreLimits): FairSemaphore {
  const runningOf = new Map<string, number>();
  // Owners in the order of their turns.
  const waiting = new Map<string, (() => void)[]>();
  let running = 0;

  const limitOfOwner = (): number =>
    limits.isFalling
      ? fallingLimit(limits.runningPerOwner, { free: limits.running - running, total: limits.running })
      : limits.runningPerOwner;

  const hasSlot = (owner: string): boolean =>
    running < limits.running && (runningOf.get(owner) ?? 0) < limitOfOwner();

  const acquire = (owner: string): void => {
    running++;
    runningOf.set(owner, (runningOf.get(owner) ?? 0) + 1);
  };

  const removeWaiter = (owner: string, start: () => void): void => {
    const queue = (waiting.get(owner) ?? []).filter((other) => other !== start);
    if (queue.length > 0) waiting.set(owner, queue);
    else waiting.delete(owner);
  };

  const release = (owner: string): void => {
    running--;
    const left = runningOf.get(owner)! - 1;
    if (left > 0) runningOf.set(owner, left);
    else runningOf.delete(owner);
    // A falling limit has risen, so several tasks may start.
    while (startNext());
  };

  const startNext = (): boolean => {
    for (const [next, [start]] of waiting) {
      if (!start || !hasSlot(next)) continue;
      removeWaiter(next, start);
      // The owner's turn is over: its remaining queue moves behind the other owners.
      const rest = waiting.get(next);
      if (rest) {
        waiting.delete(next);
        waiting.set(next, rest);
      }
      start();
      return true;
    }
    return false;
  };

  const wait = (owner: string, patient: boolean): Promise<void> => {
    const queue = waiting.get(owner) ?? [];
    if (!patient && queue.length >= waitingPerOwner)
      throw new SemaphoreFullError(`${waitingPerOwner} tasks of the owner already wait.`);
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timeout);
        acquire(owner);
        resolve();
      };
      const timeout =
        patient || waitMs === undefined
          ? undefined
          : setTimeout(() => {
              removeWaiter(owner, start);
              reject(new SemaphoreTimeoutError(`No slot became free within ${waitMs} ms.`));
            }, waitMs);
      waiting.set(owner, [...queue, start]);
    });
  };

  return {
    async run(owner, work, { patient = false } = {}) {
      if (hasSlot(owner)) acquire(owner);
      else await wait(owner, patient);
      try {
        return await work();
      } finally {
        release(owner);
      }
    },
    waiting: () => waiting.values().reduce((sum, queue) => sum + queue.length, 0),
  };
}
