import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, type Answer } from '../../app/client';
import { byCursor } from '../../components/paging';
import { limitsOf } from '../../components/range';

export type MatchPage = Answer<'/api/bus_tenants/{tenantId}/matches', 'get'>;
export type ListedMatch = MatchPage['items'][number];
export type Match = Answer<'/api/bus_tenants/{tenantId}/matches/{matchSessionId}', 'get'>;

export interface MatchFilter {
  state?: string | undefined;
  range?: string | undefined;
  playerId?: string | undefined;
}

export const matchesQuery = (tenantId: string, { state, range, playerId }: MatchFilter) =>
  infiniteQueryOptions({
    queryKey: ['matches', tenantId, { state, range, playerId }],
    queryFn: ({ pageParam: cursor, signal }) =>
      api.GET('/api/bus_tenants/{tenantId}/matches', {
        params: {
          path: { tenantId },
          query: {
            state: state as 'running' | undefined,
            playerId,
            ...limitsOf(range),
            cursor,
            limit: 100,
          },
        },
        signal,
      }),
    ...byCursor,
  });

/** A running match is read again every five seconds. */
export const readAgainEvery = ({ endedAt }: Pick<Match, 'endedAt'>): number | false =>
  endedAt === null && 5_000;

export const matchQuery = (tenantId: string, matchSessionId: string) =>
  queryOptions({
    queryKey: ['match', tenantId, matchSessionId],
    queryFn: () =>
      api.GET('/api/bus_tenants/{tenantId}/matches/{matchSessionId}', {
        params: { path: { tenantId, matchSessionId } },
      }),
    refetchInterval: ({ state }) => state.data && readAgainEvery(state.data),
  });
