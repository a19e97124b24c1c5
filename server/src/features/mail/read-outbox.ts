import type { Querier } from '../../database/database.ts';
import type { Vault } from '../../security/vault.ts';
import { countMails, listMails } from './queries.ts';
import { openBody } from './send-mail.ts';

/** A page of the mails of the last week. */
export async function readOutbox(db: Querier, vault: Vault, page: { limit: number; offset: number }) {
  const [mails, totalCount] = await Promise.all([listMails(db, page), countMails(db)]);
  const items = mails.map(({ body, ...mail }) => ({
    ...mail,
    text: body && openBody(vault, mail.id, body).text,
  }));
  return { items, limit: page.limit, offset: page.offset, totalCount };
}
