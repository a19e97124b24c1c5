import { ProblemError } from '../core/problem.ts';

export interface SemaphoreLimits {
  /** How much work runs at once, of all owners together. */
  running: number;
  /** How much work of one owner runs at once. */
  runningPerOwner: number;
  /** How much work of one owner waits for a slot. */
  waitingPerOwner: number;
  /** How long work waits for a slot. */
  waitMs: number;
}

/** Bounds concurrent work, and shares the slots between owners. */
export interface FairSemaphore {
  /**
   * Runs work as soon as it has a slot. Throws too_many_reads when too much work of the owner waits already, and busy when no slot
   * is free in time. Patient work is never refused: it is for work that has begun to answer and is bounded elsewhere.
   */
  run<Result>(owner: string, work: () => Promise<Result>, options?: { patient?: boolean }): Promise<Result>;
}

const RETRY_AFTER_SECONDS = '5';

/** Creates a semaphore of this process. Owners who wait get free slots in turn, so that one queue cannot starve the others. */
export function createFairSemaphore(limits: SemaphoreLimits): FairSemaphore {
  const runningOf = new Map<string, number>();
  // In the order in which owners get their next turn.
  const waiting = new Map<string, (() => void)[]>();
  let running = 0;

  const hasSlot = (owner: string): boolean =>
    running < limits.running && (runningOf.get(owner) ?? 0) < limits.runningPerOwner;

  const take = (owner: string): void => {
    running++;
    runningOf.set(owner, (runningOf.get(owner) ?? 0) + 1);
  };

  const leave = (owner: string, start: () => void): void => {
    const queue = (waiting.get(owner) ?? []).filter((other) => other !== start);
    if (queue.length > 0) waiting.set(owner, queue);
    else waiting.delete(owner);
  };

  const release = (owner: string): void => {
    running--;
    const left = runningOf.get(owner)! - 1;
    if (left > 0) runningOf.set(owner, left);
    else runningOf.delete(owner);
    for (const [next, [start]] of waiting) {
      if (!start || !hasSlot(next)) continue;
      leave(next, start);
      // The owner's turn is over: the rest of its queue goes behind those of the other owners.
      const rest = waiting.get(next);
      if (rest) {
        waiting.delete(next);
        waiting.set(next, rest);
      }
      start();
      return;
    }
  };

  const wait = (owner: string, patient: boolean): Promise<void> => {
    const queue = waiting.get(owner) ?? [];
    if (!patient && queue.length >= limits.waitingPerOwner)
      throw new ProblemError('too_many_reads', {
        detail: `Large reads of a tenant: ${limits.runningPerOwner} may run at once and ${limits.waitingPerOwner} may wait. Retry later, with fewer at once.`,
        headers: { 'retry-after': RETRY_AFTER_SECONDS },
      });
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timeout);
        take(owner);
        resolve();
      };
      const giveUp = (): void => {
        leave(owner, start);
        reject(
          new ProblemError('busy', {
            detail: `Other large reads took more than ${limits.waitMs / 1000} seconds. Retry later.`,
            headers: { 'retry-after': RETRY_AFTER_SECONDS },
          }),
        );
      };
      const timeout = patient ? undefined : setTimeout(giveUp, limits.waitMs);
      waiting.set(owner, [...queue, start]);
    });
  };

  return {
    async run(owner, work, { patient = false } = {}) {
      if (hasSlot(owner)) take(owner);
      else await wait(owner, patient);
      try {
        return await work();
      } finally {
        release(owner);
      }
    },
  };
}
