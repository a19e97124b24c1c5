import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { authorOf } from '../../../http/request-context.ts';
import { PageQuery, WorkspacePath } from '../../../http/schemas.ts';
import { endPayment, type EndPaymentServices } from './end-payments.ts';
import { readPaidKeys } from './read-paid-keys.ts';
import { PaidKeyPage, PaidKeyPath } from './schemas.ts';

const LIST = '/api/workspaces/:workspaceId/paid-keys';
const tags = ['Usage'];

/** The endpoints of paid keys: API keys of other workspaces whose reads this workspace pays for. They require an account. */
export function paidKeyRoutes(services: EndPaymentServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      LIST,
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listPaidKeys',
          tags,
          summary: 'List paid API keys',
          description:
            'Returns the API keys of other workspaces whose reads this workspace pays for, oldest agreement first. Revoked and ' +
            'expired keys are not included. `GET …/usage?groupBy=key` returns the usage of each key.',
          params: WorkspacePath,
          querystring: PageQuery,
          response: { 200: PaidKeyPage },
        },
      },
      async (request) => readPaidKeys(services.database, request.params.workspaceId, request.query),
    );

    app.delete(
      `${LIST}/:keyId`,
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'endPayment',
          tags,
          summary: 'Stop paying for a key',
          description:
            'The key keeps working, but later reads are billed to its own workspace. If the key was rotated, this includes all ' +
            'keys of the same agreement. Both workspaces are notified. If the workspace pays for none of them, the response is 404.',
          params: PaidKeyPath,
          response: { 204: Type.Null({ description: 'The workspace no longer pays for the key.' }) },
        },
      },
      async (request, reply) => {
        await endPayment(services, authorOf(request), request.params);
        return reply.code(204).send(null);
      },
    );
  };
}
