import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { authorOf } from '../../../http/request-context.ts';
import { PageQuery, problems, TenantPath, WorkspacePath } from '../../../http/schemas.ts';
import { changeTenant, type TenantServices } from './change-tenant.ts';
import { createTenant } from './create-tenant.ts';
import { readTenant, readTenants } from './read-tenants.ts';
import { UpdateTenantRequest, CreateTenantRequest, Tenant, TenantPage } from './schemas.ts';

/** The endpoints of tenants. They require a console account. */
export function tenantRoutes(services: TenantServices): FastifyPluginAsyncTypebox {
  const { database } = services;
  return async (app) => {
    app.get(
      '/api/workspaces/:workspaceId/bus_tenants',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listTenants',
          tags: ['Tenants'],
          summary: 'List tenants',
          description:
            'Returns the tenants of the workspace: first those that are not disabled, then the disabled ones, both oldest first.',
          params: WorkspacePath,
          querystring: PageQuery,
          response: { 200: TenantPage },
        },
      },
      async (request) => readTenants(database, request.params.workspaceId, request.query),
    );

    app.post(
      '/api/workspaces/:workspaceId/bus_tenants',
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'createTenant',
          tags: ['Tenants'],
          summary: 'Create a tenant',
          description:
            'A tenant is one game, or one environment of a game. If `slug` is omitted, it is derived from the name. If another ' +
            'tenant of the workspace has the slug, or 1,000 tenants are not disabled, or there are 10,000 with disabled ones, the ' +
            'response is 409.',
          params: WorkspacePath,
          body: CreateTenantRequest,
          response: { 201: Tenant, ...problems(409) },
        },
      },
      async (request, reply) => {
        const { name, slug, hiddenFromDiscovery, settings } = request.body;
        const { workspaceId } = request.params;
        reply.code(201);
        return database.transaction((transaction) =>
          createTenant(transaction, authorOf(request), {
            workspaceId,
            name,
            slug,
            hiddenFromDiscovery,
            autoCreateDefinitions: settings?.autoCreateDefinitions,
          }),
        );
      },
    );

    app.get(
      '/api/bus_tenants/:tenantId',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'getTenant',
          tags: ['Tenants'],
          summary: 'Get a tenant',
          description: 'Returns a tenant, even if it is disabled.',
          params: TenantPath,
          response: { 200: Tenant },
        },
      },
      async (request) => {
        const { tenantId } = request.params;
        return readTenant(database.forTenant(tenantId), tenantId);
      },
    );

    app.patch(
      '/api/bus_tenants/:tenantId',
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'updateTenant',
          tags: ['Tenants'],
          summary: 'Update a tenant',
          description:
            'Omitted fields keep their value. If another tenant of the workspace has the slug, or a tenant is enabled while 1,000 ' +
            'others are not disabled, the response is 409.',
          params: TenantPath,
          body: UpdateTenantRequest,
          response: { 200: Tenant, ...problems(409) },
        },
      },
      async (request) => changeTenant(services, authorOf(request), request.params.tenantId, request.body),
    );

    app.delete(
      '/api/bus_tenants/:tenantId',
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'disableTenant',
          tags: ['Tenants'],
          summary: 'Disable a tenant',
          description:
            'The keys of the tenant stop working. No data is deleted. Enable the tenant again with PATCH and `isActive: true`. ' +
            'Idempotent: a second call returns 204 too.',
          params: TenantPath,
          response: { 204: Type.Null({ description: 'The tenant is disabled.' }) },
        },
      },
      async (request, reply) => {
        await changeTenant(services, authorOf(request), request.params.tenantId, { isActive: false });
        return reply.code(204).send(null);
      },
    );
  };
}
