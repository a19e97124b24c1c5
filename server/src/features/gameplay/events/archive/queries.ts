import type pg from 'pg';
import type { Querier } from '../../../../database/database.ts';
import { empty, sql, type Sql } from '../../../../database/sql.ts';
import type { EventScope } from '../event-row.ts';
import type { MonthName, PartName, StoredPart } from './archive-files.ts';
import type { RepeatedEvents, WrittenPart } from './write-part.ts';

/** A part whose events are in the archive, and not in PostgreSQL any more. */
export interface ArchivedPart extends StoredPart {
  rows: number;
  bytes: number;
  firstAt: string;
  lastAt: string;
  /** One microsecond after `lastAt`. */
  endAt: string;
  archivedAt: string;
}

const NAME = sql`tenant_id AS "tenantId", scope, to_char(month, 'YYYY-MM') AS month, part`;

/** Returns the archived parts of a tenant, by scope and time. */
export function selectParts(db: Querier, tenantId: string): Promise<ArchivedPart[]> {
  return selectArchived(db, tenantId, empty);
}

/** Returns any archived part of a tenant. */
export async function findPart(db: Querier, tenantId: string): Promise<ArchivedPart | undefined> {
  return (await selectArchived(db, tenantId, empty, 1))[0];
}

/** Returns the archived parts of a tenant that may have events of a scope and a time. */
export function selectPartsOf(db: Querier, tenantId: string, range: PartRange): Promise<ArchivedPart[]> {
  return selectArchived(db, tenantId, ofRange(range));
}

/** Times in the format of toMicroseconds(). */
export interface PartRange {
  scope: EventScope;
  from?: string | undefined;
  to?: string | undefined;
}

function ofRange({ scope, from, to }: PartRange): Sql {
  const notBefore =
    from === undefined
      ? empty
      : sql`AND month >= date_trunc('month', ${from}::timestamptz, 'UTC')::date AND last_at >= ${from}`;
  const notAfter = to === undefined ? empty : sql`AND month <= ${to}::timestamptz::date AND first_at < ${to}`;
  return sql`AND scope = ${scope} ${notBefore} ${notAfter}`;
}

function selectArchived(
  db: Querier,
  tenantId: string,
  condition: Sql,
  limit?: number,
): Promise<ArchivedPart[]> {
  return db.rows(sql`
    SELECT ${NAME}, rows, bytes, first_at AS "firstAt", last_at AS "lastAt",
           last_at + interval '1 microsecond' AS "endAt", archived_at AS "archivedAt",
           manifest_hash AS "manifestHash"
    FROM event_archives WHERE tenant_id = ${tenantId} ${condition} AND archived_at IS NOT NULL
    ORDER BY scope, month, part LIMIT ${limit ?? null}`);
}

/** The advisory lock of the process that archives events or deletes archived ones. The number is arbitrary. */
const ARCHIVE_LOCK = 7_118_048;

/** Takes the lock until the connection is closed. Returns false if another process has it. */
export async function tryArchiveLock(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS granted', [ARCHIVE_LOCK]);
  return rows[0].granted;
}

export async function releaseArchiveLock(client: pg.ClientBase): Promise<void> {
  await client.query('SELECT pg_advisory_unlock($1)', [ARCHIVE_LOCK]);
}

/** The parts of a run that ended before they were archived, or before they were deleted. */
export async function findUnfinished(owner: pg.ClientBase): Promise<PartName[]> {
  const { rows } = await owner.query(
    `SELECT ${NAME.text} FROM event_archives WHERE archived_at IS NULL ORDER BY 1, 2, 3, 4`,
  );
  return rows;
}

/** Says that files of a part are about to be written, so that a later run finds them if this one ends. */
export async function registerPart(
  owner: pg.ClientBase,
  { tenantId, scope, month, part }: PartName,
): Promise<void> {
  await owner.query(
    `INSERT INTO event_archives (tenant_id, scope, month, part) VALUES ($1, $2, $3::date, $4)`,
    [tenantId, scope, `${month}-01`, part],
  );
}

export async function forgetPart(
  owner: pg.ClientBase,
  { tenantId, scope, month, part }: PartName,
): Promise<void> {
  await owner.query(
    `DELETE FROM event_archives
     WHERE tenant_id = $1 AND scope = $2 AND month = $3::date AND part = $4 AND archived_at IS NULL`,
    [tenantId, scope, `${month}-01`, part],
  );
}

/** The parts of a month that are archived. */
export async function findParts(
  owner: pg.ClientBase,
  { tenantId, scope, month }: MonthName,
): Promise<StoredPart[]> {
  const { rows } = await owner.query(
    `SELECT ${NAME.text}, manifest_hash AS "manifestHash" FROM event_archives
     WHERE tenant_id = $1 AND scope = $2 AND month = $3::date AND archived_at IS NOT NULL ORDER BY part`,
    [tenantId, scope, `${month}-01`],
  );
  return rows;
}

