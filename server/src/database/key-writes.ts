import { createFairSemaphore, SemaphoreFullError, SemaphoreTimeoutError } from '../core/fair-semaphore.ts';
import { ProblemError } from '../core/problem.ts';

/** A burst of a game server waits, as it would for a connection. */
const WAITING_PER_TENANT = 1_000;
const WAIT_SECONDS = 10;

/** Runs a write of a request on a key, in the turn of its tenant. Throws busy. */
export type RunKeyWrite = <Result>(tenantId: string, write: () => Promise<Result>) => Promise<Result>;

/**
 * Divides the connections for writes on keys between tenants. Such a write may wait in PostgreSQL for the lock of a match: with a public
 * game key, 200 requests that score one match occupied all connections, and sign-ins of other tenants failed after 16 seconds. A
 * quarter of the connections remains for other work.
 */
export function createKeyWrites(poolSize: number): RunKeyWrite {
  const running = Math.max(1, Math.floor((poolSize * 3) / 4));
  const turns = createFairSemaphore({
    running,
    runningPerOwner: Math.ceil((running * 3) / 4),
    isFalling: true,
    waitingPerMember: WAITING_PER_TENANT,
    waitMs: WAIT_SECONDS * 1000,
  });
  return (tenantId, write) =>
    turns.run(tenantId, write).catch((error: unknown) => {
      if (error instanceof SemaphoreFullError || error instanceof SemaphoreTimeoutError)
        throw new ProblemError('busy', { retryAfter: 1 });
      throw error;
    });
}
