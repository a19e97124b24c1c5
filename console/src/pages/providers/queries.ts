import { queryOptions } from '@tanstack/react-query';
import { api, type Answer } from '../../app/client';
import { useChange } from '../../app/use-change';

type ProviderList = Answer<'/api/bus_tenants/{tenantId}/providers', 'get'>;
export type Provider = ProviderList['items'][number];
export type ProviderName = Provider['provider'];

export const providersQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['providers', tenantId],
    queryFn: () => api.GET('/api/bus_tenants/{tenantId}/providers', { params: { path: { tenantId } } }),
  });

const PROVIDER = '/api/bus_tenants/{tenantId}/providers/{provider}';

/** Turns a provider on or off. Its stored settings stay. */
export const useSetProvider = (tenantId: string, provider: ProviderName) =>
  useChange({ keys: [['providers', tenantId]] }, (body: { enabled: boolean }) =>
    api.PUT(PROVIDER, { params: { path: { tenantId, provider } }, body }),
  );

/** Changes settings of a provider. The request replaces all of them, so the others are read first. */
export const useSaveProviderSettings = (tenantId: string, provider: ProviderName) =>
  useChange({ keys: [['providers', tenantId]] }, async (changes: Record<string, unknown>) => {
    const params = { path: { tenantId, provider } };
    const { enabled, settings } = await api.GET(PROVIDER, { params });
    return api.PUT(PROVIDER, { params, body: { enabled, settings: { ...settings, ...changes } } });
  });
