import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, type Answer } from '../../app/client';
import { byOffset, whileShort } from '../../components/paging';
import { limitsOf } from '../../components/range';

export type Alert = Answer<'/api/workspaces/{workspaceId}/alerts', 'get'>['items'][number];

interface AlertFilter {
  type?: string | undefined;
  tenantId?: string | undefined;
  range?: string | undefined;
}

const PAGE_SIZE = 100;

export const alertsQuery = (workspaceId: string, { type, tenantId, range }: AlertFilter) =>
  infiniteQueryOptions({
    queryKey: ['alerts', workspaceId, { type, tenantId, range }],
    queryFn: ({ pageParam: offset, signal }) =>
      api.GET('/api/workspaces/{workspaceId}/alerts', {
        params: {
          path: { workspaceId },
          query: {
            limit: PAGE_SIZE,
            offset,
            type: type as Alert['type'] | undefined,
            tenantId,
            ...limitsOf(range),
          },
        },
        signal,
      }),
    ...byOffset,
    refetchInterval: whileShort(60_000),
  });
