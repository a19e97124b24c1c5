import { nextSlice } from './event-loop.ts';
import {
  createFairSemaphore,
  SemaphoreFullError,
  SemaphoreTimeoutError,
  type SemaphoreLimits,
} from './fair-semaphore.ts';
import { ProblemError, type ProblemDetails } from '../problem.ts';

/** Runs a task in the turn of its owner. Throws busy. */
export type RunInTurn = <Result>(owner: string, task: () => Promise<Result>) => Promise<Result>;

/** Creates a fair semaphore for tasks of requests. A task that cannot run throws busy with the details of `refusal`. */
export function createTurns(limits: SemaphoreLimits, refusal: ProblemDetails = { retryAfter: 1 }): RunInTurn {
  const turns = createFairSemaphore(limits);
  return (owner, task) =>
    turns.run(owner, task).catch((error: unknown) => {
      if (error instanceof SemaphoreFullError || error instanceof SemaphoreTimeoutError)
        throw new ProblemError('busy', refusal);
      throw error;
    });
}

/**
 * Creates turns for short tasks that block the event loop. One runs at a time, after it has waited for a slice of the event loop. 1,000
 * others of an owner wait, for at most 10 seconds.
 *
 * The slices belong to the name of these turns, not to the owner of the task. Otherwise the task would wait for all other work of its
 * owner, and the tasks of other owners would wait for it.
 */
export function createSliceTurns(name: string): RunInTurn {
  const runInTurn = createTurns({
    running: 1,
    runningPerOwner: 1,
    waitingPerMember: 1_000,
    waitMs: 10_000,
  });
  return (owner, task) =>
    runInTurn(owner, async () => {
      await nextSlice(name);
      return task();
    });
}
