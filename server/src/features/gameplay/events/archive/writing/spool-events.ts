import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { isGuid } from '../../../../../core/ids.ts';
import type { EventPosition } from '../../event-position.ts';
import { eventTables, type EventScope } from '../../event-row.ts';
import type { MonthRef } from '../parts/archive-files.ts';
import { literal } from '../duckdb/duckdb-sql.ts';
import { eventColumns, proofColumns, type Column } from '../parts/part-columns.ts';

/** The order of the rows in all files, and of the primary key. */
export const ROWS_ORDER = ['occurred_at', 'idempotency_key'];

/** The events after a position, up to and with another one. Without them, the range is open. */
export interface RowRange {
  after?: EventPosition | undefined;
  upTo?: EventPosition | undefined;
}

/**
 * Splits the events of a month into ranges of at most `rows` events. `client` is in a transaction of the owner. Events of the same time
 * may be in two ranges.
 */
export async function splitMonth(client: pg.ClientBase, month: MonthRef, rows: number): Promise<RowRange[]> {
  const { rows: ends } = await asTenant(client, month, () =>
    client.query<EventPosition>(
      `SELECT to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "occurredAt", idempotency_key AS "idempotencyKey"
       FROM (SELECT occurred_at, idempotency_key, row_number() OVER positions AS number, lead(true) OVER positions AS has_next
             FROM ${eventTables[month.scope]} event WHERE ${ofMonth(month)}
             WINDOW positions AS (ORDER BY occurred_at, idempotency_key)) event
       WHERE number % $1 = 0 AND has_next ORDER BY number`,
      [rows],
    ),
  );
  return [...ends, undefined].map((upTo, index) => ({ after: ends[index - 1], upTo }));
}

/** The columns of the spool: those of both files, each once. */
const spoolColumns = (scope: EventScope): Column[] => [
  ...new Map(
    [...eventColumns(scope), ...proofColumns(scope)].map((column) => [column.name, column]),
  ).values(),
];

/** Copies a range of the events of a month from PostgreSQL to a file. */
export async function spoolEvents(
  client: pg.ClientBase,
  month: MonthRef,
  { after, upTo }: RowRange,
  file: string,
): Promise<void> {
  const { scope } = month;
  const roster =
    scope === 'match'
      ? `LEFT JOIN LATERAL (
           SELECT player_id FROM match_players WHERE tenant_id = event.tenant_id AND id = event.match_player_id OFFSET 0) roster ON true`
      : '';
  const within = [
    ofMonth(month),
    ...(after ? [`${ORDER} > ${literalOf(after)}`] : []),
    ...(upTo ? [`${ORDER} <= ${literalOf(upTo)}`] : []),
  ];
  await asTenant(client, month, () =>
    pipeline(
      client.query(
        copyTo(`COPY (
      SELECT ${spoolColumns(scope)
        .map(({ source }) => source)
        .join(', ')}
      FROM ${eventTables[scope]} event
      LEFT JOIN LATERAL (
        SELECT event_key, event_value FROM event_definitions
        WHERE tenant_id = event.tenant_id AND id = event.event_definitions_id OFFSET 0) definition ON true
      ${roster}
      WHERE ${within.join(' AND ')}
      ORDER BY event.occurred_at, event.idempotency_key) TO STDOUT (FORMAT csv)`),
      ),
      createZstdCompress(),
      createWriteStream(file, { mode: 0o600 }),
    ),
  );
}

/** Reads the spool in DuckDB. An empty text is quoted, and null is not. */
export function spooled(scope: EventScope): string {
  const types = spoolColumns(scope).map(
    ({ name, type }) => `${literal(name)}: ${literal(type === 'BLOB' ? 'VARCHAR' : type)}`,
  );
  return `read_csv($1, auto_detect = false, header = false, delim = ',', quote = '"', escape = '"', nullstr = '',
    allow_quoted_nulls = false, compression = 'zstd', columns = {${types.join(', ')}})`;
}

const ORDER = '(event.occurred_at, event.idempotency_key)';

const literalOf = ({ occurredAt, idempotencyKey }: EventPosition): string =>
  `(${pg.escapeLiteral(occurredAt)}::timestamptz, ${pg.escapeLiteral(idempotencyKey)})`;

function ofMonth({ tenantId, month }: MonthRef): string {
  if (!isGuid(tenantId) || !/^\d{4}-\d\d$/.test(month))
    throw new TypeError(`${tenantId} ${month} is no part.`);
  return `event.tenant_id = '${tenantId}' AND event.occurred_at >= '${month}-01T00:00:00Z'
        AND event.occurred_at < timestamptz '${month}-01T00:00:00Z' + interval '1 month'`;
}

/** Row-level security applies to what the tenant reads. */
async function asTenant<Result>(
  client: pg.ClientBase,
  { tenantId }: MonthRef,
  read: () => Promise<Result>,
): Promise<Result> {
  await client.query(
    `SET LOCAL ROLE guildhall_app; SET LOCAL guildhall.tenant_id = ${pg.escapeLiteral(tenantId)}`,
  );
  const result = await read();
  await client.query('RESET ROLE');
  return result;
}
