import { createFairSemaphore, SemaphoreFullError } from '../core/fair-semaphore.ts';
import { ProblemError } from '../core/problem.ts';

/** Runs a write that may wait for a row lock of its owner, such as a player. Throws busy. */
export type RunContested = <Result>(owner: string, write: () => Promise<Result>) => Promise<Result>;

/** How many writes of one owner may wait in this process. */
const MAX_WAITING_PER_OWNER = 100;

/**
 * Runs writes of one owner one at a time, in this process. In PostgreSQL they would wait for the same lock, each with a connection,
 * until no connection is left for other tenants. `atOnce` limits the writes of all owners.
 */
export function createContestedWrites({ atOnce = Infinity }: { atOnce?: number } = {}): RunContested {
  const writes = createFairSemaphore({
    running: atOnce,
    runningPerOwner: 1,
    waitingPerMember: MAX_WAITING_PER_OWNER,
  });
  return (owner, write) =>
    writes.run(owner, write).catch((error: unknown) => {
      throw error instanceof SemaphoreFullError ? new ProblemError('busy', { retryAfter: 1 }) : error;
    });
}
