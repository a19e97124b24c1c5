import type pg from 'pg';
import { OperatorError } from '../core/operator-error.ts';
import { runEach } from '../core/concurrency/run-each.ts';
import { inTransaction } from '../database/client.ts';
import { deleteUnpartitionedBefore, dropPartitionsBefore } from '../database/partitions/drop-partitions.ts';
import {
  firstOfMonth,
  withUtcConnection,
  type PartitionedTable,
} from '../database/partitions/partitioned-tables.ts';
import { isRolledUpTo } from '../features/gameplay/analytics/index.ts';
import {
  deleteArchivedBefore,
  requireStoredParts,
  withArchiveLock,
  type EventScope,
  type EventUpkeep,
} from '../features/gameplay/events/index.ts';
import { auditUpkeep } from '../features/platform/audit/index.ts';
import { readCheckedClock } from './checked-clock.ts';

/** How many months before the current one a table keeps. A table without an entry keeps all its rows. */
export type Retention = Partial<Record<PartitionedTable, number>>;

/** The events of a table. Ledgers have no entry. */
export const scopeOfEvents: Partial<Record<PartitionedTable, EventScope>> = {
  match_events: 'match',
  player_events: 'player',
};

/** The result of dropping rows of a table. */
interface DroppedRows {
  /** The names of the partitions. */
  partitions: string[];
  /** The number of rows of months without a partition. */
  unpartitioned: number;
}

/**
 * Drops the rows of a table from before a day, the first of a month that has begun. Also deletes the archived events from before
 * this day. Throws {@link OperatorError} if the analytics still need them. Writes audit records of what
 * it dropped.
 */
export async function dropOldRows(
  { owner, database, archive }: EventUpkeep,
  table: PartitionedTable,
  before: string,
): Promise<DroppedRows & { archivedEvents: number }> {
  const scope = scopeOfEvents[table];
  if (scope)
    return withArchiveLock(owner, async (client) => {
      await requireStoredParts(client, archive);
      const archivedEvents = await deleteArchivedBefore(client, archive, scope, before);
      return { ...(await dropRows(client, table, before)), archivedEvents };
    });
  if (!(await isRolledUpTo(database, `${before}T00:00:00Z`)))
    throw new OperatorError(
      `The analytics do not have all sessions from before ${before} yet. A worker adds them every 10 minutes. Try again later.`,
    );
  return { ...(await dropRows(owner, table, before)), archivedEvents: 0 };
}

async function dropRows(
  owner: pg.Pool | pg.ClientBase,
  table: PartitionedTable,
  before: string,
): Promise<DroppedRows> {
  const record = (client: pg.ClientBase, dropped: DroppedRows): Promise<void> =>
    auditUpkeep(client, 'partitions.dropped', { table, before, ...dropped });
  const deleteUnpartitioned = async (client: pg.ClientBase): Promise<number> => {
    const unpartitioned = await deleteUnpartitionedBefore(client, table, before);
    if (unpartitioned > 0) await record(client, { partitions: [], unpartitioned });
    return unpartitioned;
  };
  const unpartitioned = await withUtcConnection(owner, (client) =>
    inTransaction(client, () => deleteUnpartitioned(client)),
  );
  const partitions = await dropPartitionsBefore(owner, table, before, {
    prepare: (found, client) =>
      record(client, { partitions: found.map(({ name }) => name), unpartitioned: 0 }),
  });
  return { partitions, unpartitioned };
}

/**
 * Drops all rows that are older than their table keeps them, even if another table fails. Then throws. Throws {@link OperatorError} and drops
 * nothing if the clock of this process is ahead of that of the database, because no row could be restored.
 */
export async function applyRetention(upkeep: EventUpkeep, retention: Retention): Promise<void> {
  const now = await readCheckedClock(upkeep.database, 'RETENTION_MONTHS drops nothing');
  const tables = Object.entries(retention) as [PartitionedTable, number][];
  await runEach(
    tables.map(([table, months]) => {
      const before = firstOfMonth(now, -months);
      return () => dropOldRows(upkeep, table, before);
    }),
  );
}
