import { invalidField, ProblemError } from '../../../../core/problem.ts';
import { DAY_MS, requireFewBuckets, type TimeRange } from '../../../../core/time-range.ts';
import { toMicroseconds } from '../../../../core/timestamps.ts';
import { isTimeout } from '../../../../database/errors.ts';
import { limitStatements } from '../../../../database/limit-statements.ts';
import { queryTimeout, secondsLeft } from '../archive/reading/read-limits.ts';
import { countArchived } from '../archive/reading/count-archived.ts';
import { requireConsistent, withMergedProfiles, type EventFilter } from '../event-filter.ts';
import { chooseAccessPath, chooseCountPath, MAX_BUCKETS, timesToCount } from './queries.ts';
import { groupEvents, idsOf, type Grouping } from './query-sql.ts';
import type { EventSources } from '../event-sources.ts';

/** A query of stored events (docs/decisions/0050-query-language.md). */
export interface EventQuery extends Grouping {
  filter: EventFilter & TimeRange;
  limit: number;
}

const MAX_DAYS = 366;

/** On two busy cores, 2 million events take 1 second, 4 seconds in groups, and 10 to 15 with the players of each group. */
export const QUERY_SECONDS = 15;

/**
 * Counts the events of a tenant by group, archived ones included. Throws `invalid_request` if the range is too long, `query_timeout` if
 * the answer takes longer than `seconds`, and `archive_unavailable` if this server cannot read the archive. If `signal` is aborted,
 * PostgreSQL and DuckDB stop within a second.
 */
export async function queryEvents(
  { database, archive }: EventSources,
  tenantId: string,
  { filter, limit, ...grouping }: EventQuery,
  { signal, seconds = QUERY_SECONDS }: { signal?: AbortSignal; seconds?: number } = {},
) {
  const { bucket } = grouping;
  const ids = idsOf(grouping);
  requireConsistent(filter);
  if (filter.scope === 'player' && ids.byMatch)
    throw invalidField('groupBy', 'must not contain matchSessionId if scope is player');
  const range = { from: toMicroseconds(filter.from)!, to: toMicroseconds(filter.to)! };
  checkRange(range, bucket);
  try {
    const rows = await database.heavy.forTenant(tenantId, { signal }).transaction(async (transaction) => {
      await limitStatements(transaction, seconds);
      // The time does not include the waits for a turn and for the end of a change of partitions.
      const began = performance.now();
      const found = await withMergedProfiles(transaction, tenantId, { ...filter, ...range });
      // Roll-ups do not know players and matches.
      const path =
        ids.byPlayer || ids.byMatch
          ? await chooseAccessPath(transaction, tenantId, found)
          : await chooseCountPath(transaction, tenantId, found);
      const archived = await countArchived(
        transaction,
        archive,
        tenantId,
        {
          filter: found,
          ranges: timesToCount(path, range, bucket),
          bucket,
          ...ids,
        },
        { seconds, began, signal },
      );
      await limitStatements(transaction, secondsLeft(seconds, began));
      return groupEvents(transaction, tenantId, {
        filter: found,
        grouping,
        path,
        archived,
        limit: limit + 1,
      });
    });
    return { ...range, rows: rows.slice(0, limit), hasMore: rows.length > limit };
  } catch (error) {
    if (signal?.aborted)
      throw new ProblemError('request_timeout', 'The client disconnected before the answer.');
    throw isTimeout(error) ? queryTimeout(seconds) : error;
  }
}

function checkRange(range: TimeRange, bucket: Grouping['bucket']): void {
  if (Date.parse(range.to) - Date.parse(range.from) > MAX_DAYS * DAY_MS)
    throw invalidField(
      'from',
      `must be at most ${MAX_DAYS} days before to`,
      `The range is longer than ${MAX_DAYS} days. Send one query for each part.`,
    );
  if (bucket) requireFewBuckets(range, bucket, MAX_BUCKETS);
}
