import {
  experimental_streamedQuery as streamedQuery,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { api, type Answer, type Body } from '../../app/client';

type Listed = Answer<'/api/bus_tenants/{tenantId}/event-definitions', 'get'>;
type DefinitionPage = Extract<Listed, { items: unknown }>;
export type Definition = DefinitionPage['items'][number];
export type ImportResult = Answer<'/api/bus_tenants/{tenantId}/event-definitions/import', 'post'>;
export type NewDefinition = Body<'/api/bus_tenants/{tenantId}/event-definitions', 'post'>;
export type DefinitionChange = Body<'/api/bus_tenants/{tenantId}/event-definitions/{definitionId}', 'patch'>;

/** The first page has what a window shows. The others are larger, so that they are few. */
const FIRST_PAGE_SIZE = 200;
const PAGE_SIZE = 1_000;

/**
 * All definitions of a game, inactive ones included. A game has at most some thousands, so they are filtered here. The table shows the
 * first page while the others load.
 */
export const definitionsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['definitions', tenantId],
    queryFn: streamedQuery({
      streamFn: ({ signal }) => readPages(tenantId, signal),
      reducer: (all: Definition[], page: Definition[]) => [...all, ...page],
      initialValue: [],
      refetchMode: 'replace',
    }),
  });

async function* readPages(tenantId: string, signal: AbortSignal): AsyncGenerator<Definition[]> {
  for (let offset = 0, limit = FIRST_PAGE_SIZE; ; offset += limit, limit = PAGE_SIZE) {
    const query = { paged: true, includeInactive: true, limit, offset };
    const { items } = (await api.GET('/api/bus_tenants/{tenantId}/event-definitions', {
      params: { path: { tenantId }, query },
      signal,
    })) as DefinitionPage;
    yield items;
    if (items.length < limit) return;
  }
}

export const definitionSettingsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['definition-settings', tenantId],
    queryFn: () =>
      api.GET('/api/bus_tenants/{tenantId}/event-definitions/settings', { params: { path: { tenantId } } }),
  });

function useDefinitionChange<Input, Output>(tenantId: string, change: (input: Input) => Promise<Output>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['definitions', tenantId] }),
  });
}

export function useCreateDefinition(tenantId: string) {
  return useDefinitionChange(tenantId, (body: NewDefinition) =>
    api.POST('/api/bus_tenants/{tenantId}/event-definitions', { params: { path: { tenantId } }, body }),
  );
}

export function useChangeDefinition(tenantId: string) {
  return useDefinitionChange(
    tenantId,
    ({ definitionId, ...body }: DefinitionChange & { definitionId: string }) =>
      api.PATCH('/api/bus_tenants/{tenantId}/event-definitions/{definitionId}', {
        params: { path: { tenantId, definitionId } },
        body,
      }),
  );
}

export function useImportDefinitions(tenantId: string) {
  return useDefinitionChange(
    tenantId,
    ({ file, overwriteExisting }: { file: File; overwriteExisting: boolean }) => {
      const body = new FormData();
      // Fields before the file, because the server reads the form in order.
      body.append('overwriteExisting', String(overwriteExisting));
      body.append('file', file);
      return api.POST('/api/bus_tenants/{tenantId}/event-definitions/import', {
        params: { path: { tenantId } },
        body,
      });
    },
  );
}

/** Shown at once, and rolled back if the server refuses. */
export function useSetAutoCreate(tenantId: string) {
  const queryClient = useQueryClient();
  const { queryKey } = definitionSettingsQuery(tenantId);
  return useMutation({
    mutationFn: (autoCreate: boolean) =>
      api.PATCH('/api/bus_tenants/{tenantId}/event-definitions/settings', {
        params: { path: { tenantId } },
        body: { autoCreate },
      }),
    onMutate: (autoCreate) => {
      const before = queryClient.getQueryData(queryKey);
      queryClient.setQueryData(queryKey, { autoCreate });
      return before;
    },
    onError: (_error, _autoCreate, before) => queryClient.setQueryData(queryKey, before),
  });
}

export function useExportDefinitions(tenantId: string) {
  return useMutation({
    mutationFn: () =>
      api.GET('/api/bus_tenants/{tenantId}/event-definitions/export', {
        params: { path: { tenantId }, query: { includeInactive: true } },
        readAs: 'blob',
      }),
  });
}
