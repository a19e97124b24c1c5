import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, client, type Answer } from '../client';

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
    // Shown at once, and rolled back if the server refuses.
    onMutate: (notificationId) => {
      const before = queryClient.getQueryData<Page>(KEY);
      if (before)
        queryClient.setQueryData<Page>(KEY, {
          ...before,
          unreadCount: Math.max(0, before.unreadCount - 1),
          items: before.items.map((item) =>
            item.id === notificationId ? { ...item, readAt: new Date().toISOString() } : item,
          ),
        });
      return before;
    },
    onError: (_error, _id, before) => queryClient.setQueryData(KEY, before),
  });
}

export function useReadAll() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.POST('/api/notifications/read-all'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: KEY }),
  });
}
