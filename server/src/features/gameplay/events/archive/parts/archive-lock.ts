import type pg from 'pg';
import { OperatorError } from '../../../../../core/operator-error.ts';
import { tryLock, unlock } from '../../../../../database/advisory-locks.ts';
import type { Querier } from '../../../../../database/database.ts';
import { sql, unprepared } from '../../../../../database/sql.ts';
import { eventTableSql, type EventScope } from '../../event-row.ts';

/** Runs work while no other process archives events, deletes archived ones or backs them up. Throws {@link OperatorError} if one does. */
export async function withArchiveLock<Result>(
  owner: pg.Pool,
  work: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = await owner.connect();
  try {
    if (!(await tryLock(client, 'eventArchive')))
      throw new OperatorError(
        'Another process archives events, deletes archived ones, or makes a backup. Try again later.',
      );
    return await work(client);
  } finally {
    await unlock(client, 'eventArchive').catch(() => {});
    client.release(true);
  }
}

/**
 * Locks the event table, so that no event of a scope moves to the archive until the transaction ends. Call it before the transaction
 * reads which parts there are.
 */
export async function blockArchiving(db: Querier, scope: EventScope): Promise<void> {
  await db.run(unprepared(sql`LOCK TABLE ONLY ${eventTableSql[scope]} IN ACCESS SHARE MODE`));
}
