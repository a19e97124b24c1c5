import { lockUntilCommit } from '../../../../database/advisory-locks.ts';
import { stopEventsOnCitus } from '../../../../database/citus.ts';
import type { Querier, Scope } from '../../../../database/database.ts';
import { sql } from '../../../../database/sql.ts';
import { OperatorError } from '../../../../core/operator-error.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { startOfNextSpan, startOfSpan } from '../../../../core/time-spans.ts';
import { toMicroseconds } from '../../../../core/timestamps.ts';
import type { Archive } from '../archive/parts/archive.ts';
import { selectParts } from '../archive/parts/queries.ts';
import { countArchived, MAX_GROUPS, type ArchivedGroup } from '../archive/reading/count-archived.ts';
import { EVENT_SCOPES, type EventScope } from '../event-row.ts';
import type { EventSources } from '../event-sources.ts';
import { rollUpEvents } from './maintain.ts';
import { compareDay, findNextDay, recountDay, type CountedDay, type RollupDifference } from './queries.ts';

/** Yields each day of a tenant that can have events, archived ones included, or roll-ups. */
async function* daysOf(tenant: Scope, tenantId: string): AsyncGenerator<CountedDay> {
  for (const scope of EVENT_SCOPES) {
    let from: string | undefined;
    for (let day; (day = await findDay(tenant, tenantId, scope, from)) !== undefined;) {
      yield { tenantId, scope, day };
      from = startOfNextSpan(day, 'day');
    }
  }
}

/** The first day from a time on that can have events or roll-ups, in the format of toMicroseconds(). */
async function findDay(
  tenant: Scope,
  tenantId: string,
  scope: EventScope,
  from: string | undefined,
): Promise<string | undefined> {
  const inDatabase = await findNextDay(tenant, tenantId, scope, from ?? '-infinity');
  // Parts from before the time from which roll-ups count are deleted with their months.
  const archived = (await selectParts(tenant, tenantId, { scope, from })).map(({ firstAt }) => {
    const first = startOfSpan(toMicroseconds(firstAt)!, 'day');
    return from !== undefined && from > first ? from : first;
  });
  return [...(inDatabase === undefined ? [] : [toMicroseconds(inDatabase)!]), ...archived].toSorted()[0];
}

/** The timeout of the count of the archived events of a day. */
const COUNTING_SECONDS = 600;
/** The most counts that are held in memory: about 300 definitions that have events in each minute of a day. */
const MAX_ARCHIVED_GROUPS = 500_000;

/**
 * Counts the archived events of a day by minute. Until the transaction ends, no event moves to the archive. Throws {@link OperatorError} if
 * it is not possible.
 */
async function countArchivedDay(
  transaction: Querier,
  archive: Archive,
  { tenantId, scope, day }: CountedDay,
): Promise<ArchivedGroup[]> {
  const events = `archived ${scope} events of tenant ${tenantId} on ${day.slice(0, 10)}`;
  /** Returns undefined if there are too many groups for one statement. */
  const count = async (from: string, to: string): Promise<ArchivedGroup[] | undefined> => {
    try {
      return await countArchived(
        transaction,
        archive,
        tenantId,
        { filter: { scope }, ranges: [{ from, to }], bucket: 'minute', byDefinition: true },
        { seconds: COUNTING_SECONDS, mayExceedCache: true },
      );
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      // Its own message tells a client what to ask for instead.
      const { code, cause } = error;
      if (cause instanceof OperatorError) throw cause;
      if (code === 'invalid_request') return undefined;
      throw new OperatorError(
        code === 'query_timeout'
          ? `The ${events} could not be counted within ${COUNTING_SECONDS} seconds. Try again later.`
          : `The archive of tenant ${tenantId} cannot be read. Check it: guildhall archive verify`,
        { cause: error },
      );
    }
  };
  // The transaction runs no statement while the archive is read.
  const idle = `${COUNTING_SECONDS + 60}s`;
  await transaction.run(sql`SELECT set_config('idle_in_transaction_session_timeout', ${idle}, true)`);
  const end = startOfNextSpan(day, 'day');
  const ofDay = await count(day, end);
  if (ofDay) return ofDay;
  const groups: ArchivedGroup[] = [];
  for (let hour = day; hour < end; hour = startOfNextSpan(hour, 'hour')) {
    const ofHour = await count(hour, startOfNextSpan(hour, 'hour'));
    if (!ofHour || groups.push(...ofHour) > MAX_ARCHIVED_GROUPS)
      throw new OperatorError(
        `The ${events} have too many counts by minute and definition: more than ${MAX_GROUPS} in an hour, or ${MAX_ARCHIVED_GROUPS} in the day.`,
      );
  }
  return groups;
}

/** Counts the stored and archived events of a tenant again, day by day. Events may be stored meanwhile. */
export async function rebuildRollups(
  { database, archive }: EventSources,
  tenantId: string,
  progress: (done: CountedDay & { events: number }) => void,
): Promise<void> {
  const tenant = database.forTenant(tenantId);
  for await (const day of daysOf(tenant, tenantId)) {
    const events = await tenant.transaction(async (transaction) => {
      const archived = await countArchivedDay(transaction, archive, day);
      await lockUntilCommit(transaction, 'eventRollups');
      await stopEventsOnCitus(transaction);
      return recountDay(transaction, day, archived);
    });
    progress({ ...day, events });
    // The worker may not have found the lock free since the last day.
    await rollUpEvents(database);
  }
}

/** Differences of a day that are reported one by one. */
const DIFFERENCES_PER_DAY = 20;

/** Compares the roll-ups of a tenant with its stored and archived events, day by day. Events may be stored meanwhile. */
export async function checkRollups(
  { database, archive }: EventSources,
  tenantId: string,
  report: (day: CountedDay & { count: number; differences: RollupDifference[] }) => void,
): Promise<void> {
  const tenant = database.forTenant(tenantId);
  for await (const day of daysOf(tenant, tenantId)) {
    const found = await tenant.transaction(async (transaction) => {
      const archived = await countArchivedDay(transaction, archive, day);
      await stopEventsOnCitus(transaction);
      return compareDay(transaction, day, archived, DIFFERENCES_PER_DAY);
    });
    report({ ...day, ...found });
  }
}
