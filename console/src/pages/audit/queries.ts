import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, type Answer } from '../../app/client';
import { byCursor } from '../../components/paging';
import { limitsOf } from '../../components/range';

type AuditPage = Answer<'/api/admin/audit-records', 'get'>;
export type AuditRecord = AuditPage['items'][number];

export interface AuditFilter {
  action?: string | undefined;
  actorId?: string | undefined;
  targetId?: string | undefined;
  range?: string | undefined;
}

/** Whose records a page shows. */
export type AuditScope =
  | { kind: 'game'; tenantId: string }
  | { kind: 'workspace'; workspaceId: string }
  | { kind: 'platform' };

export const auditQuery = (scope: AuditScope, filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', scope, filter],
    queryFn: ({ pageParam: cursor, signal }) => readPage(scope, filter, cursor, signal),
    ...byCursor,
  });

function readPage(
  scope: AuditScope,
  { action, actorId, targetId, range }: AuditFilter,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<AuditPage> {
  const query = { action, actorId, targetId, ...limitsOf(range), cursor, limit: 100 };
  switch (scope.kind) {
    case 'game':
      return api.GET('/api/bus_tenants/{tenantId}/audit-records', {
        params: { path: { tenantId: scope.tenantId }, query },
        signal,
      });
    case 'workspace':
      return api.GET('/api/workspaces/{workspaceId}/audit-records', {
        params: { path: { workspaceId: scope.workspaceId }, query },
        signal,
      });
    case 'platform':
      return api.GET('/api/admin/audit-records', { params: { query }, signal });
  }
}

/** The newest audit records of a game, for its overview. */
export const recentAuditQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['audit', 'recent', tenantId],
    queryFn: () =>
      api.GET('/api/bus_tenants/{tenantId}/audit-records', {
        params: { path: { tenantId }, query: { limit: 8 } },
      }),
    refetchInterval: 60_000,
  });
