import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { TenantPath } from '../../../../http/schemas.ts';
import { listRejectedEvents, type RejectedEventServices } from './list-rejected.ts';
import { RejectedEventList, RejectedEventsQuery } from './schemas.ts';

/** Authenticated by a console account, or by an API key with `allowDataApi`. */
export function rejectedEventRoutes(services: RejectedEventServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/bus_tenants/:tenantId/rejected-events',
      {
        config: { role: 'viewer', usage: 'read' },
        schema: {
          operationId: 'listRejectedEvents',
          tags: ['Gameplay events'],
          summary: 'List rejected events',
          description:
            'Returns the events that were refused in the last 8 days, in groups with the same reason and names, the last seen first. ' +
            'An event appears within 2 seconds. A group counts whole days in UTC: if `from` is within a day, the events before it are ' +
            'counted too. Events with a wrong key or token are not counted, nor are requests that were refused as a whole.',
          params: TenantPath,
          querystring: RejectedEventsQuery,
          response: { 200: RejectedEventList },
        },
      },
      async (request) => ({
        items: await listRejectedEvents(services, request.params.tenantId, request.query),
      }),
    );
  };
}
