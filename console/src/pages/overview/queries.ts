import { queryOptions } from '@tanstack/react-query';
import { api } from '../../app/client';
import { bucketsOf, periodOf, ranges, type RangeName } from '../../components/range';
import { eventCountsQuery, totalOf, type EventScope } from '../events/queries';

/** Sign-ins, players and their providers in a range, or in the range before it. */
export const signInsQuery = (tenantId: string, range: RangeName, periodsAgo = 0) =>
  queryOptions({
    queryKey: ['sign-ins', tenantId, range, periodsAgo],
    queryFn: ({ signal }) =>
      api.GET('/api/bus_tenants/{tenantId}/sessions/analytics', {
        params: { path: { tenantId }, query: periodOf(range, periodsAgo) },
        signal,
      }),
    refetchInterval: periodsAgo === 0 ? 30_000 : 60_000,
  });

export const signInTimelineQuery = (tenantId: string, range: RangeName) =>
  queryOptions({
    queryKey: ['sign-in-timeline', tenantId, range],
    queryFn: ({ signal }) =>
      api.GET('/api/bus_tenants/{tenantId}/sessions/timeline', {
        params: { path: { tenantId }, query: { from: periodOf(range).from, bucket: ranges[range].bucket } },
        signal,
      }),
    refetchInterval: 60_000,
  });

/** The number of events in each time bucket. Other pages do not read it again by themselves. */
export const eventFigureQuery = (tenantId: string, scope: EventScope, range: RangeName) =>
  queryOptions({ ...eventCountsQuery(tenantId, { scope }, range), refetchInterval: 60_000 });

/** The number of events in the range before. */
export const eventsBeforeQuery = (tenantId: string, scope: EventScope, range: RangeName) =>
  queryOptions({
    queryKey: ['events-before', tenantId, scope, range],
    queryFn: async ({ signal }) => {
      const { items } = await api.GET('/api/bus_tenants/{tenantId}/events/summary', {
        params: { path: { tenantId }, query: { scope, ...bucketsOf(range, 1), groupBy: 'time' } },
        signal,
      });
      return totalOf(items);
    },
    refetchInterval: 60_000,
  });

export const recentAlertsQuery = (workspaceId: string, tenantId: string) =>
  queryOptions({
    queryKey: ['alerts', 'recent', workspaceId, tenantId],
    queryFn: () =>
      api.GET('/api/workspaces/{workspaceId}/alerts', {
        params: { path: { workspaceId }, query: { tenantId, limit: 5 } },
      }),
    refetchInterval: 60_000,
  });

/** The events of the last hour by minute and scope, read again every five seconds. */
export const eventsPerMinuteQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['events-per-minute', tenantId],
    queryFn: async ({ signal }) => {
      // One hour for both, so that their lines have the same times.
      const hour = { ...bucketsOf('1h'), groupBy: 'time' } as const;
      const read = (scope: EventScope) =>
        api.GET('/api/bus_tenants/{tenantId}/events/summary', {
          params: { path: { tenantId }, query: { scope, ...hour } },
          signal,
        });
      const [match, player] = await Promise.all([read('match'), read('player')]);
      return { match, player };
    },
    refetchInterval: 5_000,
  });
