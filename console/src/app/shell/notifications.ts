import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, client, type Answer } from '../client';
import { optimistic } from '../optimistic';

const KEY = ['notifications'];

/** The newest notifications. New ones arrive over one open connection. */
export function useNotifications() {
  const queryClient = useQueryClient();
  useEffect(() => {
    const feed = client.followNotifications({
      onNotification: () => void queryClient.invalidateQueries({ queryKey: KEY }),
    });
    return () => feed.close();
  }, [queryClient]);
  return useQuery({
    queryKey: KEY,
    queryFn: () => api.GET('/api/notifications', { params: { query: { limit: 50 } } }),
  });
}

type Page = Answer<'/api/notifications', 'get'>;

export function useReadOne() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (notificationId: string) =>
      api.POST('/api/notifications/{notificationId}/read', { params: { path: { notificationId } } }),
    ...optimistic(queryClient, KEY, (page: Page, notificationId: string) => ({
      ...page,
      unreadCount: Math.max(0, page.unreadCount - 1),
      items: page.items.map((item) =>
        item.id === notificationId ? { ...item, readAt: new Date().toISOString() } : item,
      ),
    })),
  });
}

export function useReadAll() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.POST('/api/notifications/read-all'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: KEY }),
  });
}
