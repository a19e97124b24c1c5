import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, type Answer, type Body } from '../../app/client';
import { useChange } from '../../app/use-change';
import { byCursor, byOffset, whileShort } from '../../components/paging';

export type AnyWorkspace = Answer<'/api/admin/workspaces', 'get'>['items'][number];
export type AnyWorkspaceDetail = Answer<'/api/admin/workspaces/{workspaceId}', 'get'>;
export type FoundPlayer = Answer<'/api/admin/players', 'get'>['items'][number];
export type SigningKey = Answer<'/api/admin/signing-keys', 'get'>['items'][number];
export type JobQueue = Answer<'/api/admin/jobs', 'get'>['items'][number];
export type Mail = Answer<'/api/admin/outbox', 'get'>['items'][number];
export type ComponentHealth = Answer<'/api/admin/health', 'get'>['components'][number];

export const allWorkspacesQuery = (search: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['platform', 'workspaces', search],
    queryFn: ({ pageParam: cursor, signal }) =>
      api.GET('/api/admin/workspaces', { params: { query: { search, cursor, limit: 100 } }, signal }),
    ...byCursor,
  });

export const anyWorkspaceQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['platform', 'workspace', workspaceId],
    queryFn: () => api.GET('/api/admin/workspaces/{workspaceId}', { params: { path: { workspaceId } } }),
  });

export const useChangePlan = (workspaceId: string) =>
  useChange(
    { keys: [['platform'], ['workspace', workspaceId]] },
    (body: Body<'/api/workspaces/{workspaceId}/plan', 'patch'>) =>
      api.PATCH('/api/workspaces/{workspaceId}/plan', { params: { path: { workspaceId } }, body }),
  );

export const findPlayersQuery = (search: string) =>
  queryOptions({
    queryKey: ['platform', 'players', search],
    queryFn: ({ signal }) => api.GET('/api/admin/players', { params: { query: { search } }, signal }),
    // Each search leaves an audit record. So it is sent once, and not again when the window gets the focus.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });

export type DeletionReceipt = Answer<'/api/admin/players/{playerId}/deletion-receipt', 'get'>;

export const deletionReceiptQuery = (playerId: string) =>
  queryOptions({
    queryKey: ['deletion-receipt', playerId],
    queryFn: () =>
      api.GET('/api/admin/players/{playerId}/deletion-receipt', { params: { path: { playerId } } }),
    staleTime: Infinity,
  });

export const deletionReceiptsQuery = infiniteQueryOptions({
  queryKey: ['deletion-receipts'],
  queryFn: ({ pageParam: cursor, signal }) =>
    api.GET('/api/admin/deletion-receipts', { params: { query: { cursor, limit: 100 } }, signal }),
  ...byCursor,
});

export const signingKeysQuery = queryOptions({
  queryKey: ['platform', 'signing-keys'],
  queryFn: () => api.GET('/api/admin/signing-keys'),
});

export const useRotateSigningKeys = () =>
  useChange({ keys: [signingKeysQuery.queryKey] }, (body: Body<'/api/admin/signing-keys/rotate', 'post'>) =>
    api.POST('/api/admin/signing-keys/rotate', { body }),
  );

const WATCH_MS = 5_000;

export const healthQuery = queryOptions({
  queryKey: ['platform', 'health'],
  queryFn: () => api.GET('/api/admin/health'),
  refetchInterval: WATCH_MS,
});

export const jobsQuery = queryOptions({
  queryKey: ['platform', 'jobs'],
  queryFn: () => api.GET('/api/admin/jobs'),
  refetchInterval: WATCH_MS,
});

export const outboxQuery = infiniteQueryOptions({
  queryKey: ['outbox'],
  queryFn: ({ pageParam: offset, signal }) =>
    api.GET('/api/admin/outbox', { params: { query: { limit: 100, offset } }, signal }),
  ...byOffset,
  refetchInterval: whileShort(WATCH_MS),
});
