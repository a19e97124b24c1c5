import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { WorkspacePath } from '../../../http/schemas.ts';
import { listAnyWorkspaces, readAnyWorkspace } from './read-any-workspace.ts';
import { AnyWorkspaceDetail, AnyWorkspacePage, AnyWorkspacesQuery } from './schemas.ts';

const tags = ['Administration'];

/** All workspaces of the deployment. The endpoints require a platform administrator. */
export function platformWorkspaceRoutes({ database }: { database: Database }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/admin/workspaces',
      {
        schema: {
          operationId: 'listAllWorkspaces',
          tags,
          summary: 'List all workspaces',
          description:
            'Returns the workspaces of the deployment with their plans, newest first. `search` finds workspaces whose name begins ' +
            'with the text, and those with this id, slug, tenant id, or email address of a member. Pass `nextCursor` as `cursor` to ' +
            'read the next page.',
          querystring: AnyWorkspacesQuery,
          response: { 200: AnyWorkspacePage },
        },
      },
      async (request) => listAnyWorkspaces(database, request.query),
    );

    app.get(
      '/api/admin/workspaces/:workspaceId',
      {
        schema: {
          operationId: 'getAnyWorkspace',
          tags,
          summary: 'Get any workspace',
          description:
            'Returns a workspace with its plan, and the first 200 of its members and tenants. The caller need not be a member. Use ' +
            '`PATCH /api/workspaces/{workspaceId}/plan` to change the plan.',
          params: WorkspacePath,
          response: { 200: AnyWorkspaceDetail },
        },
      },
      async (request) => readAnyWorkspace(database, request.params.workspaceId),
    );
  };
}
