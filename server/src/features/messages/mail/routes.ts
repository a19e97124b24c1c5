import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { PageQuery } from '../../../http/schemas.ts';
import type { Vault } from '../../../security/vault.ts';
import { readOutbox } from './read-outbox.ts';
import { Outbox } from './schemas.ts';

/** Behind a platform admin. */
export function outboxRoutes({
  database,
  vault,
}: {
  database: Database;
  vault: Vault;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/admin/outbox',
      {
        schema: {
          operationId: 'listOutbox',
          tags: ['Administration'],
          summary: 'Mails of the last week',
          description:
            'The newest first. Without a mail server (`SMTP_URL`) they stay here to be read; with one, a mail’s text is erased ' +
            'once it is delivered.',
          querystring: PageQuery,
          response: { 200: Outbox },
        },
      },
      async (request) => readOutbox(database, vault, request.query),
    );
  };
}
