import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { meQuery, useCan } from './account';
import { distinctNames } from '../components/format';
import { readAllPages } from '../components/paging';
import { api } from './client';

export const gameQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['game', tenantId],
    queryFn: () => api.GET('/api/bus_tenants/{tenantId}', { params: { path: { tenantId } } }),
    staleTime: 60_000,
  });

/**
 * All games of a workspace. Without the signal of the request: loaders wait for it, and it would be cancelled for them too when the last
 * component that shows it unmounts.
 */
export const gamesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['games', workspaceId],
    queryFn: () =>
      readAllPages((query) =>
        api.GET('/api/workspaces/{workspaceId}/bus_tenants', { params: { path: { workspaceId }, query } }),
      ),
    staleTime: 60_000,
  });

/** What the games of a workspace are called, by id. */
export function useGameNames(workspaceId: string, { enabled } = { enabled: true }): Map<string, string> {
  return distinctNames(useQuery({ ...gamesQuery(workspaceId), enabled }).data?.items ?? []);
}

/** The game of a page below `/games/{tenantId}`, which is loaded before the page renders. */
export function useGame() {
  const tenantId = useParams({ strict: false, select: (params) => params.tenantId });
  if (tenantId === undefined) throw new Error('This page is not below a game.');
  const { data } = useSuspenseQuery(gameQuery(tenantId));
  return data;
}

/** Whether the signed-in account may change the game of the page. */
export function useCanChangeGame(): boolean {
  return useCan(useGame().workspaceId, 'admin');
}

const lastGameKey = (workspaceId: string) => `guildhall.last-game.${workspaceId}`;
const LAST_WORKSPACE = 'guildhall.last-workspace';

/** Keeps the place for the next visit and for the links of workspace pages. */
export function rememberGame({ id, workspaceId }: { id: string; workspaceId: string }): void {
  try {
    localStorage.setItem(lastGameKey(workspaceId), id);
    localStorage.setItem(LAST_WORKSPACE, workspaceId);
  } catch {
    // The storage is full, or the browser blocks it. The next visit begins with the first game.
  }
}

export const lastWorkspaceId = (): string | undefined => stored(LAST_WORKSPACE);

export const lastGameId = (workspaceId: string): string | undefined => stored(lastGameKey(workspaceId));

function stored(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * The workspace and the game that the current URL names, if the account may see them. Otherwise those that were open last, so that
 * the side bar of a workspace page has links to a game, and that of an unknown address leads somewhere.
 */
export function usePlace(): {
  workspaceId: string | undefined;
  tenantId: string | undefined;
  gameName: string | undefined;
} {
  const params = useParams({ strict: false });
  const memberships = useQuery(meQuery).data?.memberships ?? [];
  const isMember = (workspaceId: string | undefined): boolean =>
    memberships.some((membership) => membership.workspaceId === workspaceId);

  const named = useQuery({ ...gameQuery(params.tenantId ?? ''), enabled: params.tenantId !== undefined });
  const workspaceId =
    [params.workspaceId, named.data?.workspaceId, lastWorkspaceId()].find(isMember) ??
    memberships[0]?.workspaceId;
  const games = useQuery({ ...gamesQuery(workspaceId ?? ''), enabled: workspaceId !== undefined });
  if (named.data && isMember(named.data.workspaceId))
    return { workspaceId, tenantId: named.data.id, gameName: named.data.name };

  const items = games.data?.items ?? [];
  const last = workspaceId === undefined ? undefined : lastGameId(workspaceId);
  const find = (tenantId: string | undefined) => items.find(({ id }) => id === tenantId);
  if (params.tenantId !== undefined && named.isPending)
    return { workspaceId, tenantId: params.tenantId, gameName: find(params.tenantId)?.name };
  // The side bar would move when the links to the game appear.
  if (games.isPending && last !== undefined) return { workspaceId, tenantId: last, gameName: undefined };
  const game = find(last) ?? items[0];
  return { workspaceId, tenantId: game?.id, gameName: game?.name };
}
