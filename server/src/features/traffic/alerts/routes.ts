import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { authorOf } from '../../../http/request-context.ts';
import { TenantPath, WorkspacePath } from '../../../http/schemas.ts';
import { changeAlertSettings, readAlertSettings, type AlertServices } from './alert-settings.ts';
import { readAlerts } from './read-alerts.ts';
import { AlertPage, AlertQuery, AlertSettings, UpdateAlertSettingsRequest } from './schemas.ts';

const tags = ['Alerts'];

/** Requires a console account. */
export function alertRoutes(services: AlertServices): FastifyPluginAsyncTypebox {
  const { database } = services;
  return async (app) => {
    app.get(
      '/api/workspaces/:workspaceId/alerts',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listAlerts',
          tags,
          summary: 'List alerts',
          description:
            'Returns the alerts of all tenants of the workspace, newest first, at most the last 10,000 of the time range. Filter by tenant, ' +
            'type, key or time. For older alerts, send an earlier `to`.',
          params: WorkspacePath,
          querystring: AlertQuery,
          response: { 200: AlertPage },
        },
      },
      async (request) => {
        const { limit, offset, ...filter } = request.query;
        const { workspaceId } = request.params;
        return readAlerts(database, { ...filter, workspaceId }, { limit, offset });
      },
    );

    app.get(
      '/api/bus_tenants/:tenantId/alert-settings',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'getAlertSettings',
          tags,
          summary: 'Get alert thresholds',
          description:
            'Returns the thresholds of the tenant. They apply to keys that have no thresholds of their own.',
          params: TenantPath,
          response: { 200: AlertSettings },
        },
      },
      async (request) => readAlertSettings(database, request.params.tenantId),
    );

    app.patch(
      '/api/bus_tenants/:tenantId/alert-settings',
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'updateAlertSettings',
          tags,
          summary: 'Change alert thresholds',
          description:
            'Changes the given thresholds of the tenant and keeps the others. They apply from the next request with a key. ' +
            'A key’s own thresholds take precedence.',
          params: TenantPath,
          body: UpdateAlertSettingsRequest,
          response: { 200: AlertSettings },
        },
      },
      async (request) =>
        changeAlertSettings(services, authorOf(request), request.params.tenantId, request.body),
    );
  };
}
