import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, type Body } from '../../app/client';

export const alertSettingsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['alert-settings', tenantId],
    queryFn: () => api.GET('/api/bus_tenants/{tenantId}/alert-settings', { params: { path: { tenantId } } }),
  });

export function useChangeAlertSettings(tenantId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Body<'/api/bus_tenants/{tenantId}/alert-settings', 'patch'>) =>
      api.PATCH('/api/bus_tenants/{tenantId}/alert-settings', { params: { path: { tenantId } }, body }),
    onSuccess: (settings) => queryClient.setQueryData(alertSettingsQuery(tenantId).queryKey, settings),
  });
}

/** Changes of the game itself. They show in the switchers too. */
function useGameChange<Input, Output>(
  { id, workspaceId }: { id: string; workspaceId: string },
  change: (input: Input) => Promise<Output>,
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: ['game', id] }),
        queryClient.invalidateQueries({ queryKey: ['games', workspaceId] }),
      ]),
  });
}

interface Game {
  id: string;
  workspaceId: string;
}

export const useChangeGame = (game: Game) =>
  useGameChange(game, (body: Body<'/api/bus_tenants/{tenantId}', 'patch'>) =>
    api.PATCH('/api/bus_tenants/{tenantId}', { params: { path: { tenantId: game.id } }, body }),
  );

export const useDisableGame = (game: Game) =>
  useGameChange(game, () =>
    api.DELETE('/api/bus_tenants/{tenantId}', { params: { path: { tenantId: game.id } } }),
  );
