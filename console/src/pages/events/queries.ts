import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query';
import { api, type Answer } from '../../app/client';
import { MAX_SERIES } from '../../app/theme';
import { byCursor } from '../../components/paging';
import {
  bucketsOf,
  isInterval,
  limitsOf,
  toRange,
  type Interval,
  type RangeName,
} from '../../components/range';

type EventPage = Answer<'/api/bus_tenants/{tenantId}/events', 'get'>;
export type StoredEvent = EventPage['items'][number];
export type EventSummary = Answer<'/api/bus_tenants/{tenantId}/events/summary', 'get'>;
export type EventQueryAnswer = Answer<'/api/bus_tenants/{tenantId}/queries', 'post'>;
export type EventScope = 'match' | 'player';

export interface EventFilter {
  scope: EventScope;
  eventKey?: string | undefined;
  eventValue?: string | undefined;
  playerId?: string | undefined;
  matchSessionId?: string | undefined;
}

/** The time of a chart. */
export type ChartRange = RangeName | Interval;

/** Any time has no chart, because the server counts at most 1,500 buckets. */
export type EventRange = ChartRange | 'any';

export const toEventRange = (range: string | undefined): EventRange =>
  range === 'any' || isInterval(range) ? range : toRange(range, '1h');

/** Whether the filters or an interval leave events out that a game sends now. */
export const leavesOut = ({ scope: _, ...filters }: EventFilter, range: EventRange): boolean =>
  isInterval(range) || Object.values(filters).some((value) => value !== undefined);

/** The first events of a time range appear by themselves. Filters are not read again and again, because that can take seconds. */
const untilFirst =
  (filter: EventFilter, range: EventRange) =>
  ({ items }: { items: unknown[] }): number | false =>
    items.length === 0 && !leavesOut(filter, range) && 2_000;

type EventQuery = EventFilter & { from?: string; to?: string; cursor?: string | undefined; limit: number };

/** Reads a page of events. Pages that are empty while the server looks through archived events are left out. */
async function readEvents(tenantId: string, query: EventQuery, signal: AbortSignal): Promise<EventPage> {
  const page = await api.GET('/api/bus_tenants/{tenantId}/events', {
    params: { path: { tenantId }, query },
    signal,
  });
  return page.items.length === 0 && page.hasMore
    ? readEvents(tenantId, { ...query, cursor: page.nextCursor }, signal)
    : page;
}

const PAGE_SIZE = 200;

export const eventsQuery = (tenantId: string, filter: EventFilter, range: EventRange) =>
  infiniteQueryOptions({
    queryKey: ['events', tenantId, filter, range],
    queryFn: ({ pageParam: cursor, signal }) =>
      readEvents(tenantId, { ...filter, ...limitsOf(range), cursor, limit: PAGE_SIZE }, signal),
    ...byCursor,
    refetchOnWindowFocus: !leavesOut(filter, range),
    refetchInterval: ({ state: { data } }) => data && untilFirst(filter, range)(data.pages[0]!),
  });

export type RejectedEventGroup = Answer<
  '/api/bus_tenants/{tenantId}/rejected-events',
  'get'
>['items'][number];

export const totalOf = (items: { count: number }[]): number =>
  items.reduce((sum, { count }) => sum + count, 0);

/** The refused events by reason and names, read again every ten seconds. */
export const rejectedEventsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['rejected-events', tenantId],
    queryFn: ({ signal }) =>
      api.GET('/api/bus_tenants/{tenantId}/rejected-events', { params: { path: { tenantId } }, signal }),
    refetchInterval: 10_000,
  });

const TAIL_MS = 1_000;
export const TAIL_SIZE = 100;
/** How far the live tail looks back. */
export const TAIL_RANGE: RangeName = '24h';

