import { queryOptions } from '@tanstack/react-query';
import { api, type Answer, type Body } from '../../app/client';
import { useChange } from '../../app/use-change';

export type AlertSettings = Answer<'/api/bus_tenants/{tenantId}/alert-settings', 'get'>;

export const alertSettingsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['alert-settings', tenantId],
    queryFn: () => api.GET('/api/bus_tenants/{tenantId}/alert-settings', { params: { path: { tenantId } } }),
  });

export const useChangeAlertSettings = (tenantId: string) =>
  useChange(
    { keys: [alertSettingsQuery(tenantId).queryKey] },
    (body: Body<'/api/bus_tenants/{tenantId}/alert-settings', 'patch'>) =>
      api.PATCH('/api/bus_tenants/{tenantId}/alert-settings', { params: { path: { tenantId } }, body }),
  );

interface Game {
  id: string;
  workspaceId: string;
}

/** The game itself, and the switchers. */
const outdatedBy = ({ id, workspaceId }: Game) => ({
  keys: [
    ['game', id],
    ['games', workspaceId],
  ],
});

export const useChangeGame = (game: Game) =>
  useChange(outdatedBy(game), (body: Body<'/api/bus_tenants/{tenantId}', 'patch'>) =>
    api.PATCH('/api/bus_tenants/{tenantId}', { params: { path: { tenantId: game.id } }, body }),
  );

export const useDisableGame = (game: Game) =>
  useChange(outdatedBy(game), () =>
    api.DELETE('/api/bus_tenants/{tenantId}', { params: { path: { tenantId: game.id } } }),
  );
