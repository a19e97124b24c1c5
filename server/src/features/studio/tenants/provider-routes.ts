import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest, FastifySchemaValidationError } from 'fastify';
import type { Database } from '../../../database/database.ts';
import { authorOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import type { ProviderSettings } from './provider-settings.ts';
import { readProviders } from './read-providers.ts';
import {
  providerBodies,
  ProviderList,
  ProviderParams,
  ProviderView,
  SetProviderBody,
  TenantParams,
} from './schemas.ts';
import { setProvider, type SetProviderServices } from './set-provider.ts';

export interface ProviderServices extends SetProviderServices {
  database: Database;
  providerSettings: ProviderSettings;
}

/** Behind a dashboard account. */
export function providerRoutes(services: ProviderServices): FastifyPluginAsyncTypebox {
  const { database, vault, providerSettings } = services;
  return async (app) => {
    app.get(
      '/api/bus_tenants/:tenantId/providers',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listProviders',
          tags: ['Tenants'],
          summary: 'The sign-in providers of a tenant',
          description: 'All that there are, with what the tenant has set.',
          params: TenantParams,
          response: { 200: ProviderList },
        },
      },
      async (request) => ({ items: await readProviders(database, vault, request.params.tenantId) }),
    );

    app.get(
      '/api/bus_tenants/:tenantId/providers/:provider',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'getProvider',
          tags: ['Tenants'],
          summary: 'One sign-in provider of a tenant',
          params: ProviderParams,
          response: { 200: ProviderView },
        },
      },
      async (request) => {
        const { tenantId, provider } = request.params;
        const all = await readProviders(database, vault, tenantId);
        return all.find((view) => view.provider === provider)!;
      },
    );

    app.put(
      '/api/bus_tenants/:tenantId/providers/:provider',
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'setProvider',
          tags: ['Tenants'],
          summary: 'Enable, disable or configure a sign-in provider',
          description:
            'Given settings take the place of the old ones, but for a secret that is left out, which is kept. Mock can be ' +
            'enabled only where the operator allows it (422).',
          params: ProviderParams,
          body: SetProviderBody,
          response: { 200: ProviderView, ...problems(422) },
        },
        preValidation: async (request) => checkSettings(request),
      },
      async (request) => {
        const { tenantId, provider } = request.params;
        const change = { ...request.body, tenantId, provider };
        const view = await database
          .forTenant(tenantId)
          .transaction((transaction) => setProvider(transaction, services, authorOf(request), change));
        providerSettings.invalidate();
        return view;
      },
    );
  };
}

/** Checks the body by the schema of the path's provider. A path that names no provider is left to the check of the path. */
function checkSettings(request: FastifyRequest): void {
  const schema = providerBodies.get((request.params as { provider: string }).provider);
  if (!schema) return;
  const outcome = request.compileValidationSchema(schema, 'body')(request.body) as unknown;
  if (outcome === true) return;
  const { error } = outcome as { error: FastifySchemaValidationError[] };
  throw Object.assign(new Error('The settings are not valid.'), {
    validation: error,
    validationContext: 'body',
  });
}
