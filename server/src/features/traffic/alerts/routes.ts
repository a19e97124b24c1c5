import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { authorOf } from '../../../http/request-context.ts';
import { TenantPath, WorkspacePath } from '../../../http/schemas.ts';
import { changeAlertSettings, readAlertSettings } from './alert-settings.ts';
import { readAlerts } from './read-alerts.ts';
import { AlertPage, AlertQuery, AlertSettings, ChangeAlertSettingsBody } from './schemas.ts';

const tags = ['Alerts'];

export interface AlertServices {
  database: Database;
  /** The cache of keys, which includes the thresholds of their tenants. */
  keys: { invalidate(tenantId: string): void };
}

/** Requires a dashboard account. */
export function alertRoutes({ database, keys }: AlertServices): FastifyPluginAsyncTypebox {
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
            'Returns the alerts of all tenants of the workspace, newest first. Filter by tenant, type, key or time.',
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
      async (request) => {
        const { tenantId } = request.params;
        return readAlertSettings(database.forTenant(tenantId), tenantId);
      },
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
          body: ChangeAlertSettingsBody,
          response: { 200: AlertSettings },
        },
      },
      async (request) => {
        const { tenantId } = request.params;
        const changed = await changeAlertSettings(database, authorOf(request), tenantId, request.body);
        keys.invalidate(tenantId);
        return changed;
      },
    );
  };
}
