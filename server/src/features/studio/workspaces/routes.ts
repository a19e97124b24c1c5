import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { accountOf, authorOf } from '../../../http/request-context.ts';
import { PageQuery, problems } from '../../../http/schemas.ts';
import { changePlan } from './change-plan.ts';
import { changeWorkspace } from './change-workspace.ts';
import { createWorkspace } from './create-workspace.ts';
import { readWorkspace, readWorkspaces } from './read-workspaces.ts';
import {
  ChangePlanBody,
  ChangeWorkspaceBody,
  CreateWorkspaceBody,
  Plan,
  Workspace,
  WorkspacePage,
  WorkspaceParams,
} from './schemas.ts';

export interface PlanServices {
  database: Database;
  /** Who is remembered with the plan of their workspace. */
  keys: { invalidate(): void };
  /** What knows how plans stand. */
  meter: { invalidate(): void };
}

/** Behind a dashboard account. */
export function workspaceRoutes(database: Database): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/workspaces',
      {
        schema: {
          operationId: 'listWorkspaces',
          tags: ['Workspaces'],
          summary: 'The workspaces of the caller',
          description: 'The oldest first.',
          querystring: PageQuery,
          response: { 200: WorkspacePage },
        },
      },
      async (request) => {
        const { accountId } = accountOf(request);
        return readWorkspaces(database.forAccount(accountId), accountId, request.query);
      },
    );

    app.post(
      '/api/workspaces',
      {
        schema: {
          operationId: 'createWorkspace',
          tags: ['Workspaces'],
          summary: 'Create a workspace',
          description: 'The caller becomes its owner. It gets the default plan.',
          body: CreateWorkspaceBody,
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
          summary: 'One workspace',
          params: WorkspaceParams,
          response: { 200: Workspace },
        },
      },
      async (request) => {
        const { accountId } = accountOf(request);
        return readWorkspace(database.forAccount(accountId), request.params.workspaceId, accountId);
      },
    );

    app.patch(
      '/api/workspaces/:workspaceId',
      {
        config: { role: 'owner' },
        schema: {
          operationId: 'updateWorkspace',
          tags: ['Workspaces'],
          summary: 'Change a workspace',
          description: 'What is left out stays as it is.',
          params: WorkspaceParams,
          body: ChangeWorkspaceBody,
          response: { 200: Workspace, ...problems(409) },
        },
      },
      async (request) => {
        const { workspaceId } = request.params;
        const { accountId } = accountOf(request);
        await changeWorkspace(database, authorOf(request), workspaceId, request.body);
        return readWorkspace(database.forAccount(accountId), workspaceId, accountId);
      },
    );
  };
}

/** Behind a platform admin. */
export function planRoutes({ database, keys, meter }: PlanServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.patch(
      '/api/workspaces/:workspaceId/plan',
      {
        schema: {
          operationId: 'changePlan',
          tags: ['Administration'],
          summary: 'Change what a workspace may use',
          description: 'Holds at once. What is left out stays as it is.',
          params: WorkspaceParams,
          body: ChangePlanBody,
          response: { 200: Plan },
        },
      },
      async (request) => {
        const { workspaceId } = request.params;
        const plan = await changePlan(database, authorOf(request), workspaceId, request.body);
        keys.invalidate();
        meter.invalidate();
        return plan;
      },
    );
  };
}
