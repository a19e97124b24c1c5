import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Database } from '../../../database/database.ts';
import { authorOf } from '../../../http/request-context.ts';
import { PageQuery } from '../../../http/schemas.ts';
import { readPage } from '../../../core/page.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { endPayment } from './end-payments.ts';
import { countPaidKeys, listPaidKeys } from './queries.ts';
import { PaidKeyPage, PaidKeyPath, WorkspacePath } from './schemas.ts';

const LIST = '/api/workspaces/:workspaceId/paid-keys';
const tags = ['Usage'];

export interface PaidKeyServices extends MailServices {
  database: Database;
  /** The cache of keys, which holds their payers. */
  keys: { invalidate(): void };
}

/** Behind a dashboard account: the API keys of other workspaces that a workspace pays for. */
export function paidKeyRoutes(services: PaidKeyServices): FastifyPluginAsyncTypebox {
  const { database, keys } = services;
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
            'The API keys of other workspaces whose reads this workspace pays for, the oldest agreement first, without ' +
            'revoked keys. `GET …/usage?groupBy=key` shows what each key costs.',
          params: WorkspacePath,
          querystring: PageQuery,
          response: { 200: PaidKeyPage },
        },
      },
      async (request) => {
        const { workspaceId } = request.params;
        const db = database.forWorkspace(workspaceId);
        return readPage(request.query, listPaidKeys(db, request.query), countPaidKeys(db));
      },
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
            'The key keeps working. Its reads are billed to its own workspace from now on. Both workspaces are notified.',
          params: PaidKeyPath,
          response: { 204: Type.Null({ description: 'The workspace no longer pays for the key.' }) },
        },
      },
      async (request, reply) => {
        await endPayment(services, authorOf(request), request.params);
        keys.invalidate();
        return reply.code(204).send(null);
      },
    );
  };
}
