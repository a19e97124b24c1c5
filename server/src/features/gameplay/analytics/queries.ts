import type { ChartBucket, TimeRange } from '../../../core/time-range.ts';
import type { RangePart } from '../../../core/time-spans.ts';
import type { Querier } from '../../../database/database.ts';
import { join, sql, type Sql } from '../../../database/sql.ts';
import { bucketStart } from '../../../database/time-buckets.ts';
import type { SessionRollupSpan } from './split-range.ts';
import { inLedger, PAGE, PLAYER_BIT, playerNumberQuery } from './rollup-queries.ts';

/** Returns the hour up to which a tenant's ledgers are rolled up, or undefined if they never were. */
export async function findRolledUpTo(db: Querier, tenantId: string): Promise<string | undefined> {
  const row = await db.row<{ rolledUpTo: string | null }>(sql`
    SELECT nullif(rolled_up_to, '-infinity') AS "rolledUpTo" FROM session_rollups WHERE tenant_id = ${tenantId}`);
  return row?.rolledUpTo ?? undefined;
}

export interface SessionCounts {
  totalLogins: number;
  totalLogouts: number;
  uniquePlatforms: number;
  uniquePlayers: number;
  loginsByPlatform: Record<string, number>;
  loginsByProvider: Record<string, number>;
}

/** Counts a tenant's logins and logouts in the parts of a range. One statement gives a consistent snapshot. */
export function countSessions(
  db: Querier,
  tenantId: string,
  parts: RangePart<SessionRollupSpan>[],
): Promise<SessionCounts> {
  const ofLedger = parts.filter(({ span }) => span === undefined).map((part) => inLedger(tenantId, part));
  const ofRollups = parts
    .filter(({ span }) => span !== undefined)
    .map((part) => inRollups(tenantId, sql`${part.span}`, part));
  const rows = (columns: Sql, table: Sql) => selectAny(columns, table, ofLedger);
  const rollups = (columns: Sql, table: Sql) => selectAny(columns, table, ofRollups);
  return db.one(sql`
    WITH login AS MATERIALIZED (${rows(sql`player_id, platform, auth_provider`, sql`login_ledger`)}),
    logins AS MATERIALIZED (
      SELECT platform, auth_provider, sum(logins) AS logins
      FROM (
        ${rollups(sql`platform, auth_provider, logins`, sql`login_rollups`)}
        UNION ALL SELECT platform, auth_provider, count(*) FROM login GROUP BY platform, auth_provider) counted
      GROUP BY platform, auth_provider),
    logouts AS (
      ${rollups(sql`logouts`, sql`logout_rollups`)}
      UNION ALL SELECT count(*) FROM (${rows(sql`id`, sql`logout_ledger`)}) logout),
    player AS MATERIALIZED (
      SELECT login.player_id, known.number
      FROM (SELECT DISTINCT player_id FROM login) login
      LEFT JOIN LATERAL ${playerNumberQuery(tenantId)} known ON true),
    page AS (
      SELECT bit_or(players) AS players
      FROM (
        ${rollups(sql`page, players`, sql`player_rollups`)}
        UNION ALL SELECT ${PAGE}, ${PLAYER_BIT} FROM player WHERE number IS NOT NULL) seen
      GROUP BY page)
    SELECT coalesce((SELECT sum(logins) FROM logins), 0)::bigint AS "totalLogins",
           coalesce((SELECT sum(logouts) FROM logouts), 0)::bigint AS "totalLogouts",
           (SELECT count(DISTINCT platform) FROM logins) AS "uniquePlatforms",
           coalesce((SELECT sum(bit_count(players)) FROM page), 0)::bigint
             + (SELECT count(*) FROM player WHERE number IS NULL) AS "uniquePlayers",
           coalesce((SELECT json_object_agg(platform, logins ORDER BY platform) FROM (
             SELECT platform, sum(logins) AS logins FROM logins GROUP BY platform) counted), '{}') AS "loginsByPlatform",
           coalesce((SELECT json_object_agg(auth_provider, logins ORDER BY auth_provider) FROM (
             SELECT auth_provider, sum(logins) AS logins FROM logins GROUP BY auth_provider) counted), '{}') AS "loginsByProvider"`);
}

/** The logins and distinct players of one bucket. */
export interface TimelineRow {
  bucketStart: string;
  logins: number;
  uniquePlayers: number;
}

