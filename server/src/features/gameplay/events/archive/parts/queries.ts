import type pg from 'pg';
import { columnOf } from '../../../../../database/column-of.ts';
import type { Querier } from '../../../../../database/database.ts';
import { ownerQuerier } from '../../../../../database/scope.ts';
import { empty, raw, sql, type Sql } from '../../../../../database/sql.ts';
import type { EventScope } from '../../event-row.ts';
import { partName, type MonthRef, type PartRef, type StoredPart, type WrittenPart } from './archive-files.ts';

/** A part whose events are in the archive, and not in PostgreSQL any more. */
export interface ArchivedPart extends WrittenPart {
  /** One microsecond after `lastAt`. */
  endAt: string;
}

const NAME = sql`tenant_id AS "tenantId", scope, to_char(month, 'YYYY-MM') AS month, part`;

/** The condition of the parts of a month. */
const isOfMonth = ({ tenantId, scope, month }: MonthRef): Sql =>
  sql`tenant_id = ${tenantId} AND scope = ${scope} AND month = ${`${month}-01`}::date`;

/** Selects parts by the events that they may have. Times are in the format of toMicroseconds(). */
interface PartFilter {
  scope?: EventScope | undefined;
  from?: string | undefined;
  to?: string | undefined;
  limit?: number;
}

/** Returns the archived parts of a tenant, by scope and time: all of them, or those that may have events of a scope and a time. */
export function selectParts(
  db: Querier,
  tenantId: string,
  { scope, from, to, limit }: PartFilter = {},
): Promise<ArchivedPart[]> {
  const ofScope = scope === undefined ? empty : sql`AND scope = ${scope}`;
  const notBefore =
    from === undefined
      ? empty
      : sql`AND month >= date_trunc('month', ${from}::timestamptz, 'UTC')::date AND last_at >= ${from}`;
  const notAfter = to === undefined ? empty : sql`AND month <= ${to}::timestamptz::date AND first_at < ${to}`;
  return db.rows(sql`
    SELECT ${NAME}, rows, bytes, first_at AS "firstAt", last_at AS "lastAt",
           last_at + interval '1 microsecond' AS "endAt", manifest_hash AS "manifestHash"
    FROM event_archives WHERE tenant_id = ${tenantId} ${ofScope} ${notBefore} ${notAfter} AND archived_at IS NOT NULL
    ORDER BY scope, month, part LIMIT ${limit ?? null}`);
}

/** Returns the names of all parts of a tenant, including those whose files are being written or deleted. */
export async function selectPartNames(db: Querier, tenantId: string): Promise<Set<string>> {
  const rows = await db.rows<PartRef>(sql`SELECT ${NAME} FROM event_archives WHERE tenant_id = ${tenantId}`);
  return new Set(rows.map(partName));
}

/** Whether a part is still archived, with the same manifest. */
export function isArchived(db: Querier, part: StoredPart): Promise<boolean> {
  return db.exists(sql`
    SELECT FROM event_archives
    WHERE ${isOfMonth(part)} AND part = ${part.part} AND manifest_hash = ${part.manifestHash} AND archived_at IS NOT NULL`);
}

/** Returns the newest archived parts of all tenants, at most `limit`. */
export function listNewestParts(owner: pg.ClientBase, limit: number): Promise<PartRef[]> {
  return ownerQuerier(owner).rows(sql`
    SELECT ${NAME} FROM event_archives WHERE archived_at IS NOT NULL ORDER BY 3 DESC, 1, 2, 4 LIMIT ${limit}`);
}

/** The parts of a run that ended before they were archived, or before they were deleted. */
export function listUnfinished(owner: pg.ClientBase): Promise<PartRef[]> {
  return ownerQuerier(owner).rows(sql`
    SELECT ${NAME} FROM event_archives WHERE archived_at IS NULL ORDER BY 1, 2, 3, 4`);
}

/**
 * Returns a number for a new part, which is higher than `last`. No run gets it again, even if this one fails. A restored database may be
 * older than the files, and then its sequence is behind their numbers.
 */
export async function takePartNumber(owner: pg.ClientBase, last: number): Promise<number> {
  const { part } = await ownerQuerier(owner).one<{ part: number }>(sql`
    SELECT setval('event_archive_part_numbers', greatest(nextval('event_archive_part_numbers'), ${last}::integer + 1)) AS part`);
  return part;
}

/** Says that files of a part are about to be written, so that a later run finds them if this one ends. */
export async function registerPart(
  owner: pg.ClientBase,
  { tenantId, scope, month, part }: PartRef,
): Promise<void> {
  await ownerQuerier(owner).run(sql`
    INSERT INTO event_archives (tenant_id, scope, month, part) VALUES (${tenantId}, ${scope}, ${`${month}-01`}::date, ${part})`);
}