/** The newest events of the last 24 hours, read again every second while the tail is on. */
export function useEventTail(tenantId: string, filter: EventFilter, { enabled }: { enabled: boolean }) {
  return useQuery({
    queryKey: ['event-tail', tenantId, filter],
    queryFn: ({ signal }) =>
      readEvents(tenantId, { ...filter, ...limitsOf(TAIL_RANGE), limit: TAIL_SIZE }, signal),
    refetchInterval: TAIL_MS,
    enabled,
  });
}

export const recentEventsQuery = (tenantId: string, filter: EventFilter) =>
  queryOptions({
    queryKey: ['events', 'recent', tenantId, filter],
    queryFn: ({ signal }) => readEvents(tenantId, { ...filter, limit: 50 }, signal),
  });

const summaryQuery = (
  tenantId: string,
  filter: EventFilter,
  range: ChartRange,
  groups: { groupBy: 'time' } | { groupBy: 'eventKey'; top: number },
) =>
  queryOptions({
    queryKey: ['event-summary', tenantId, filter, range, groups],
    queryFn: ({ signal }) =>
      api.GET('/api/bus_tenants/{tenantId}/events/summary', {
        params: {
          path: { tenantId },
          query: { ...filter, ...bucketsOf(range), ...groups },
        },
        signal,
      }),
    refetchInterval: ({ state: { data } }) => data && untilFirst(filter, range)(data),
  });

/** The number of events in each time bucket. */
export const eventCountsQuery = (tenantId: string, filter: EventFilter, range: ChartRange) =>
  summaryQuery(tenantId, filter, range, { groupBy: 'time' });

/** The most frequent keys, and the number of their events in each time bucket. */
export const frequentKeysQuery = (tenantId: string, filter: EventFilter, range: ChartRange) =>
  summaryQuery(tenantId, filter, range, { groupBy: 'eventKey', top: MAX_SERIES + 1 });

/** What the chart can show instead of the number of events. The names are those of the members of a row of a query. */
export const figures = { players: 'Players', valueSum: 'Sum of values' } as const;
export type Figure = keyof typeof figures;

export const toFigure = (name: string | undefined): Figure | undefined =>
  name !== undefined && Object.hasOwn(figures, name) ? (name as Figure) : undefined;

/** A query has at most this many rows, and at most 366 days. */
const MAX_ROWS = 1_000;

/**
 * A figure of the events in each time bucket. To count players, the server reads all events of the range, which may take 15 seconds. So
 * a return to the window does not read it again.
 */
export const figureQuery = (tenantId: string, filter: EventFilter, range: ChartRange, figure: Figure) => {
  const { scope, eventKey, eventValue, playerId, matchSessionId } = filter;
  return queryOptions({
    queryKey: ['event-figure', tenantId, filter, range, figure],
    queryFn: ({ signal }) =>
      api.POST('/api/bus_tenants/{tenantId}/queries', {
        params: { path: { tenantId } },
        body: {
          scope,
          ...bucketsOf(range),
          where: {
            ...(eventKey !== undefined && { eventKeys: [eventKey] }),
            ...(eventValue !== undefined && { eventValues: [eventValue] }),
            ...(playerId !== undefined && { playerIds: [playerId] }),
            ...(matchSessionId !== undefined && { matchSessionId }),
          },
          countPlayers: figure === 'players',
          limit: MAX_ROWS,
        },
        signal,
      }),
    refetchOnWindowFocus: false,
    refetchInterval: ({ state: { data } }) => data && untilFirst(filter, range)({ items: data.rows }),
  });
};

/** Requests an export of the events that match the filter. */
export const requestExport = (
  tenantId: string,
  filter: EventFilter,
  range: EventRange,
  format: 'csv' | 'ndjson',
  signal: AbortSignal,
): Promise<Response> =>
  api.GET('/api/bus_tenants/{tenantId}/events/export', {
    params: { path: { tenantId }, query: { ...filter, ...limitsOf(range), format } },
    readAs: 'response',
    signal,
  });
