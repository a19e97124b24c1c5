import { createTurns, type RunInTurn } from '../core/concurrency/turns.ts';

/** How many writes of one owner may wait in this process. */
const MAX_WAITING_PER_OWNER = 100;
const WAIT_SECONDS = 10;

/**
 * Runs writes that may wait for a row lock of their owner, such as a player, one at a time for each owner, in this process. In PostgreSQL
 * they would wait for the same lock, each with a connection, until no connection is left for other tenants. `atOnce` limits the writes of
 * all owners. Throws busy.
 */
export function createContestedWrites({ atOnce = Infinity }: { atOnce?: number } = {}): RunInTurn {
  return createTurns({
    running: atOnce,
    runningPerOwner: 1,
    waitingPerMember: MAX_WAITING_PER_OWNER,
    waitMs: WAIT_SECONDS * 1000,
  });
}
