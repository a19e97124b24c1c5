import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, type Answer, type Body } from '../../app/client';
import { optimistic } from '../../app/optimistic';
import { readAgain, useChange } from '../../app/use-change';
import { byOffset } from '../../components/paging';
import type { ProviderName } from '../providers/queries';

export type ListedPlayer = Answer<'/api/bus_tenants/{tenantId}/players', 'get'>['items'][number];
export type Player = Answer<'/api/bus_tenants/{tenantId}/players/{playerId}', 'get'>;

export interface PlayerFilter {
  search?: string | undefined;
  sort?: string | undefined;
  banned?: string | undefined;
  hidden?: string | undefined;
  provider?: string | undefined;
}

const PAGE_SIZE = 100;

/** The players of a game. Old rows stay while the rows of a new filter load, and a late answer never replaces newer rows. */
export const playersQuery = (tenantId: string, { search, sort, banned, hidden, provider }: PlayerFilter) =>
  infiniteQueryOptions({
    queryKey: ['players', tenantId, { search, sort, banned, hidden, provider }],
    queryFn: ({ pageParam, signal }) =>
      api.GET('/api/bus_tenants/{tenantId}/players', {
        params: {
          path: { tenantId },
          query: {
            limit: PAGE_SIZE,
            offset: pageParam,
            search,
            sort: sort as '-lastSeenAt' | undefined,
            // Texts of the URL, which the server checks.
            banned: banned as boolean | undefined,
            hidden: hidden as boolean | undefined,
            authProvider: provider as ProviderName | undefined,
          },
        },
        signal,
      }),
    ...byOffset,
  });

export const playerQuery = (tenantId: string, playerId: string) =>
  queryOptions({
    queryKey: ['player', tenantId, playerId],
    queryFn: () =>
      api.GET('/api/bus_tenants/{tenantId}/players/{playerId}', { params: { path: { tenantId, playerId } } }),
  });

export interface PlayerPath {
  tenantId: string;
  playerId: string;
}

const SESSIONS = '/api/bus_tenants/{tenantId}/players/{playerId}/sessions';
export type PlayerSession = Answer<typeof SESSIONS, 'get'>['items'][number];

export const playerSessionsQuery = (path: PlayerPath) =>
  infiniteQueryOptions({
    queryKey: ['player', path.tenantId, path.playerId, 'sessions'],
    queryFn: ({ pageParam: offset, signal }) =>
      api.GET(SESSIONS, {
        params: { path, query: { limit: PAGE_SIZE, offset } },
        signal,
      }),
    ...byOffset,
  });

const DEVICES = '/api/bus_tenants/{tenantId}/players/{playerId}/devices';
export type PlayerDevice = Answer<typeof DEVICES, 'get'>['items'][number];

export const playerDevicesQuery = (path: PlayerPath) =>
  infiniteQueryOptions({
    queryKey: ['player', path.tenantId, path.playerId, 'devices'],
    queryFn: ({ pageParam: offset, signal }) =>
      api.GET(DEVICES, {
        params: { path, query: { limit: PAGE_SIZE, offset } },
        signal,
      }),
    ...byOffset,
  });

const BANS = '/api/bus_tenants/{tenantId}/players/{playerId}/bans';
export type PlayerBan = Answer<typeof BANS, 'get'>['items'][number];

export const playerBansQuery = (path: PlayerPath) =>
  infiniteQueryOptions({
    queryKey: ['player', path.tenantId, path.playerId, 'bans'],
    queryFn: ({ pageParam: offset, signal }) =>
      api.GET(BANS, {
        params: { path, query: { limit: PAGE_SIZE, offset } },
        signal,
      }),
    ...byOffset,
  });

/** The player and the lists. */
const outdatedBy = ({ tenantId, playerId }: PlayerPath) => ({
  keys: [
    ['player', tenantId, playerId],
    ['players', tenantId],
  ],
});

export function useBanPlayer(path: PlayerPath) {
  return useChange(
    outdatedBy(path),
    (body: Body<'/api/bus_tenants/{tenantId}/players/{playerId}/ban', 'post'>) =>
      api.POST('/api/bus_tenants/{tenantId}/players/{playerId}/ban', { params: { path }, body }),
  );
}

export function useLiftBan(path: PlayerPath) {
  return useChange(outdatedBy(path), () =>
    api.DELETE('/api/bus_tenants/{tenantId}/players/{playerId}/ban', { params: { path } }),
  );
}

export function useForceLogout(path: PlayerPath) {
  return useChange(outdatedBy(path), () =>
    api.POST('/api/bus_tenants/{tenantId}/players/{playerId}/force-logout', { params: { path } }),
  );
}

const NOTES = '/api/bus_tenants/{tenantId}/players/{playerId}/notes';
export type PlayerNote = Answer<typeof NOTES, 'get'>['items'][number];

export const playerNotesQuery = (path: PlayerPath) =>
  queryOptions({
    queryKey: ['player', path.tenantId, path.playerId, 'notes'],
    queryFn: () => api.GET(NOTES, { params: { path } }),
  });

export function useAddNote(path: PlayerPath) {
  return useChange(outdatedBy(path), (text: string) => api.POST(NOTES, { params: { path }, body: { text } }));
}

export function useDeleteNote(path: PlayerPath) {
  return useChange(outdatedBy(path), (noteId: string) =>
    api.DELETE('/api/bus_tenants/{tenantId}/players/{playerId}/notes/{noteId}', {
      params: { path: { ...path, noteId } },
    }),
  );
}

export function useChangeRole(path: PlayerPath) {
  return useChange(outdatedBy(path), (body: { tenantRole: string }) =>
    api.PATCH('/api/bus_tenants/{tenantId}/players/{playerId}', { params: { path }, body }),
  );
}

export function useHidePlayer(path: PlayerPath) {
  const queryClient = useQueryClient();
  const { queryKey } = playerQuery(path.tenantId, path.playerId);
  const shown = optimistic(queryClient, queryKey, (player: object, hiddenFromDiscovery: boolean) => ({
    ...player,
    hiddenFromDiscovery,
  }));
  return useMutation({
    mutationFn: (hiddenFromDiscovery: boolean) =>
      api.PATCH('/api/bus_tenants/{tenantId}/players/{playerId}', {
        params: { path },
        body: { hiddenFromDiscovery },
      }),
    ...shown,
    onSettled: () => readAgain(queryClient, [queryKey, ['players', path.tenantId]]),
  });
}

/** Requests all that the game has about the player. */
export const requestPlayerExport = (path: PlayerPath, signal: AbortSignal): Promise<Response> =>
  api.GET('/api/bus_tenants/{tenantId}/players/{playerId}/export', {
    params: { path },
    readAs: 'response',
    signal,
  });

/** Deletes the player in all games of the deployment, for platform administrators. */
export function useDeletePlayer(playerId: string) {
  const queryClient = useQueryClient();
  return useChange({ keys: [['player'], ['players'], ['deletion-receipts']] }, () =>
    api
      .DELETE('/api/admin/players/{playerId}', { params: { path: { playerId } } })
      // The open search of the platform is not sent again, because each leaves an audit record. A later one is.
      .finally(() => {
        void queryClient.invalidateQueries({ queryKey: ['platform', 'players'], refetchType: 'none' });
      }),
  );
}
