import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { readPage, type PageRequest } from '../../../core/page.ts';
import type { Database, Querier } from '../../../database/database.ts';
import { PageQuery } from '../../../http/schemas.ts';
import type { Vault } from '../../../security/vault.ts';
import { countMails, listMails } from './queries.ts';
import { Outbox } from './schemas.ts';
import { unsealBody } from './send-mail.ts';

/** Authenticated by a platform administrator. */
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
          operationId: 'listOutboxMails',
          tags: ['Administration'],
          summary: 'List mails in the outbox',
          description:
            'Returns the mails of the last 7 days in pages, newest first, at most the last 10,000. If no mail server is configured ' +
            '(`SMTP_URL`), read all mails here. Otherwise the text of a mail is erased after its delivery.',
          querystring: PageQuery,
          response: { 200: Outbox },
        },
      },
      async (request) => readOutbox(database, vault, request.query),
    );
  };
}

/** Reads a page of the mails of the last 7 days and decrypts their text. */
async function readOutbox(db: Querier, vault: Vault, page: PageRequest) {
  const { items: mails, ...rest } = await readPage(page, listMails(db, page), countMails(db));
  const items = mails.map(({ body, ...mail }) => ({
    ...mail,
    text: body && unsealBody(vault, mail.id, body).text,
  }));
  return { items, ...rest };
}
