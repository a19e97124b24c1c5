import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { authorOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { ProblemError } from '../../../core/problem.ts';
import { changeDefinition } from './change-definition.ts';
import { changeSettings } from './change-settings.ts';
import { createDefinition, type DefinitionRouteServices } from './create-definition.ts';
import { CHUNK, definitionsAsJson, pageOfDefinitions } from './list-definitions.ts';
import { findSettings } from './queries.ts';
import {
  CreateDefinitionBody,
  DefinitionPath,
  DefinitionSettings,
  EventDefinition,
  ListDefinitionsQuery,
  ListDefinitionsResult,
  TenantPath,
  UpdateDefinitionBody,
} from './schemas.ts';

const LIST = '/api/bus_tenants/:tenantId/event-definitions';
const tags = ['Event definitions'];
/** The spec has the whole management of definitions to owners and admins, reading included. */
const config = { role: 'admin' } as const;

/** Behind a dashboard account. */
export function eventDefinitionRoutes(services: DefinitionRouteServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      LIST,
      {
        config,
        schema: {
          operationId: 'listEventDefinitions',
          tags,
          summary: 'The event definitions of a tenant',
          description:
            'Sorted by key and value; a plain array, or with `paged=true` a page. An array of more than 500 definitions counts ' +
            'as an export while it is sent.',
          params: TenantPath,
          querystring: ListDefinitionsQuery,
          response: { 200: ListDefinitionsResult, ...problems(429) },
        },
      },
      async (request, reply) => {
        const { tenantId } = request.params;
        const { includeInactive, paged, ...page } = request.query;
        if (paged) return pageOfDefinitions(services.database, tenantId, includeInactive, page);
        const first = await pageOfDefinitions(services.database, tenantId, includeInactive, {
          limit: CHUNK,
          offset: 0,
        });
        if (first.items.length === first.totalCount) return first.items;
        const pieces = definitionsAsJson(services.database, tenantId, includeInactive, first.items);
        const answer = services.exports.open(request, tenantId, pieces);
        return reply.type('application/json').send(answer as never);
      },
    );

    app.post(
      LIST,
      {
        config,
        schema: {
          operationId: 'createEventDefinition',
          tags,
          summary: 'Create an event definition',
          description: 'Key and value together are unique within the tenant, active or not.',
          params: TenantPath,
          body: CreateDefinitionBody,
          response: { 201: EventDefinition, ...problems(409) },
        },
      },
      async (request, reply) => {
        reply.code(201);
        return createDefinition(services, request.params.tenantId, request.body, authorOf(request));
      },
    );

    app.patch(
      `${LIST}/:definitionId`,
      {
        config,
        schema: {
          operationId: 'changeEventDefinition',
          tags,
          summary: 'Change an event definition',
          description:
            'Key and value never change: they are ignored here. Null clears the category and the description. Events against ' +
            'an inactive definition are refused.',
          params: DefinitionPath,
          body: UpdateDefinitionBody,
          response: { 200: EventDefinition },
        },
      },
      async (request) => {
        const { tenantId, definitionId } = request.params;
        return changeDefinition(services, tenantId, definitionId, request.body, authorOf(request));
      },
    );

    app.get(
      `${LIST}/settings`,
      {
        config,
        schema: {
          operationId: 'getEventDefinitionSettings',
          tags,
          summary: 'How a tenant takes unknown events',
          params: TenantPath,
          response: { 200: DefinitionSettings },
        },
      },
      async (request) => {
        const settings = await findSettings(
          services.database.forTenant(request.params.tenantId),
          request.params.tenantId,
        );
        if (!settings) throw new ProblemError('not_found');
        return settings;
      },
    );

    app.patch(
      `${LIST}/settings`,
      {
        config,
        schema: {
          operationId: 'changeEventDefinitionSettings',
          tags,
          summary: 'Change how a tenant takes unknown events',
          description: 'A change can take up to five minutes to reach event ingestion.',
          params: TenantPath,
          body: DefinitionSettings,
          response: { 200: DefinitionSettings },
        },
      },
      async (request) => changeSettings(services, request.params.tenantId, request.body, authorOf(request)),
    );
  };
}
