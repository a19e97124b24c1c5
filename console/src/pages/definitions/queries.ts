import {
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
  type InfiniteData,
} from '@tanstack/react-query';
import { api, type Answer, type Body } from '../../app/client';
import { optimistic } from '../../app/optimistic';
import { readAgain, useChange } from '../../app/use-change';
import { choicesOf } from '../../components/format';
import { byOffset } from '../../components/paging';
import { definitionName } from './definition-name';

type Listed = Answer<'/api/bus_tenants/{tenantId}/event-definitions', 'get'>;
type DefinitionPage = Extract<Listed, { items: unknown }>;
export type Definition = DefinitionPage['items'][number];
export type ImportResult = Answer<'/api/bus_tenants/{tenantId}/event-definitions/import', 'post'>;
type NewDefinition = Body<'/api/bus_tenants/{tenantId}/event-definitions', 'post'>;
type DefinitionChange = Body<'/api/bus_tenants/{tenantId}/event-definitions/{definitionId}', 'patch'>;

const PAGE_SIZE = 200;

export interface DefinitionFilter {
  search?: string | undefined;
  scope?: string | undefined;
  inactive?: string | undefined;
}

/** The definitions of a game, inactive ones included. The server searches, filters and sorts them. */
export const definitionsQuery = (tenantId: string, { search, scope, inactive }: DefinitionFilter) =>
  infiniteQueryOptions({
    queryKey: ['definitions', tenantId, { search, scope, inactive }],
    queryFn: ({ pageParam: offset, signal }) =>
      api.GET('/api/bus_tenants/{tenantId}/event-definitions', {
        params: {
          path: { tenantId },
          query: {
            paged: true,
            includeInactive: true,
            isActive: inactive === undefined ? undefined : inactive === 'false',
            eventScope: scope as Definition['eventScope'] | undefined,
            search,
            limit: PAGE_SIZE,
            offset,
          },
        },
        signal,
      }) as Promise<DefinitionPage>,
    ...byOffset,
  });

/** What the definitions on the first page of their list are called, by id. */
export function useDefinitionNames(tenantId: string, { enabled }: { enabled: boolean }): Map<string, string> {
  const { data } = useInfiniteQuery({ ...definitionsQuery(tenantId, {}), enabled });
  const definitions = data?.pages.flatMap(({ items }) => items) ?? [];
  return new Map(definitions.map((definition) => [definition.id, definitionName(definition)]));
}

/** The scopes in words. */
export const scopeNames = { match: 'Match events', player: 'Player events', both: 'Both' };

export const scopeChoices = choicesOf(Object.entries(scopeNames));

export const definitionSettingsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['definition-settings', tenantId],
    queryFn: () =>
      api.GET('/api/bus_tenants/{tenantId}/event-definitions/settings', { params: { path: { tenantId } } }),
  });

const outdatedIn = (tenantId: string) => ({ keys: [['definitions', tenantId]] });

export const useCreateDefinition = (tenantId: string) =>
  useChange(outdatedIn(tenantId), (body: NewDefinition) =>
    api.POST('/api/bus_tenants/{tenantId}/event-definitions', { params: { path: { tenantId } }, body }),
  );

export const useChangeDefinition = (tenantId: string, definitionId: string) =>
  useChange(outdatedIn(tenantId), (body: DefinitionChange) =>
    api.PATCH('/api/bus_tenants/{tenantId}/event-definitions/{definitionId}', {
      params: { path: { tenantId, definitionId } },
      body,
    }),
  );

/** Shown at once in all lists, and rolled back if the server refuses. */
export function useSetActive(tenantId: string) {
  const queryClient = useQueryClient();
  const queryKey = ['definitions', tenantId];
  const show = (definitionId: string, isActive: boolean): void => {
    queryClient.setQueriesData<InfiniteData<DefinitionPage>>(
      { queryKey },
      (list) =>
        list && {
          ...list,
          pages: list.pages.map((page) => ({
            ...page,
            items: page.items.map((item) => (item.id === definitionId ? { ...item, isActive } : item)),
          })),
        },
    );
  };
  return useMutation({
    mutationFn: ({ definitionId, isActive }: { definitionId: string; isActive: boolean }) =>
      api.PATCH('/api/bus_tenants/{tenantId}/event-definitions/{definitionId}', {
        params: { path: { tenantId, definitionId } },
        body: { isActive },
      }),
    onMutate: ({ definitionId, isActive }) => show(definitionId, isActive),
    onError: (_error, { definitionId, isActive }) => show(definitionId, !isActive),
    onSettled: () => readAgain(queryClient, [queryKey]),
  });
}

export function useImportDefinitions(tenantId: string) {
  return useChange(
    outdatedIn(tenantId),
    async ({ file, overwriteExisting }: { file: File; overwriteExisting: boolean }) => {
      await checkReadable(file);
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

/** The browser sends no file that was saved again after it was chosen. The failed request would look like a lost connection. */
async function checkReadable(file: File): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch {
    throw new Error('The file was changed, moved or deleted after you chose it. Choose it again.');
  }
}

export function useSetAutoCreate(tenantId: string) {
  const queryClient = useQueryClient();
  const { queryKey } = definitionSettingsQuery(tenantId);
  return useMutation({
    mutationFn: (autoCreate: boolean) =>
      api.PATCH('/api/bus_tenants/{tenantId}/event-definitions/settings', {
        params: { path: { tenantId } },
        body: { autoCreate },
      }),
    ...optimistic(queryClient, queryKey, (_before: object, autoCreate: boolean) => ({ autoCreate })),
  });
}

/** Requests an export of all definitions, inactive ones included. */
export const requestExport = (tenantId: string, signal: AbortSignal): Promise<Response> =>
  api.GET('/api/bus_tenants/{tenantId}/event-definitions/export', {
    params: { path: { tenantId }, query: { includeInactive: true } },
    readAs: 'response',
    signal,
  });
