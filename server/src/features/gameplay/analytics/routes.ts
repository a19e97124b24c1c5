import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { problems } from '../../../http/schemas.ts';
import { readAnalytics } from './read-analytics.ts';
import { AnalyticsPath, AnalyticsQuery, SessionAnalytics } from './schemas.ts';

/** Behind a dashboard account, or an API key that may read data. */
export function sessionAnalyticsRoutes(database: Database): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/bus_tenants/:tenantId/sessions/analytics',
      {
        config: { role: 'viewer', usage: 'read' },
        schema: {
          operationId: 'analyseSessions',
          tags: ['Sessions'],
          summary: 'Count the tenant’s logins, logouts and players',
          description: 'Of those that the database received in the range; exact, up to the last commit.',
          params: AnalyticsPath,
          querystring: AnalyticsQuery,
          response: { 200: SessionAnalytics, ...problems(503) },
        },
      },
      async (request) => readAnalytics(database, request.params.tenantId, request.query),
    );
  };
}
