import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { authorOf } from '../../../http/request-context.ts';
import { problems, TenantPath } from '../../../http/schemas.ts';
import { CHUNK, readDefinitionPage, streamDefinitionsAsJson } from './list-definitions.ts';
import {
  changeDefinition,
  changeSettings,
  createDefinition,
  readSettings,
  type DefinitionRouteServices,
} from './manage-definitions.ts';
import {
  CreateEventDefinitionRequest,
  DefinitionPath,
  EventDefinitionSettings,
  EventDefinition,
  ListDefinitionsQuery,
  EventDefinitionsResult,
  UpdateEventDefinitionRequest,
} from './schemas.ts';

const LIST = '/api/bus_tenants/:tenantId/event-definitions';
const tags = ['Event definitions'];
/** Viewers may not read definitions: only owners and admins manage them. */
const config = { role: 'admin' } as const;

/** Authenticated by a console account. */
export function eventDefinitionRoutes(services: DefinitionRouteServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      LIST,
      {
        config: { ...config, cost: 5 },
        schema: {
          operationId: 'listEventDefinitions',
          tags,
          summary: 'List event definitions',
          description:
            'Returns all event definitions of a tenant as an array, sorted by key and value. With `paged=true`, returns one ' +
            'page. `search`, `eventScope` and `isActive` select definitions. An array of more than 500 definitions counts as an ' +
            'export while it is sent.',
          params: TenantPath,
          querystring: ListDefinitionsQuery,
          response: { 200: EventDefinitionsResult },
        },
      },
      async (request, reply) => {
        const { tenantId } = request.params;
        const { paged, limit, offset, ...filter } = request.query;
        if (paged) return readDefinitionPage(services.database, tenantId, filter, { limit, offset });
        const first = await readDefinitionPage(services.database, tenantId, filter, {
          limit: CHUNK,
          offset: 0,
        });
        if (first.items.length === first.totalCount) return first.items;
        const chunks = streamDefinitionsAsJson(services.database, tenantId, filter, first.items);
        const stream = await services.exports.open(request, tenantId, chunks);
        return reply.type('application/json').send(stream as never);
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
          description:
            'Creates one definition. The pair of key and value is unique within the tenant, inactive definitions included. A ' +
            'tenant may have at most 20,000 definitions. To create many, use the CSV import.',
          params: TenantPath,
          body: CreateEventDefinitionRequest,
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
          operationId: 'updateEventDefinition',
          tags,
          summary: 'Change an event definition',
          description:
            'Changes the given fields. Key and value cannot be changed and are ignored. Null clears the category or the ' +
            'description. Events that use an inactive definition are rejected.',
          params: DefinitionPath,
          body: UpdateEventDefinitionRequest,
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
          summary: 'Get event definition settings',
          description: 'Returns whether events of the tenant may create definitions.',
          params: TenantPath,
          response: { 200: EventDefinitionSettings },
        },
      },
      async (request) => readSettings(services.database, request.params.tenantId),
    );

    app.patch(
      `${LIST}/settings`,
      {
        config,
        schema: {
          operationId: 'updateEventDefinitionSettings',
          tags,
          summary: 'Change event definition settings',
          description:
            'Turns auto-create on or off. A change usually applies to the next event, and at the latest after 5 minutes.',
          params: TenantPath,
          body: EventDefinitionSettings,
          response: { 200: EventDefinitionSettings },
        },
      },
      async (request) => changeSettings(services, request.params.tenantId, request.body, authorOf(request)),
    );
  };
}
