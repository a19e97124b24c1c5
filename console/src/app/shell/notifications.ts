import { useInfiniteQuery, useMutation, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { linkOptions } from '@tanstack/react-router';
import { useEffect } from 'react';
import { byOffset } from '../../components/paging';
import { api, client, type Answer } from '../client';
import { optimistic } from '../optimistic';
import { useChange } from '../use-change';

const KEY = ['notifications'];
const PAGE_SIZE = 50;

/** The notifications, newest first. New ones arrive live: then all loaded pages are read again. */
export function useNotifications() {
  const queryClient = useQueryClient();
  useEffect(() => followInOneTab(() => void queryClient.invalidateQueries({ queryKey: KEY })), [queryClient]);
  return useInfiniteQuery({
    queryKey: KEY,
    queryFn: ({ pageParam: offset, signal }) =>
      api.GET('/api/notifications', { params: { query: { limit: PAGE_SIZE, offset } }, signal }),
    ...byOffset,
  });
}

/** Keeps only the first page, because each new notification reads all loaded pages again. */
export function useDropOlder(): () => void {
  const queryClient = useQueryClient();
  return () =>
    queryClient.setQueryData<Pages>(KEY, (list) =>
      list && list.pages.length > 1
        ? { pages: list.pages.slice(0, 1), pageParams: list.pageParams.slice(0, 1) }
        : undefined,
    );
}

const NAME = 'guildhall.notifications';

/**
 * Follows the notifications in one tab of the browser, which tells the others. Without HTTP/2 a browser opens six connections to a server,
 * so a stream in each tab would leave none for the requests of the seventh. Returns what ends it.
 */
function followInOneTab(onNews: () => void): () => void {
  const tabs = new BroadcastChannel(NAME);
  tabs.addEventListener('message', onNews);
  const leaving = new AbortController();
  const { signal } = leaving;
  const follow = (): Promise<void> =>
    new Promise((resolve) => {
      const tellAll = (): void => {
        onNews();
        tabs.postMessage('new');
      };
      const feed = client.followNotifications({
        onNotification: tellAll,
        // A notification may have come after the list was read, and before the feed began.
        onState: (state) => {
          if (state === 'connected') tellAll();
        },
      });
      signal.addEventListener('abort', () => {
        feed.close();
        resolve();
      });
    });
  // Browsers have no locks on a page without TLS. There, each tab follows.
  if (navigator.locks as LockManager | undefined)
    navigator.locks.request(NAME, { signal }, follow).catch(() => {});
  else void follow();
  return () => {
    leaving.abort();
    tabs.close();
  };
}

type Page = Answer<'/api/notifications', 'get'>;
type Pages = InfiniteData<Page>;
export type Notification = Page['items'][number];

/** The page that shows what a notification is about, if there is one. */
export function pageOf({ type, workspaceId, tenantId }: Notification) {
  if (workspaceId === null) return undefined;
  const params = { workspaceId };
  if (type.startsWith('alert.'))
    return linkOptions({
      to: '/workspaces/$workspaceId/alerts',
      params,
      search: tenantId === null ? {} : { tenantId },
    });
  if (type === 'usage.warning' || type.startsWith('paid_key.'))
    return linkOptions({ to: '/workspaces/$workspaceId/usage', params });
  if (type === 'webhook.disabled') return linkOptions({ to: '/workspaces/$workspaceId/webhooks', params });
  return undefined;
}

export function useReadOne() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (notificationId: string) =>
      api.POST('/api/notifications/{notificationId}/read', { params: { path: { notificationId } } }),
    ...optimistic(queryClient, KEY, (list: Pages, notificationId: string) => ({
      ...list,
      pages: list.pages.map((page) => ({
        ...page,
        unreadCount: Math.max(0, page.unreadCount - 1),
        items: page.items.map((item) =>
          item.id === notificationId ? { ...item, readAt: new Date().toISOString() } : item,
        ),
      })),
    })),
  });
}

export const useReadAll = () => useChange({ keys: [KEY] }, () => api.POST('/api/notifications/read-all'));
