import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { problems, TenantPath } from '../../../http/schemas.ts';
import { readAnalytics } from './read-analytics.ts';
import { readTimeline } from './read-timeline.ts';
import { AnalyticsQuery, SessionAnalytics, SessionTimeline, TimelineQuery } from './schemas.ts';

/** Authenticated by a console account, or by an API key with `allowDataApi`. */
export function sessionAnalyticsRoutes({ database }: { database: Database }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/bus_tenants/:tenantId/sessions/analytics',
      {
        config: { role: 'viewer', usage: 'read' },
        schema: {
          operationId: 'getSessionAnalytics',
          tags: ['Sessions'],
          summary: 'Count logins, logouts and players',
          description:
            'Counts the logins and logouts that the database received in the range, and their distinct players. The counts are ' +
            'exact and include the last committed login. The default range is the last 30 days.',
          params: TenantPath,
          querystring: AnalyticsQuery,
          response: { 200: SessionAnalytics, ...problems(503) },
        },
      },
      async (request) => readAnalytics(database, request.params.tenantId, request.query),
    );

    app.get(
      '/api/bus_tenants/:tenantId/sessions/timeline',
      {
        config: { role: 'viewer', usage: 'read' },
        schema: {
          operationId: 'getSessionTimeline',
          tags: ['Sessions'],
          summary: 'Count logins over time',
          description:
            'Counts the logins and their distinct players in each minute, hour or day of the range, for charts. The counts are exact and ' +
            'include the last committed login. Limit: 192 buckets.',
          params: TenantPath,
          querystring: TimelineQuery,
          response: { 200: SessionTimeline, ...problems(503) },
        },
      },
      async (request) => readTimeline(database, request.params.tenantId, request.query),
    );
  };
}
