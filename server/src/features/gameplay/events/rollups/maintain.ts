import type pg from 'pg';
import type { Database, Scope } from '../../../../database/database.ts';
import { next } from '../../../../core/time-spans.ts';
import { toMicroseconds } from '../../../../core/timestamps.ts';
import { selectParts } from '../archive/queries.ts';
import type { EventScope } from '../event-row.ts';
import { ROLLUP_SPANS } from './counted-events.ts';
import {
  compareDay,
  deleteOldRollups,
  findNextDay,
  moveDeltas,
  recountDay,
  takeRollupLock,
  tryRollupLock,
  type CountedDay,
  type RollupDifference,
} from './queries.ts';

const SCOPES: EventScope[] = ['match', 'player'];

/** Deltas that one transaction moves. On a busy machine, 10,000 of different minutes take 0.5 seconds. */
const DELTAS_PER_STEP = 10_000;

/** The transactions of one run. So a worker that stops does not wait for all deltas. */
const STEPS_PER_RUN = 10;

/**
 * Moves deltas into the roll-ups, all of them if they are not many (docs/decisions/0061-event-rollups.md). If another process does
 * so already, or recounts a day, it does nothing.
 */
export async function rollUpEvents(database: Database, deltasPerStep = DELTAS_PER_STEP): Promise<void> {
  const step = (): Promise<number> =>
    database
      .forPlatform()
      .transaction(async (transaction) =>
        (await tryRollupLock(transaction)) ? moveDeltas(transaction, deltasPerStep) : 0,
      );
  for (let steps = 1; (await step()) === deltasPerStep && steps < STEPS_PER_RUN; steps++);
}

/**
 * Yields each day of a tenant that has events or roll-ups. Months with archived events are left out: PostgreSQL alone cannot count
 * them again.
 */
async function* daysOf(tenant: Scope, tenantId: string): AsyncGenerator<CountedDay> {
  const archived = new Set(
    (await selectParts(tenant, tenantId)).map(({ scope, month }) => `${scope} ${month}`),
  );
  for (const scope of SCOPES) {
    let from = '-infinity';
    for (let day; (day = await findNextDay(tenant, tenantId, scope, from)) !== undefined;) {
      const start = toMicroseconds(day)!;
      if (!archived.has(`${scope} ${start.slice(0, 7)}`)) yield { tenantId, scope, day };
      from = next(start, 'day');
    }
  }
}

/** Counts the stored events of a tenant again, day by day. Events may be stored meanwhile. */
export async function rebuildRollups(
  database: Database,
  tenantId: string,
  progress: (done: CountedDay & { events: number }) => void,
): Promise<void> {
  const tenant = database.forTenant(tenantId);
  for await (const day of daysOf(tenant, tenantId)) {
    const events = await tenant.transaction(async (transaction) => {
      await takeRollupLock(transaction);
      return recountDay(transaction, day);
    });
    progress({ ...day, events });
    // The worker may not have found the lock free since the last day.
    await rollUpEvents(database);
  }
}

/** Differences of a day that are reported one by one. */
const DIFFERENCES_PER_DAY = 20;

/** Compares the roll-ups of a tenant with its stored events, day by day. Events may be stored meanwhile. */
export async function checkRollups(
  database: Database,
  tenantId: string,
  report: (day: CountedDay & { count: number; differences: RollupDifference[] }) => void,
): Promise<void> {
  const tenant = database.forTenant(tenantId);
  for await (const day of daysOf(tenant, tenantId))
    report({ ...day, ...(await compareDay(tenant, day, DIFFERENCES_PER_DAY)) });
}

/**
 * Lets the roll-ups of a scope count from a day on, for all tenants. Call it before the events from before that day are dropped:
 * such events are counted one by one from now on. Needs the owner of the tables.
 */
export async function startRollupsAt(owner: pg.Pool, scope: EventScope, day: string): Promise<void> {
  await owner.query(
    'UPDATE event_rollup_starts SET starts_at = $2::timestamptz WHERE scope = $1 AND starts_at < $2::timestamptz',
    [scope, `${day}T00:00:00Z`],
  );
}

const ROWS_PER_DELETION = 10_000;

/** Deletes the roll-ups of a tenant from before the time from which they count. */
export async function deleteOldEventRollups(tenant: Scope, tenantId: string): Promise<void> {
  for (const scope of SCOPES)
    for (const span of ROLLUP_SPANS)
      while (
        (await deleteOldRollups(tenant, tenantId, { scope, span, limit: ROWS_PER_DELETION })) ===
        ROWS_PER_DELETION
      );
}
