import { ProblemError } from '../../../../../core/problem.ts';
import type { Querier } from '../../../../../database/database.ts';
import { empty, sql, type Sql } from '../../../../../database/sql.ts';
import type { Bucket, TimeRange } from '../../../../../core/time-range.ts';
import { selectDefinitions, type EventFilter } from '../../event-filter.ts';
import { EVENTS_FILE, partName } from '../parts/archive-files.ts';
import { duckdbConditions } from './archive-filter.ts';
import { blockArchiving } from '../parts/archive-lock.ts';
import type { Archive } from '../parts/archive.ts';
import type { DuckdbStatement } from '../duckdb/duckdb.ts';
import { inUtc, isoTime, timeLiteral } from '../duckdb/duckdb-sql.ts';
import { fetchParts } from './fetch-parts.ts';
import { asProblem, secondsLeft, TOO_MANY_GROUPS, type ReadLimits } from './read-limits.ts';
import { selectParts } from '../parts/queries.ts';

/** The archived events to count, and how they are grouped. */
interface ArchiveQuery {
  filter: EventFilter;
  /** The times, in the format of toMicroseconds(). */
  ranges: TimeRange[];
  bucket?: Bucket | undefined;
  byDefinition?: boolean;
  byPlayer?: boolean;
  byMatch?: boolean;
}

/** Archived events that are counted together. Sums and values hold decimal digits. */
export interface ArchivedGroup {
  start?: string;
  definition_id?: string;
  player_id?: string;
  match_session_id?: string;
  events: number;
  values: number;
  sum: string | null;
  minimum: string | null;
  maximum: string | null;
}

/** Adds groups to the rows of a SELECT, with these columns of {@link ArchivedGroup}. */
export const unionArchived = (groups: ArchivedGroup[], columns: Sql): Sql =>
  groups.length === 0
    ? empty
    : sql`UNION ALL SELECT ${columns} FROM json_to_recordset(${JSON.stringify(groups)}::json) AS archived (
        start timestamptz, definition_id uuid, player_id uuid, match_session_id uuid, events numeric, values numeric, sum numeric,
        minimum bigint, maximum bigint)`;

interface CountLimits extends ReadLimits {
  /** The time of performance.now() at which the time limit began. By default, it begins with the read of the archive. */
  began?: number;
}

/** PostgreSQL adds them to its own groups in 0.5 seconds. */
export const MAX_GROUPS = 100_000;

/**
 * Counts archived events of a tenant. Call it in the transaction that reads the events of PostgreSQL: until it ends, no event moves
 * from there to the archive. So each event is counted once. Throws `archive_unavailable` if this server cannot read the archive,
 * `query_timeout`, and `invalid_request` if there are too many groups.
 */
export async function countArchived(
  db: Querier,
  archive: Archive,
  tenantId: string,
  query: ArchiveQuery,
  limits: CountLimits,
): Promise<ArchivedGroup[]> {
  const { filter, ranges } = query;
  if (ranges.length === 0) return [];
  await blockArchiving(db, filter.scope);
  const found = await Promise.all(
    ranges.map((range) => selectParts(db, tenantId, { scope: filter.scope, ...range })),
  );
  const parts = [...new Map(found.flat().map((part) => [partName(part), part])).values()];
  if (parts.length === 0) return [];
  const definitions = await selectDefinitions(db, tenantId, filter);
  if (definitions?.length === 0) return [];
  const { seconds, began = performance.now() } = limits;
  const limitsLeft = () => ({ ...limits, seconds: secondsLeft(seconds, began) });
  try {
    // The process can read these files only, so it cannot read those of another tenant.
    const files = await fetchParts(archive, parts, [EVENTS_FILE], limitsLeft());
    const groups = await archive.duckdb(
      { statements: [groupFiles(files, query, definitions)], reads: files, maxRows: MAX_GROUPS + 1 },
      limitsLeft(),
    );
    if (groups.length > MAX_GROUPS) throw new ProblemError('invalid_request', TOO_MANY_GROUPS);
    return groups as unknown as ArchivedGroup[];
  } catch (error) {
    throw asProblem(error, limits);
  }
}

/** The statement is made of constants and checked times. Each other value of the request is a parameter. */
function groupFiles(
  files: string[],
  { filter, ranges, bucket, byDefinition, byPlayer, byMatch }: ArchiveQuery,
  definitions: string[] | undefined,
): DuckdbStatement {
  const values: (string | string[])[] = [files];
  const times = ranges.map(
    ({ from, to }) => `occurred_at >= ${timeLiteral(from)} AND occurred_at < ${timeLiteral(to)}`,
  );
  const conditions = [`(${times.join(' OR ')})`, ...duckdbConditions(filter, definitions, values)];
  const groups = [
    ...(bucket ? [`date_trunc('${bucket}', ${inUtc('occurred_at')}) AS start`] : []),
    ...(byDefinition ? ['event_definition_id AS definition_id'] : []),
    ...(byPlayer ? ['player_id'] : []),
    ...(byMatch ? ['match_session_id'] : []),
  ];
  return {
    // Texts are made for each group, not for each event.
    text: `
      SELECT ${bucket ? `* REPLACE (${isoTime('start')} AS start)` : '*'} FROM (
        SELECT ${[...groups, ''].join(', ')} count(*)::DOUBLE AS events, count(value)::DOUBLE AS values, sum(value)::VARCHAR AS sum,
               min(value)::VARCHAR AS minimum, max(value)::VARCHAR AS maximum
        FROM read_parquet($1) WHERE ${conditions.join(' AND ')}
        GROUP BY ALL HAVING count(*) > 0 LIMIT ${MAX_GROUPS + 1})`,
    values,
  };
}
