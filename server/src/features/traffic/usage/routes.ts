import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { WorkspacePath } from '../../../http/schemas.ts';
import { readQuota, readUsage } from './read-usage.ts';
import { UsageQuery, UsageReport, WorkspaceQuota } from './schemas.ts';

const tags = ['Usage'];

/** Requires a console account. */
export function usageRoutes({ database }: { database: Database }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/workspaces/:workspaceId/quota',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'getQuota',
          tags,
          summary: 'Get the quota',
          description:
            'Returns the units that the workspace has used in the current billing period, which is the calendar month in UTC. ' +
            'Each accepted request with a key is one unit. In a batch, each stored event is one unit. ' +
            'Writes are included at once, reads within a second.',
          params: WorkspacePath,
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
          operationId: 'getUsage',
          tags,
          summary: 'List billed usage',
          description:
            'Returns the billed usage of up to 366 days, grouped by UTC day, tenant or key. By day, it includes every day of the ' +
            'range. By tenant or key, it includes only those with usage, most units first. Reads with an API key of another ' +
            'workspace are included if the key names this workspace as its subscriber. Names that belong to another workspace are null.',
          params: WorkspacePath,
          querystring: UsageQuery,
          response: { 200: UsageReport },
        },
      },
      async (request) => {
        const { from, to, ...selection } = request.query;
        return readUsage(database, request.params.workspaceId, { from, to }, selection);
      },
    );
  };
}
