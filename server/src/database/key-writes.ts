import { createTurns, type RunInTurn } from '../core/concurrency/turns.ts';

/** A burst of a game server waits, as it would for a connection. */
const WAITING_PER_TENANT = 1_000;
const WAIT_SECONDS = 10;

/**
 * Divides the connections for writes on keys between tenants. Such a write may wait in PostgreSQL for the lock of a match: with a public
 * game key, 200 requests that score one match occupied all connections, and sign-ins of other tenants failed after 16 seconds. A
 * quarter of the connections remains for other work. Throws busy.
 */
export function createKeyWrites(poolSize: number): RunInTurn {
  const running = Math.max(1, Math.floor((poolSize * 3) / 4));
  return createTurns({
    running,
    runningPerOwner: Math.ceil((running * 3) / 4),
    isFalling: true,
    waitingPerMember: WAITING_PER_TENANT,
    waitMs: WAIT_SECONDS * 1000,
  });
}