/** Deletes the row of a part that is not archived. Its files do not exist any more. */
export async function unregisterPart(owner: pg.ClientBase, part: PartRef): Promise<void> {
  await ownerQuerier(owner).run(sql`
    DELETE FROM event_archives WHERE ${isOfMonth(part)} AND part = ${part.part} AND archived_at IS NULL`);
}

/** The parts of a month that are archived. */
export function listPartsOfMonth(owner: pg.ClientBase, month: MonthRef): Promise<StoredPart[]> {
  return ownerQuerier(owner).rows(sql`
    SELECT ${NAME}, manifest_hash AS "manifestHash" FROM event_archives
    WHERE ${isOfMonth(month)} AND archived_at IS NOT NULL ORDER BY part`);
}

/** Makes written parts archived. Throws if one of them is not registered any more: another run has removed its files. */
export async function completeParts(client: pg.ClientBase, parts: WrittenPart[]): Promise<void> {
  const column = columnOf(parts);
  const completed = await ownerQuerier(client).run(sql`
    UPDATE event_archives archive
    SET rows = written.rows, bytes = written.bytes, first_at = written.first_at, last_at = written.last_at,
        manifest_hash = decode(written.manifest_hash, 'hex'), archived_at = now()
    FROM unnest(${column('tenantId')}::uuid[], ${column('scope')}::text[], ${parts.map(({ month }) => `${month}-01`)}::date[],
                ${column('part')}::integer[], ${column('rows')}::bigint[], ${column('bytes')}::bigint[],
                ${column('firstAt')}::timestamptz[], ${column('lastAt')}::timestamptz[],
                ${parts.map(({ manifestHash }) => manifestHash.toString('hex'))}::text[])
      AS written (tenant_id, scope, month, part, rows, bytes, first_at, last_at, manifest_hash)
    WHERE archive.tenant_id = written.tenant_id AND archive.scope = written.scope AND archive.month = written.month
      AND archive.part = written.part AND archive.archived_at IS NULL`);
  if (completed !== parts.length)
    throw new Error(`Only ${completed} of ${parts.length} written parts are registered.`);
}

/**
 * Marks the archived parts of a scope from before a day as about to be deleted: from now on no query reads them. Returns the number
 * of their events, without those of parts that an earlier run has marked.
 */
export function withdrawParts(owner: pg.ClientBase, scope: EventScope, before: string): Promise<number> {
  return ownerQuerier(owner).count(sql`
    WITH withdrawn AS (
      UPDATE event_archives SET archived_at = NULL WHERE scope = ${scope} AND month < ${before}::date AND archived_at IS NOT NULL
      RETURNING rows)
    SELECT coalesce(sum(rows), 0)::float8 AS count FROM withdrawn`);
}

/** Counts the archived events of a scope from before a day. */
export function countArchivedBefore(owner: pg.Pool, scope: EventScope, before: string): Promise<number> {
  return ownerQuerier(owner).count(sql`
    SELECT coalesce(sum(rows), 0)::float8 AS count FROM event_archives
    WHERE scope = ${scope} AND month < ${before}::date AND archived_at IS NOT NULL`);
}

/** A month of a tenant that has events in some tables, with a checksum of their ids. */
export interface MonthOfEvents {
  tenantId: string;
  month: string;
  rows: number;
  checksum: bigint;
}

/** The checksum of the ids of events, in any order. An event that is there twice changes nothing. */
const CHECKSUM = sql`coalesce(bit_xor(uuid_hash_extended(id, 0)), 0)::text AS checksum`;

/** Counts the events of tables by tenant and month. `tables` is SQL. */
export async function countMonths(client: pg.ClientBase, tables: string): Promise<MonthOfEvents[]> {
  const months = await ownerQuerier(client).rows<Omit<MonthOfEvents, 'checksum'> & { checksum: string }>(sql`
    SELECT tenant_id AS "tenantId", to_char(date_trunc('month', occurred_at AT TIME ZONE 'UTC'), 'YYYY-MM') AS month,
           count(*) AS rows, ${CHECKSUM}
    FROM (${raw(tables)}) event GROUP BY 1, 2 ORDER BY 2, 1`);
  return months.map((month) => ({ ...month, checksum: BigInt(month.checksum) }));
}

/** Returns the checksum of the ids of the events of tables. `tables` is SQL. */
export async function checksumOf(client: pg.ClientBase, tables: string): Promise<bigint> {
  const { checksum } = await ownerQuerier(client).one<{ checksum: string }>(
    sql`SELECT ${CHECKSUM} FROM (${raw(tables)}) event`,
  );
  return BigInt(checksum);
}