/** Makes written parts archived. */
export async function completeParts(client: pg.ClientBase, parts: WrittenPart[]): Promise<void> {
  for (const { tenantId, scope, month, part, rows, bytes, firstAt, lastAt, manifestHash } of parts)
    await client.query(
      `UPDATE event_archives
       SET rows = $5, bytes = $6, first_at = $7, last_at = $8, manifest_hash = $9, archived_at = now()
       WHERE tenant_id = $1 AND scope = $2 AND month = $3::date AND part = $4`,
      [tenantId, scope, `${month}-01`, part, rows, bytes, firstAt, lastAt, manifestHash],
    );
}

/** Takes events out of the roll-ups that were counted a second time. */
export async function uncount(
  client: pg.ClientBase,
  { tenantId, scope }: { tenantId: string; scope: EventScope },
  repeated: RepeatedEvents[],
): Promise<void> {
  await client.query(
    `INSERT INTO event_rollup_deltas (tenant_id, scope, starts_at, definition_id, events, value_count, value_sum)
     SELECT $1, $2, starts_at, definition_id, -events, -values, -sum
     FROM unnest($3::timestamptz[], $4::uuid[], $5::bigint[], $6::bigint[], $7::numeric[])
       AS repeated (starts_at, definition_id, events, values, sum)`,
    [
      tenantId,
      scope,
      repeated.map(({ startsAt }) => startsAt),
      repeated.map(({ definitionId }) => definitionId),
      repeated.map(({ events }) => events),
      repeated.map(({ values }) => values),
      repeated.map(({ sum }) => sum),
    ],
  );
}

/**
 * Marks the archived parts of a scope from before a day as about to be deleted: from now on no question reads them. Returns the number
 * of their events, with those of parts that an earlier run has marked and not deleted.
 */
export async function withdrawParts(
  owner: pg.ClientBase,
  scope: EventScope,
  before: string,
): Promise<number> {
  const { rows } = await owner.query(
    `WITH withdrawn AS (
       UPDATE event_archives SET archived_at = NULL WHERE scope = $1 AND month < $2::date AND rows IS NOT NULL
       RETURNING rows)
     SELECT coalesce(sum(rows), 0)::float8 AS events FROM withdrawn`,
    [scope, before],
  );
  return rows[0].events;
}

/** Counts the archived events of a scope from before a day. */
export async function countArchivedBefore(
  owner: pg.Pool,
  scope: EventScope,
  before: string,
): Promise<number> {
  const { rows } = await owner.query(
    `SELECT coalesce(sum(rows), 0)::float8 AS events FROM event_archives
     WHERE scope = $1 AND month < $2::date AND archived_at IS NOT NULL`,
    [scope, before],
  );
  return rows[0].events;
}

/** A month of a tenant that has events in some tables, with a checksum of their ids. */
export interface MonthOfEvents {
  tenantId: string;
  month: string;
  rows: number;
  checksum: bigint;
}

/** Counts the events of tables by tenant and month. `tables` is SQL. */
export async function countMonths(client: pg.ClientBase, tables: string): Promise<MonthOfEvents[]> {
  const { rows } = await client.query(
    `SELECT tenant_id AS "tenantId", to_char(date_trunc('month', occurred_at AT TIME ZONE 'UTC'), 'YYYY-MM') AS month,
            count(*)::float8 AS rows, bit_xor(uuid_hash_extended(id, 0))::text AS checksum
     FROM (${tables}) event GROUP BY 1, 2 ORDER BY 2, 1`,
  );
  return rows.map((row) => ({ ...row, checksum: BigInt(row.checksum) }));
}

/** Counts the events of tables, with a checksum of their ids. */
export async function countEventsOf(
  client: pg.ClientBase,
  tables: string,
): Promise<{ rows: number; checksum: bigint }> {
  const { rows } = await client.query(
    `SELECT count(*)::float8 AS rows, coalesce(bit_xor(uuid_hash_extended(id, 0)), 0)::text AS checksum FROM (${tables}) event`,
  );
  return { rows: rows[0].rows, checksum: BigInt(rows[0].checksum) };
}

/** The time from which roll-ups count the events of a scope, as a day. Undefined: all. */
export async function findRollupStart(owner: pg.ClientBase, scope: EventScope): Promise<string | undefined> {
  const { rows } = await owner.query(
    `SELECT (nullif(starts_at, '-infinity') AT TIME ZONE 'UTC')::date::text AS day FROM event_rollup_starts WHERE scope = $1`,
    [scope],
  );
  return rows[0]?.day ?? undefined;
}
