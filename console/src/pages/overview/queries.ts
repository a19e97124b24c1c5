import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../app/client';
import { limitsOf, ranges, type RangeName } from '../../components/range';

/** Sign-ins, players and their providers in a range, or in the range before it. */
export const signInsQuery = (tenantId: string, range: RangeName, periodsAgo = 0) =>
  queryOptions({
    queryKey: ['sign-ins', tenantId, range, periodsAgo],
    queryFn: ({ signal }) =>
      api.GET('/api/bus_tenants/{tenantId}/sessions/analytics', {
        params: { path: { tenantId }, query: limitsOf(range, periodsAgo) },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: periodsAgo === 0 ? 30_000 : false,
  });

export const signInTimelineQuery = (tenantId: string, range: RangeName) => {
  const bucket = ranges[range].bucket === 'day' ? 'day' : 'hour';
  return queryOptions({
    queryKey: ['sign-in-timeline', tenantId, range],
    queryFn: ({ signal }) =>
      api.GET('/api/bus_tenants/{tenantId}/sessions/timeline', {
        params: { path: { tenantId }, query: { from: limitsOf(range).from, bucket } },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
};

export const recentAlertsQuery = (workspaceId: string, tenantId: string) =>
  queryOptions({
    queryKey: ['alerts', 'recent', workspaceId, tenantId],
    queryFn: () =>
      api.GET('/api/workspaces/{workspaceId}/alerts', {
        params: { path: { workspaceId }, query: { tenantId, limit: 5 } },
      }),
    refetchInterval: 60_000,
  });
