import {
  createFairSemaphore,
  SemaphoreFullError,
  SemaphoreTimeoutError,
  type SemaphoreLimits,
} from './fair-semaphore.ts';
import { ProblemError } from './problem.ts';

/** Runs a task in the turn of its owner. Throws busy. */
export type RunInTurn = <Result>(owner: string, task: () => Promise<Result>) => Promise<Result>;

/** Creates a fair semaphore for tasks of requests. A task that cannot run throws busy, and the client may retry after a second. */
export function createTurns(limits: SemaphoreLimits): RunInTurn {
  const turns = createFairSemaphore(limits);
  return (owner, task) =>
    turns.run(owner, task).catch((error: unknown) => {
      if (error instanceof SemaphoreFullError || error instanceof SemaphoreTimeoutError)
        throw new ProblemError('busy', { retryAfter: 1 });
      throw error;
    });
}
