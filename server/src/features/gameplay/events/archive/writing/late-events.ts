import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { withLocks } from '../../../../../database/partitions/partitioned-tables.ts';
import { EVENT_SCOPES, eventTables, type EventScope } from '../../event-row.ts';

// A run writes files, and these tables record what the files do not contain. They belong to the owner, and are dropped when the run ends.

/** Copies of the events that were stored after the snapshot that is written to the files (docs/decisions/0048-event-archive.md). */
export const lateTable = (scope: EventScope): string => `${eventTables[scope]}_late`;

/** Counts of the events that an earlier part of their month has. */
const repeatedTable = (scope: EventScope): string => `${eventTables[scope]}_repeated`;

/** The function of the triggers that fill {@link lateTable}. */
const functionOf = (scope: EventScope): string => `guildhall_capture_late_${scope}_event()`;

/**
 * Lets triggers copy the late events of partitions, and of the default partition from before a day, until the run ends. No event is
 * written to these partitions while `takeSnapshot` runs. So each event is either in the snapshot, or in the table of late events in the
 * transaction that stores it.
 */
export async function captureLateEvents(
  client: pg.ClientBase,
  scope: EventScope,
  partitions: string[],
  end: string,
  takeSnapshot: () => Promise<void>,
): Promise<void> {
  const table = eventTables[scope];
  const byDefault = `${table}_default`;
  const trigger = (partition: string, condition = ''): string =>
    `CREATE TRIGGER capture_late_event AFTER INSERT ON ${partition} FOR EACH ROW ${condition} EXECUTE FUNCTION ${functionOf(scope)};`;
  await withLocks(client, table, async () => {
    await client.query(`
      LOCK TABLE ${[...partitions, byDefault].join(', ')} IN SHARE ROW EXCLUSIVE MODE;
      CREATE TABLE ${lateTable(scope)} (LIKE ${table} INCLUDING ALL);
      CREATE TABLE ${repeatedTable(scope)} (tenant_id uuid, starts_at timestamptz, definition_id uuid, events bigint, value_count bigint,
                                            value_sum numeric);
      -- It runs as the owner: the roles of the application have no right to these tables. A conflict means that somebody has deleted the
      -- event by hand.
      CREATE FUNCTION ${functionOf(scope)} RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
      BEGIN
        INSERT INTO ${lateTable(scope)} SELECT NEW.* ON CONFLICT DO NOTHING;
        RETURN NULL;
      END $$;
      ${partitions.map((partition) => trigger(partition)).join(' ')}
      ${trigger(byDefault, `WHEN (NEW.occurred_at < '${end}T00:00:00Z')`)}`);
    await takeSnapshot();
  });
}

/** Drops the tables and triggers of a run that ended before its events were archived. */
export async function dropLateTables(client: pg.ClientBase): Promise<void> {
  for (const scope of EVENT_SCOPES)
    await withLocks(client, eventTables[scope], async () => {
      await client.query(
        `DROP FUNCTION IF EXISTS ${functionOf(scope)} CASCADE;
         DROP TABLE IF EXISTS ${lateTable(scope)}, ${repeatedTable(scope)}`,
      );
    });
}

/** Drops the triggers while the event table is locked, and returns the table that has the late events. */
export async function stopCapture(client: pg.ClientBase, scope: EventScope): Promise<string> {
  await client.query(`DROP FUNCTION ${functionOf(scope)} CASCADE; DROP TABLE ${repeatedTable(scope)}`);
  return lateTable(scope);
}

/** Adds the counts of a file to the table. */
export async function addRepeated(client: pg.ClientBase, scope: EventScope, file: string): Promise<void> {
  await pipeline(
    createReadStream(file),
    client.query(copyFrom(`COPY ${repeatedTable(scope)} FROM STDIN (FORMAT csv)`)),
  );
}

/** Takes the counts of the table out of the roll-ups: these events were counted a second time. */
export async function uncountRepeated(client: pg.ClientBase, scope: EventScope): Promise<void> {
  await client.query(
    `INSERT INTO event_rollup_deltas (tenant_id, scope, starts_at, definition_id, events, value_count, value_sum)
     SELECT tenant_id, $1, starts_at, definition_id, -events, -value_count, -value_sum FROM ${repeatedTable(scope)}`,
    [scope],
  );
}
