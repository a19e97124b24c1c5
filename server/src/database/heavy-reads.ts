import { availableParallelism } from 'node:os';
import {
  createFairSemaphore,
  SemaphoreFullError,
  SemaphoreTimeoutError,
  type FairSemaphore,
} from '../core/fair-semaphore.ts';
import { ProblemError } from '../core/problem.ts';
import { shareOf } from '../core/share.ts';

/**
 * Large reads use half of the cores, and those of one tenant a quarter, because PostgreSQL often runs on the same
 * machine. With 40 parallel reads, sign-ins keep more than half of their rate. Several processes divide both.
 */
const RUNNING = Math.max(2, Math.floor(availableParallelism() / 2));
const WAITING_PER_OWNER = 16;
const WAIT_SECONDS = 10;
const RETRY_AFTER_SECONDS = 5;

/** How many large reads one of several processes runs at once. */
export function countHeavySlots(processes: number): number {
  return shareOf(RUNNING, processes);
}

/** Shares the slots for large reads between tenants and players. Throws too_many_reads and busy. */
export function createHeavySlots(running: number): FairSemaphore {
  const runningPerOwner = Math.max(1, Math.floor(running / 2));
  const slots = createFairSemaphore({
    running,
    runningPerOwner,
    waitingPerOwner: WAITING_PER_OWNER,
    waitMs: WAIT_SECONDS * 1000,
  });
  const refuse = (error: unknown): never => {
    if (error instanceof SemaphoreFullError)
      throw new ProblemError('too_many_reads', {
        detail: `At most ${runningPerOwner} large reads of a tenant may run at once, and ${WAITING_PER_OWNER} may wait. Send fewer at once, and retry after the seconds in Retry-After.`,
        retryAfter: RETRY_AFTER_SECONDS,
      });
    if (error instanceof SemaphoreTimeoutError)
      throw new ProblemError('busy', {
        detail: `Other large reads took more than ${WAIT_SECONDS} seconds. Retry after the number of seconds in Retry-After.`,
        retryAfter: RETRY_AFTER_SECONDS,
      });
    throw error;
  };
  return {
    run: (owner, work, options) => slots.run(owner, work, options).catch(refuse),
    waiting: () => slots.waiting(),
  };
}
