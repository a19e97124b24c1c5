import type { ChartBucket } from '../../../../core/time-range.ts';
import type { Querier } from '../../../../database/database.ts';
import { empty, sql, type Sql } from '../../../../database/sql.ts';
import { bucketStart } from '../../../../database/time-buckets.ts';
import { unionArchived, type ArchivedGroup } from '../archive/reading/count-archived.ts';
import { countSource, type CountPath } from './queries.ts';
import type { RangeFilter } from '../rollups/counted-events.ts';

/** The groups of the rows of a summary. */
export const SUMMARY_GROUPS = ['definition', 'eventKey', 'time'] as const;
export type SummaryGroup = (typeof SUMMARY_GROUPS)[number];

/** The events of a group in a time bucket. Has the members of the group. */
export interface SummaryRow {
  bucketStart: string;
  eventDefinitionId?: string;
  eventKey?: string;
  eventValue?: string | null;
  count: number;
}

/** The maximum of `top`. */
export const MAX_TOP = 100;

export interface SummaryOptions {
  bucket: ChartBucket;
  groupBy: SummaryGroup;
  /** The number of groups with the most events in the whole range. All others have no rows. */
  top: number;
}

/** Counts the events of each group in each time bucket. */
export function countEvents(
  db: Querier,
  tenantId: string,
  filter: RangeFilter,
  options: SummaryOptions & { path: CountPath; archived: ArchivedGroup[]; limit: number },
): Promise<SummaryRow[]> {
  const { bucket, groupBy, top, path, archived, limit } = options;
  const byDefinition = groupBy !== 'time';
  /** The counts of a bucket, or of the whole range. */
  const counts = (width: ChartBucket | undefined, only?: Sql): Sql => {
    const { from, time, definitionId, events } = countSource(tenantId, filter, path, {
      bucket: width,
      byDefinition,
      only,
    });
    // A repeated event may be subtracted from the only count of its definition.
    return sql`
      SELECT ${width ? bucketStart(width, time) : sql`NULL::timestamptz`} AS start,
             ${byDefinition ? definitionId : sql`NULL::uuid`} AS definition_id, ${events}::numeric AS count
      ${from} GROUP BY 1, 2 HAVING ${events} > 0
      ${unionArchived(archived, sql`start, definition_id, events`)}`;
  };
  if (!byDefinition)
    return db.rows(sql`
      SELECT start AS "bucketStart", sum(count)::bigint AS count FROM (${counts(bucket)}) part
      GROUP BY 1 ORDER BY 1 LIMIT ${limit}`);

  const [group, members] =
    groupBy === 'definition'
      ? [sql`id`, sql`id AS "eventDefinitionId", event_key AS "eventKey", event_value AS "eventValue"`]
      : [sql`event_key`, sql`event_key AS "eventKey"`];
  /**
   * Definitions with the position of their group. Each is one row with its counts in arrays, so that it is looked up once, and groups
   * are added up without a join.
   */
  const ranked = (part: Sql): Sql => sql`
    SELECT *, dense_rank() OVER (ORDER BY group_total DESC, ${group}) AS position
    FROM (
      SELECT definition.*, counted.*, sum(total) OVER (PARTITION BY ${group}) AS group_total
      FROM (
        SELECT definition_id, array_agg(start) AS starts, array_agg(count) AS counts, sum(count) AS total
        FROM (${part}) part GROUP BY 1) counted
      CROSS JOIN LATERAL (
        SELECT id, event_key, event_value FROM event_definitions
        WHERE tenant_id = ${tenantId} AND id = counted.definition_id OFFSET 0) definition) named`;
  // The largest groups of a range are found in its longest spans: 7 days of 5,000 definitions are 840,000 hours, and a quarter of that in
  // days and the hours at its ends.
  const findsLargest = path === 'rollups' && top <= MAX_TOP;
  const largest = findsLargest
    ? sql`WITH largest AS MATERIALIZED (
        SELECT definition_id FROM (${ranked(counts(undefined))}) whole WHERE position <= ${top})`
    : empty;
  const ofLargest = findsLargest ? sql`SELECT definition_id FROM largest` : undefined;
  return db.rows(sql`
    ${largest}
    SELECT bucket.start AS "bucketStart", ${members}, sum(bucket.count)::bigint AS count
    FROM (${ranked(counts(bucket, ofLargest))}) ranked
    CROSS JOIN LATERAL unnest(starts, counts) AS bucket (start, count)
    WHERE position <= ${top}
    GROUP BY bucket.start, ${groupBy === 'definition' ? sql`id, event_key, event_value` : group}
    ORDER BY bucket.start, count DESC, ${group}
    LIMIT ${limit}`);
}