/** Reads roll-ups of one span, the empty ones included. The range begins and ends on the span. */
export function listRolledUpBuckets(
  db: Querier,
  tenantId: string,
  { span, ...range }: TimeRange & { span: ChartBucket },
): Promise<TimelineRow[]> {
  const rolledUp = inRollups(tenantId, sql`${span}`, range);
  return db.rows(sql`
    SELECT bucket.start AS "bucketStart", coalesce(login.logins, 0)::bigint AS logins,
           coalesce(player.players, 0)::bigint AS "uniquePlayers"
    FROM ${bucketsOf(span, range)}
    LEFT JOIN (
      SELECT starts_at, sum(logins) AS logins FROM login_rollups
      WHERE ${rolledUp}
      GROUP BY starts_at) login ON login.starts_at = bucket.start
    LEFT JOIN (
      SELECT starts_at, sum(bit_count(players)) AS players FROM player_rollups
      WHERE ${rolledUp}
      GROUP BY starts_at) player ON player.starts_at = bucket.start
    ORDER BY bucket.start`);
}

/**
 * Counts the buckets that are not rolled up, the empty ones included. `from` begins a bucket. Hours before `ledgerFrom` are
 * read from roll-ups, the rest from the ledger. One statement, because a game without roll-ups can have 192 such buckets.
 */
export function countOpenBuckets(
  db: Querier,
  tenantId: string,
  { span, from, ledgerFrom, to }: TimeRange & { span: ChartBucket; ledgerFrom: string },
): Promise<TimelineRow[]> {
  const hours = inRollups(tenantId, sql`'hour'`, { from, to: ledgerFrom });
  return db.rows(sql`
    WITH login AS MATERIALIZED (
      SELECT player_id, ${bucketStart(span, sql`received_at_db`)} AS start, count(*) AS logins
      FROM login_ledger
      WHERE ${inLedger(tenantId, { from: ledgerFrom, to })}
      GROUP BY player_id, start),
    player AS MATERIALIZED (
      SELECT login.start, login.player_id, known.number
      FROM login LEFT JOIN LATERAL ${playerNumberQuery(tenantId)} known ON true),
    page AS (
      SELECT start, bit_or(players) AS players
      FROM (
        SELECT ${bucketStart(span, sql`starts_at`)} AS start, page, players FROM player_rollups WHERE ${hours}
        UNION ALL
        SELECT start, ${PAGE}, ${PLAYER_BIT} FROM player WHERE number IS NOT NULL) seen
      GROUP BY start, page),
    counted AS MATERIALIZED (
      SELECT start, sum(logins) AS logins, sum(players) AS players
      FROM (
        SELECT start, logins, 0 AS players FROM login
        UNION ALL SELECT ${bucketStart(span, sql`starts_at`)}, logins, 0 FROM login_rollups WHERE ${hours}
        UNION ALL SELECT start, 0, bit_count(players) FROM page
        UNION ALL SELECT start, 0, 1 FROM player WHERE number IS NULL) seen
      GROUP BY start)
    SELECT bucket.start AS "bucketStart", coalesce(counted.logins, 0)::bigint AS logins,
           coalesce(counted.players, 0)::bigint AS "uniquePlayers"
    FROM ${bucketsOf(span, { from, to })}
    LEFT JOIN counted ON counted.start = bucket.start
    ORDER BY bucket.start`);
}

/** The condition of the roll-ups of a range. `span` is SQL. */
const inRollups = (tenantId: string, span: Sql, { from, to }: TimeRange): Sql =>
  sql`tenant_id = ${tenantId} AND span = ${span} AND starts_at >= ${from} AND starts_at < ${to}`;

/** The starts of the buckets of a range, as the column `start` of `bucket`. */
const bucketsOf = (span: ChartBucket, { from, to }: TimeRange): Sql => sql`
    generate_series(${from}::timestamptz, ${to}::timestamptz - interval '1 microsecond', ${`1 ${span}`}::interval) AS bucket(start)`;

/** Selects the rows that meet one of the conditions, which exclude each other. Each condition has its own query, which uses an index. */
function selectAny(columns: Sql, table: Sql, conditions: Sql[]): Sql {
  return join(
    [sql`false`, ...conditions].map((condition) => sql`SELECT ${columns} FROM ${table} WHERE ${condition}`),
    ' UNION ALL ',
  );
}
