import type { Querier } from '../../../../database/database.ts';
import { sql, type Sql } from '../../../../database/sql.ts';
import type { EventScope } from '../event-row.ts';

/** The time from which roll-ups count the events of a scope, as a part of a statement. */
export const rollupStart = (scope: EventScope): Sql =>
  sql`(SELECT starts_at FROM event_rollup_starts WHERE scope = ${scope})`;

/** Returns the day from which roll-ups count the events of a scope. If undefined, they count all events. */
export async function findRollupStart(db: Querier, scope: EventScope): Promise<string | undefined> {
  const found = await db.row<{ day: string }>(sql`
    SELECT (starts_at AT TIME ZONE 'UTC')::date::text AS day FROM event_rollup_starts
    WHERE scope = ${scope} AND starts_at > '-infinity'`);
  return found?.day;
}

/**
 * Lets the roll-ups of a scope count from a day on, for all tenants. Call it before the events from before that day are dropped, and in the
 * transaction that withdraws the archived ones: only events of PostgreSQL are counted one by one from now on. Needs the owner of the tables.
 */
export async function startRollupsAt(owner: Querier, scope: EventScope, day: string): Promise<void> {
  const start = sql`${`${day}T00:00:00Z`}::timestamptz`;
  await owner.run(
    sql`UPDATE event_rollup_starts SET starts_at = ${start} WHERE scope = ${scope} AND starts_at < ${start}`,
  );
}
