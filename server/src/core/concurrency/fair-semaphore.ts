import { createCounts } from '../counts.ts';
import { fallingLimit } from '../share.ts';

export interface SemaphoreLimits {
  /** How many tasks run at once. */
  running: number;
  /** How many tasks of one owner run at once. */
  runningPerOwner: number;
  /**
   * The limit of an owner shrinks when few slots are free ({@link fallingLimit}). So a few owners with slow tasks leave slots for
   * others.
   */
  isFalling?: boolean;
  /** How many tasks of one member of an owner may wait for a slot. Omit it if another limit applies. */
  waitingPerMember?: number;
  /** How long a task waits for a slot. By default it waits until all tasks before it have ended. */
  waitMs?: number;
}

interface TaskOptions {
  /** A patient task is never rejected: use it only if another limit applies. */
  patient?: boolean | undefined;
  /** Whose task it is, if the owner has several members. The members of an owner take turns. Default: the owner. */
  member?: string;
}

/** Limits concurrent tasks, and shares the slots fairly between owners. */
interface FairSemaphore {
  /** Runs a task when a slot is free. Throws {@link SemaphoreFullError} and {@link SemaphoreTimeoutError}. */
  run<Result>(owner: string, work: () => Promise<Result>, options?: TaskOptions): Promise<Result>;
  /** The number of tasks that wait for a slot. */
  waiting(): number;
}

interface WaitingTask {
  member: string;
  start: () => void;
}

/** Thrown if `waitingPerMember` tasks of the member already wait. */
export class SemaphoreFullError extends Error {
  override name = 'SemaphoreFullError';
}

/** Thrown if no slot became free within `waitMs`. */
export class SemaphoreTimeoutError extends Error {
  override name = 'SemaphoreTimeoutError';
}

/** Creates a semaphore for this process. Waiting owners take turns, so that one queue cannot starve the others. */
export function createFairSemaphore({
  waitingPerMember = Infinity,
  waitMs,
  ...limits
}: SemaphoreLimits): FairSemaphore {
  const runningOf = createCounts();
  // Owners in the order of their turns, each with its tasks in the order of theirs.
  const waiting = new Map<string, WaitingTask[]>();
  let running = 0;

  const limitOfOwner = (): number =>
    limits.isFalling
      ? fallingLimit(limits.runningPerOwner, { free: limits.running - running, total: limits.running })
      : limits.runningPerOwner;

  const hasSlot = (owner: string): boolean =>
    running < limits.running && runningOf.of(owner) < limitOfOwner();

  const acquire = (owner: string): void => {
    running++;
    runningOf.add(owner, 1);
  };

  const removeWaiter = (owner: string, task: WaitingTask): void => {
    const queue = (waiting.get(owner) ?? []).filter((other) => other !== task);
    if (queue.length > 0) waiting.set(owner, queue);
    else waiting.delete(owner);
  };

  const release = (owner: string): void => {
    running--;
    runningOf.add(owner, -1);
    // A falling limit has risen, so several tasks may start.
    while (startNext());
  };

  const startNext = (): boolean => {
    for (const [next, [task]] of waiting) {
      if (!task || !hasSlot(next)) continue;
      removeWaiter(next, task);
      // The turn is over: the other tasks of the member move behind those of other members, and the owner behind other owners.
      const rest = waiting.get(next);
      if (rest) {
        const isOfMember = ({ member }: WaitingTask): boolean => member === task.member;
        waiting.delete(next);
        waiting.set(next, [...rest.filter((other) => !isOfMember(other)), ...rest.filter(isOfMember)]);
      }
      task.start();
      return true;
    }
    return false;
  };

  const wait = (owner: string, { patient = false, member = owner }: TaskOptions): Promise<void> => {
    const queue = waiting.get(owner) ?? [];
    if (!patient && queue.filter((task) => task.member === member).length >= waitingPerMember)
      throw new SemaphoreFullError(`${waitingPerMember} tasks of the member already wait.`);
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timeout);
        acquire(owner);
        resolve();
      };
      const task = { member, start };
      const timeout =
        patient || waitMs === undefined
          ? undefined
          : setTimeout(() => {
              removeWaiter(owner, task);
              reject(new SemaphoreTimeoutError(`No slot became free within ${waitMs} ms.`));
            }, waitMs);
      waiting.set(owner, [...queue, task]);
    });
  };

  return {
    async run(owner, work, options = {}) {
      if (hasSlot(owner)) acquire(owner);
      else await wait(owner, options);
      try {
        return await work();
      } finally {
        release(owner);
      }
    },
    waiting: () => waiting.values().reduce((sum, queue) => sum + queue.length, 0),
  };
}
