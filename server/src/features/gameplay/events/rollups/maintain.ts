import { tryLockUntilCommit } from '../../../../database/advisory-locks.ts';
import type { Database, Scope } from '../../../../database/database.ts';
import { runSteps, STEPS_PER_RUN } from '../../../../core/concurrency/run-steps.ts';
import { EVENT_SCOPES } from '../event-row.ts';
import { ROLLUP_SPANS } from './counted-events.ts';
import { deleteOldRollups, moveDeltas } from './queries.ts';

/** Deltas that one transaction moves. On a busy machine, 10,000 of different minutes take 0.5 seconds. */
const DELTAS_PER_STEP = 10_000;

/**
 * Moves deltas into the roll-ups, all of them if they are not many (docs/decisions/0061-event-rollups.md). If another process does
 * so already, or recounts a day, it does nothing.
 */
export async function rollUpEvents(database: Database, deltasPerStep = DELTAS_PER_STEP): Promise<void> {
  await runSteps(
    deltasPerStep,
    (limit) =>
      database
        .forPlatform()
        .transaction(async (transaction) =>
          (await tryLockUntilCommit(transaction, 'eventRollups')) ? moveDeltas(transaction, limit) : 0,
        ),
    STEPS_PER_RUN,
  );
}

const ROWS_PER_DELETION = 10_000;

/** Deletes the roll-ups of a tenant from before the time from which they count. */
export async function deleteOldEventRollups(tenant: Scope, tenantId: string): Promise<void> {
  for (const scope of EVENT_SCOPES)
    for (const span of ROLLUP_SPANS)
      await runSteps(ROWS_PER_DELETION, (limit) =>
        deleteOldRollups(tenant, tenantId, { scope, span, limit }),
      );
}
