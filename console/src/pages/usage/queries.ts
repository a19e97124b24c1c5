import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query';
import { api, type Answer } from '../../app/client';
import { useChange } from '../../app/use-change';
import { byOffset, LARGEST_PAGE } from '../../components/paging';
import { daysOf } from './periods';

export type Quota = Answer<'/api/workspaces/{workspaceId}/quota', 'get'>;

export const quotaQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['quota', workspaceId],
    queryFn: () => api.GET('/api/workspaces/{workspaceId}/quota', { params: { path: { workspaceId } } }),
    refetchInterval: 60_000,
  });

export const workspaceQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId],
    queryFn: () => api.GET('/api/workspaces/{workspaceId}', { params: { path: { workspaceId } } }),
    staleTime: 60_000,
  });

export type UsageReport = Answer<'/api/workspaces/{workspaceId}/usage', 'get'>;
export type UsageItem = UsageReport['items'][number];
export type Grouping = UsageReport['groupBy'];

/** The days of a report, and the game or the key that it is restricted to. `to` is not included. */
interface UsageFilter {
  from: string;
  to: string;
  tenantId?: string | undefined;
  keyId?: string | undefined;
}

export const usageQuery = (workspaceId: string, groupBy: Grouping, filter: UsageFilter) =>
  queryOptions({
    queryKey: ['usage', workspaceId, groupBy, filter],
    queryFn: ({ signal }) =>
      api.GET('/api/workspaces/{workspaceId}/usage', {
        params: { path: { workspaceId }, query: { groupBy, ...filter } },
        signal,
      }),
    // The rows of another grouping have other columns.
    placeholderData: (rows, query) => (query?.queryKey[2] === groupBy ? rows : undefined),
  });

/** What the keys with usage in the last 30 days are called, by id: one request for the keys of all games of a workspace. */
export function useKeyNames(workspaceId: string, { enabled } = { enabled: true }): Map<string, string> {
  const { data } = useQuery({ ...usageQuery(workspaceId, 'key', daysOf('30d')), enabled });
  return new Map(data?.items.flatMap(({ keyId, keyName }) => (keyId && keyName ? [[keyId, keyName]] : [])));
}

export type PaidKey = Answer<'/api/workspaces/{workspaceId}/paid-keys', 'get'>['items'][number];

export const paidKeysQuery = (workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: ['paid-keys', workspaceId],
    queryFn: ({ pageParam: offset, signal }) =>
      api.GET('/api/workspaces/{workspaceId}/paid-keys', {
        params: { path: { workspaceId }, query: { limit: LARGEST_PAGE, offset } },
        signal,
      }),
    ...byOffset,
  });

export const useEndPayment = (workspaceId: string) =>
  useChange({ keys: [paidKeysQuery(workspaceId).queryKey] }, (keyId: string) =>
    api.DELETE('/api/workspaces/{workspaceId}/paid-keys/{keyId}', {
      params: { path: { workspaceId, keyId } },
    }),
  );
