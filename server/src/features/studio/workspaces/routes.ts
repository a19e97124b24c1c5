import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { accountOf, authorOf } from '../../../http/request-context.ts';
import { PageQuery, problems, WorkspacePath } from '../../../http/schemas.ts';
import { changePlan, type PlanServices } from './change-plan.ts';
import { changeWorkspace } from './change-workspace.ts';
import { createWorkspace } from './create-workspace.ts';
import { readWorkspace, readWorkspaces } from './read-workspaces.ts';
import {
  UpdatePlanRequest,
  UpdateWorkspaceRequest,
  CreateWorkspaceRequest,
  Plan,
  Workspace,
  WorkspacePage,
} from './schemas.ts';

/** The endpoints of workspaces. They require a console account. */
export function workspaceRoutes({ database }: { database: Database }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/workspaces',
      {
        schema: {
          operationId: 'listWorkspaces',
          tags: ['Workspaces'],
          summary: 'List workspaces',
          description: 'Returns the workspaces that the caller is a member of, oldest first.',
          querystring: PageQuery,
          response: { 200: WorkspacePage },
        },
      },
      async (request) => readWorkspaces(database, accountOf(request).accountId, request.query),
    );

    app.post(
      '/api/workspaces',
      {
        schema: {
          operationId: 'createWorkspace',
          tags: ['Workspaces'],
          summary: 'Create a workspace',
          description:
            'The caller becomes the owner. The workspace gets the default plan. If `slug` is omitted, it is derived from the ' +
            'name. If another workspace has the slug, or the caller owns 100 workspaces, the response is 409. Platform ' +
            'administrators have no limit.',
          body: CreateWorkspaceRequest,
          response: { 201: Workspace, ...problems(409) },
        },
      },
      async (request, reply) => {
        const owner = { ownerId: accountOf(request).accountId };
        reply.code(201);
        return database.transaction((transaction) =>
          createWorkspace(transaction, authorOf(request), { ...request.body, ...owner }),
        );
      },
    );

    app.get(
      '/api/workspaces/:workspaceId',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'getWorkspace',
          tags: ['Workspaces'],
          summary: 'Get a workspace',
          description: 'Returns a workspace with its plan and the role of the caller.',
          params: WorkspacePath,
          response: { 200: Workspace },
        },
      },
      async (request) => readWorkspace(database, request.params.workspaceId, accountOf(request).accountId),
    );

    app.patch(
      '/api/workspaces/:workspaceId',
      {
        config: { role: 'owner' },
        schema: {
          operationId: 'updateWorkspace',
          tags: ['Workspaces'],
          summary: 'Update a workspace',
          description:
            'Omitted fields keep their value. If another workspace has the slug, the response is 409.',
          params: WorkspacePath,
          body: UpdateWorkspaceRequest,
          response: { 200: Workspace, ...problems(409) },
        },
      },
      async (request) => {
        const { workspaceId } = request.params;
        const { accountId } = accountOf(request);
        await changeWorkspace(database, authorOf(request), workspaceId, request.body);
        return readWorkspace(database, workspaceId, accountId);
      },
    );
  };
}

/** The endpoint that changes plans. It requires a platform administrator. */
export function planRoutes(services: PlanServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.patch(
      '/api/workspaces/:workspaceId/plan',
      {
        schema: {
          operationId: 'updatePlan',
          tags: ['Administration'],
          summary: 'Change the plan of a workspace',
          description: 'The change takes effect immediately. Omitted fields keep their value.',
          params: WorkspacePath,
          body: UpdatePlanRequest,
          response: { 200: Plan },
        },
      },
      async (request) => changePlan(services, authorOf(request), request.params.workspaceId, request.body),
    );
  };
}
