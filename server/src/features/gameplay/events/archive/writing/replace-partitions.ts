import type pg from 'pg';
import { OperatorError } from '../../../../../core/operator-error.ts';
import { dropPartitionsBefore } from '../../../../../database/partitions/drop-partitions.ts';
import { auditUpkeep } from '../../../../platform/audit/index.ts';
import { eventTables, type EventScope } from '../../event-row.ts';
import { lateTable, stopCapture, uncountRepeated } from './late-events.ts';
import { checksumOf, completeParts } from '../parts/queries.ts';
import { eventsBefore, type WrittenMonths } from './write-months.ts';

/**
 * Makes written months archived: one transaction drops their partitions, says where their events are now, and writes an audit record.
 * Late events stay. It runs on the connection that has the lock of the archive, so no other run has begun when it commits. If the
 * partitions do not have the events that were written, it throws an {@link OperatorError} and changes nothing.
 */
export async function replacePartitions(
  client: pg.ClientBase,
  scope: EventScope,
  end: string,
  { partitions, checksum, parts, dropped: deleted }: WrittenMonths,
): Promise<void> {
  const table = eventTables[scope];
  const changed = new OperatorError(
    `Partitions of ${table} from before ${end}, or events in them, were changed or deleted while they were archived. ` +
      `Nothing was lost. Try again later.`,
  );
  const dropped = await dropPartitionsBefore(client, table, end, {
    // Nobody waits for these statements: they take as long as there are events.
    async prepare(found) {
      const names = found.map(({ name }) => name);
      const late = `SELECT tenant_id, occurred_at, id FROM ${lateTable(scope)}`;
      const isSame =
        names.toSorted().join() === partitions.toSorted().join() &&
        (await checksumOf(client, `${eventsBefore(scope, end, names)} UNION ALL ${late}`)) === checksum;
      if (!isSame) throw changed;
      await completeParts(client, parts);
      await uncountRepeated(client, scope);
      if (parts.length > 0 || deleted > 0)
        await auditUpkeep(client, 'events.archived', {
          table,
          before: end,
          parts: parts.length,
          events: parts.reduce((sum, { rows }) => sum + rows, 0),
          dropped: deleted,
        });
    },
    keepRows: () => stopCapture(client, scope),
  });
  if (dropped.length === 0) throw changed;
}
