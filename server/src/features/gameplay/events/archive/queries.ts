import type pg from 'pg';
import { columnOf } from '../../../../database/column-of.ts';
import type { Querier } from '../../../../database/database.ts';
import { empty, sql, type Sql } from '../../../../database/sql.ts';
import type { EventScope } from '../event-row.ts';
import { partName, type MonthName, type PartName, type StoredPart } from './archive-files.ts';
import type { WrittenPart } from './write-part.ts';

/** A part whose events are in the archive, and not in PostgreSQL any more. */
export interface ArchivedPart extends WrittenPart {
  /** One microsecond after `lastAt`. */
  endAt: string;
}

const NAME = sql`tenant_id AS "tenantId", scope, to_char(month, 'YYYY-MM') AS month, part`;

/** Returns the archived parts of a tenant, by scope and time. */
export function selectParts(db: Querier, tenantId: string): Promise<ArchivedPart[]> {
  return selectArchived(db, tenantId, empty);
}

/** Returns the names of all parts of a tenant, including those whose files are being written or deleted. */
export async function selectPartNames(db: Querier, tenantId: string): Promise<Set<string>> {
  const rows = await db.rows<PartName>(sql`SELECT ${NAME} FROM event_archives WHERE tenant_id = ${tenantId}`);
  return new Set(rows.map(partName));
}

/** Whether a part is still archived, with the same manifest. */
export function isArchived(
  db: Querier,
  { tenantId, scope, month, part, manifestHash }: StoredPart,
): Promise<boolean> {
  return db.exists(sql`
    SELECT FROM event_archives
    WHERE tenant_id = ${tenantId} AND scope = ${scope} AND month = ${`${month}-01`}::date AND part = ${part}
      AND manifest_hash = ${manifestHash} AND archived_at IS NOT NULL`);
}

/** Returns any archived part of a tenant. */
export async function findPart(db: Querier, tenantId: string): Promise<ArchivedPart | undefined> {
  return (await selectArchived(db, tenantId, empty, 1))[0];
}

/** Returns the newest archived parts of all tenants, at most `limit`. */
export async function findNewestParts(owner: pg.ClientBase, limit: number): Promise<PartName[]> {
  const { rows } = await owner.query(
    `SELECT ${NAME.text} FROM event_archives WHERE archived_at IS NOT NULL ORDER BY 3 DESC, 1, 2, 4 LIMIT $1`,
    [limit],
  );
  return rows;
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
           last_at + interval '1 microsecond' AS "endAt", manifest_hash AS "manifestHash"
    FROM event_archives WHERE tenant_id = ${tenantId} ${condition} AND archived_at IS NOT NULL
    ORDER BY scope, month, part LIMIT ${limit ?? null}`);
}

/** The parts of a run that ended before they were archived, or before they were deleted. */
export async function findUnfinished(owner: pg.ClientBase): Promise<PartName[]> {
  const { rows } = await owner.query(
    `SELECT ${NAME.text} FROM event_archives WHERE archived_at IS NULL ORDER BY 1, 2, 3, 4`,
  );
  return rows;
}

/**
 * Returns a number for a new part, which is higher than `last`. No run gets it again, even if this one fails. A restored database may be
 * older than the files, and then its sequence is behind their numbers.
 */
export async function takePartNumber(owner: pg.ClientBase, last: number): Promise<number> {
  const { rows } = await owner.query(
    `SELECT setval('event_archive_part_numbers', greatest(nextval('event_archive_part_numbers'), $1::integer + 1))::integer AS part`,
    [last],
  );
  return rows[0].part;
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

/** Deletes the row of a part that is not archived. Its files do not exist any more. */
export async function unregisterPart(
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

/** Makes written parts archived. Throws if one of them is not registered any more: another run has removed its files. */
export async function completeParts(client: pg.ClientBase, parts: WrittenPart[]): Promise<void> {
  const column = columnOf(parts);
  const { rowCount } = await client.query(
    `UPDATE event_archives archive
     SET rows = written.rows, bytes = written.bytes, first_at = written.first_at, last_at = written.last_at,
         manifest_hash = decode(written.manifest_hash, 'hex'), archived_at = now()
     FROM unnest($1::uuid[], $2::text[], $3::date[], $4::integer[], $5::bigint[], $6::bigint[], $7::timestamptz[], $8::timestamptz[],
                 $9::text[])
       AS written (tenant_id, scope, month, part, rows, bytes, first_at, last_at, manifest_hash)
     WHERE archive.tenant_id = written.tenant_id AND archive.scope = written.scope AND archive.month = written.month
       AND archive.part = written.part AND archive.archived_at IS NULL`,
    [
      column('tenantId'),
      column('scope'),
      parts.map(({ month }) => `${month}-01`),
      column('part'),
      column('rows'),
      column('bytes'),
      column('firstAt'),
      column('lastAt'),
      parts.map(({ manifestHash }) => manifestHash.toString('hex')),
    ],
  );
  if (rowCount !== parts.length)
    throw new Error(`Only ${rowCount} of ${parts.length} written parts are registered.`);
}

/**
 * Marks the archived parts of a scope from before a day as about to be deleted: from now on no query reads them. Returns the number
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

/** The checksum of the ids of events, in any order. An event that is there twice changes nothing. */
const CHECKSUM = `coalesce(bit_xor(uuid_hash_extended(id, 0)), 0)::text AS checksum`;

/** Counts the events of tables by tenant and month. `tables` is SQL. */
export async function countMonths(client: pg.ClientBase, tables: string): Promise<MonthOfEvents[]> {
  const { rows } = await client.query(
    `SELECT tenant_id AS "tenantId", to_char(date_trunc('month', occurred_at AT TIME ZONE 'UTC'), 'YYYY-MM') AS month,
            count(*)::float8 AS rows, ${CHECKSUM}
     FROM (${tables}) event GROUP BY 1, 2 ORDER BY 2, 1`,
  );
  return rows.map((row) => ({ ...row, checksum: BigInt(row.checksum) }));
}

/** Returns the checksum of the ids of the events of tables. `tables` is SQL. */
export async function checksumOf(client: pg.ClientBase, tables: string): Promise<bigint> {
  const { rows } = await client.query(`SELECT ${CHECKSUM} FROM (${tables}) event`);
  return BigInt(rows[0].checksum);
}

/** The time from which roll-ups count the events of a scope, as a day. If undefined, they count all events. */
export async function findRollupStart(owner: pg.ClientBase, scope: EventScope): Promise<string | undefined> {
  const { rows } = await owner.query(
    `SELECT (nullif(starts_at, '-infinity') AT TIME ZONE 'UTC')::date::text AS day FROM event_rollup_starts WHERE scope = $1`,
    [scope],
  );
  return rows[0]?.day ?? undefined;
}
