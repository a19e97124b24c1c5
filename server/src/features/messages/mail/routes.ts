import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { PageQuery } from '../../../http/schemas.ts';
import type { Vault } from '../../../security/vault.ts';
import { readOutbox } from './read-outbox.ts';
import { OutboxMailPage } from './schemas.ts';

/** Authenticated by a platform administrator. */
export function outboxRoutes(services: { database: Database; vault: Vault }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/admin/outbox',
      {
        schema: {
          operationId: 'listOutboxMails',
          tags: ['Administration'],
          summary: 'List emails in the outbox',
          description:
            'Returns the emails of the last 7 days in pages, newest first, at most the last 10,000. If no mail server is configured ' +
            '(`SMTP_URL`), read all emails here. Otherwise the text of an email is erased after its delivery.',
          querystring: PageQuery,
          response: { 200: OutboxMailPage },
        },
      },
      async (request) => readOutbox(services, request.query),
    );
  };
}
