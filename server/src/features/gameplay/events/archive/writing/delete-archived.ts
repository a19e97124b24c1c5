import type pg from 'pg';
import { lockTable, withLocks } from '../../../../../database/partitions/partitioned-tables.ts';
import { ownerQuerier } from '../../../../../database/scope.ts';
import { auditUpkeep } from '../../../../platform/audit/index.ts';
import { eventTables, type EventScope } from '../../event-row.ts';
import { startRollupsAt } from '../../rollups/rollup-start.ts';
import { removePart } from '../parts/archive-files.ts';
import type { Archive } from '../parts/archive.ts';
import { listUnfinished, unregisterPart, withdrawParts } from '../parts/queries.ts';

/**
 * Deletes the archived events of a scope from before a day, the first of a month, for good. Returns their number. In one transaction, no
 * query reads them any more, roll-ups start at the day, and an audit record has their number. Call it before the other events of this
 * time are dropped. Needs the lock of the archive.
 */
export async function deleteArchivedBefore(
  client: pg.ClientBase,
  archive: Archive,
  scope: EventScope,
  before: string,
): Promise<number> {
  let events = 0;
  // A query that has read which parts there are locks the table until it has read them.
  const table = eventTables[scope];
  await withLocks(client, table, async () => {
    await lockTable(client, table);
    await startRollupsAt(ownerQuerier(client), scope, before);
    events = await withdrawParts(client, scope, before);
    if (events > 0) await auditUpkeep(client, 'archived_events.deleted', { table, before, events });
  });
  await removeUnfinished(client, archive);
  return events;
}

/** Removes the files of parts that are not archived: a run ended while it wrote or deleted them. */
export async function removeUnfinished(client: pg.ClientBase, { root, bucket }: Archive): Promise<void> {
  for (const part of await listUnfinished(client)) {
    await removePart(root, part);
    await bucket?.remove(part);
    await unregisterPart(client, part);
  }
}
