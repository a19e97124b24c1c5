import { queryOptions } from '@tanstack/react-query';
import { api } from '../../app/client';

/**
 * The newest player of a game. It is read again every two seconds until there is one. By the first sign-in, because an order by the last
 * one reads all players of its hour.
 */
export const firstPlayersQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['first-players', tenantId],
    queryFn: () =>
      api.GET('/api/bus_tenants/{tenantId}/players', {
        params: { path: { tenantId }, query: { limit: 1, sort: '-firstSeenAt' } },
      }),
    refetchInterval: ({ state }) => (state.data?.totalCount ? false : 2_000),
  });

/** The newest event of a game, of either scope. It is read again every two seconds until there is one. */
export const firstEventQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['first-event', tenantId],
    queryFn: async () => {
      const pages = await Promise.all(
        (['player', 'match'] as const).map((scope) =>
          api.GET('/api/bus_tenants/{tenantId}/events', {
            params: { path: { tenantId }, query: { scope, limit: 1 } },
          }),
        ),
      );
      return pages.flatMap(({ items }) => items)[0] ?? null;
    },
    refetchInterval: ({ state }) => (state.data ? false : 2_000),
  });
