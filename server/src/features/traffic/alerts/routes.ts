import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { authorOf } from '../../../http/request-context.ts';
import { changeAlertSettings, readAlertSettings } from './alert-settings.ts';
import { readAlerts } from './read-alerts.ts';
import {
  AlertPage,
  AlertQuery,
  AlertSettings,
  ChangeAlertSettingsBody,
  TenantParams,
  WorkspaceParams,
} from './schemas.ts';

const tags = ['Alerts'];

export interface AlertServices {
  database: Database;
  /** Who is remembered with the thresholds of their tenant. */
  keys: { invalidate(): void };
}

/** Behind a dashboard account. */
export function alertRoutes({ database, keys }: AlertServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/workspaces/:workspaceId/alerts',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listAlerts',
          tags,
          summary: 'The alerts of a workspace',
          description: 'Of all of its tenants, the newest first.',
          params: WorkspaceParams,
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
          summary: 'From where on the keys of a tenant raise alerts',
          description: 'For keys that have no thresholds of their own.',
          params: TenantParams,
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
          operationId: 'changeAlertSettings',
          tags,
          summary: 'Change from where on the keys of a tenant raise alerts',
          description:
            'What is left out stays as it is. Holds from the next request on a key. A key’s own thresholds go before these.',
          params: TenantParams,
          body: ChangeAlertSettingsBody,
          response: { 200: AlertSettings },
        },
      },
      async (request) => {
        const { tenantId } = request.params;
        const changed = await changeAlertSettings(database, authorOf(request), tenantId, request.body);
        keys.invalidate();
        return changed;
      },
    );
  };
}
