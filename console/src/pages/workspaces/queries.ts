import { api, type Body } from '../../app/client';
import { useChange } from '../../app/use-change';

export const useCreateWorkspace = () =>
  useChange({ keys: [['me']] }, (body: { name: string }) => api.POST('/api/workspaces', { body }));

export const useJoinWorkspace = () =>
  useChange({ keys: [['me']] }, (token: string) =>
    api.POST('/api/saas-auth/me/invitations/accept', { body: { token } }),
  );

export const useCreateGame = (workspaceId: string) =>
  useChange({ keys: [['games', workspaceId]] }, (body: { name: string }) =>
    api.POST('/api/workspaces/{workspaceId}/bus_tenants', { params: { path: { workspaceId } }, body }),
  );

export const useRenameWorkspace = (workspaceId: string) =>
  useChange(
    { keys: [['me'], ['workspace', workspaceId]] },
    (body: Body<'/api/workspaces/{workspaceId}', 'patch'>) =>
      api.PATCH('/api/workspaces/{workspaceId}', { params: { path: { workspaceId } }, body }),
  );
