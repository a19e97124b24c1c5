import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, type Answer } from '../../app/client';

type ProviderList = Answer<'/api/bus_tenants/{tenantId}/providers', 'get'>;
export type Provider = ProviderList['items'][number];
export type ProviderName = Provider['provider'];

export const providersQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['providers', tenantId],
    queryFn: () => api.GET('/api/bus_tenants/{tenantId}/providers', { params: { path: { tenantId } } }),
  });

export function useSetProvider(tenantId: string, provider: ProviderName) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: { enabled: boolean; settings?: Record<string, unknown> }) =>
      api.PUT('/api/bus_tenants/{tenantId}/providers/{provider}', {
        params: { path: { tenantId, provider } },
        body,
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['providers', tenantId] }),
  });
}
