import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, type Body } from '../../app/client';

export function useCreateWorkspace() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string }) => api.POST('/api/workspaces', { body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['me'] }),
  });
}

export function useJoinWorkspace() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (token: string) => api.POST('/api/saas-auth/me/invitations/accept', { body: { token } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['me'] }),
  });
}

export function useCreateGame(workspaceId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string }) =>
      api.POST('/api/workspaces/{workspaceId}/bus_tenants', { params: { path: { workspaceId } }, body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['games', workspaceId] }),
  });
}

export function useRenameWorkspace(workspaceId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Body<'/api/workspaces/{workspaceId}', 'patch'>) =>
      api.PATCH('/api/workspaces/{workspaceId}', { params: { path: { workspaceId } }, body }),
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: ['me'] }),
        queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId] }),
      ]),
  });
}
