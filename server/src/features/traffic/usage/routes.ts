import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { readQuota } from './read-quota.ts';
import { readUsage } from './read-usage.ts';
import { UsagePath, UsageQuery, UsageReport, WorkspaceQuota } from './schemas.ts';

const tags = ['Usage'];

/** Behind a dashboard account. */
export function usageRoutes(database: Database): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/workspaces/:workspaceId/quota',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'getQuota',
          tags,
          summary: 'How much of the plan is used',
          description:
            'In the running billing period, which is the calendar month in UTC. A unit is an accepted request on a key, and in a ' +
            'batch an event that was stored. Writes are in it at once, to the unit; reads within a second.',
          params: UsagePath,
          response: { 200: WorkspaceQuota },
        },
      },
      async (request) => readQuota(database, request.params.workspaceId),
    );

    app.get(
      '/api/workspaces/:workspaceId/usage',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listUsage',
          tags,
          summary: 'What the workspace was billed',
          description:
            'By day in UTC (every day of the range), by tenant, or by key (those that were billed, the most first); at most 366 ' +
            'days. Reads with an API key of another workspace that names this one as its subscriber are in it; the names of what ' +
            'is another workspace’s are null.',
          params: UsagePath,
          querystring: UsageQuery,
          response: { 200: UsageReport },
        },
      },
      async (request) => {
        const { groupBy, ...range } = request.query;
        return readUsage(database, request.params.workspaceId, range, groupBy);
      },
    );
  };
}
