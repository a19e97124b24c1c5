import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { authorOf } from '../../../http/request-context.ts';
import { problems, TenantPath } from '../../../http/schemas.ts';
import { readProviders } from './read-providers.ts';
import {
  providerBodies,
  ProviderList,
  ProviderParams,
  ProviderSchema,
  UpdateProviderRequest,
} from './schemas.ts';
import { configureProvider, type ProviderServices } from './set-provider.ts';

/** The endpoints of sign-in providers. They require a console account. */
export function providerRoutes(services: ProviderServices): FastifyPluginAsyncTypebox {
  const { database, vault } = services;
  return async (app) => {
    app.get(
      '/api/bus_tenants/:tenantId/providers',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listProviders',
          tags: ['Tenants'],
          summary: 'List sign-in providers',
          description: 'Returns all sign-in providers with the settings of the tenant.',
          params: TenantPath,
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
          summary: 'Get a sign-in provider',
          description: 'Returns a sign-in provider with the settings of the tenant. Secrets are not shown.',
          params: ProviderParams,
          response: { 200: ProviderSchema },
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
          operationId: 'updateProvider',
          tags: ['Tenants'],
          summary: 'Configure a sign-in provider',
          description:
            'Enables or disables the provider. If `settings` is present, it replaces all settings. An omitted secret keeps its ' +
            'value. If the operator does not allow Mock, a request to enable it returns 422. Idempotent.',
          params: ProviderParams,
          body: UpdateProviderRequest,
          response: { 200: ProviderSchema, ...problems(422) },
        },
        preValidation: async (request) => checkSettings(request),
      },
      async (request) =>
        configureProvider(services, authorOf(request), { ...request.body, ...request.params }),
    );
  };
}

/** Validates the body against the schema of the provider. If the provider is unknown, the path validation rejects the request. */
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
