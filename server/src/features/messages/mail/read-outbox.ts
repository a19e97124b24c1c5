import type { Querier } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { readPage, type PageRequest } from '../../../core/page.ts';
import { countMails, listMails } from './queries.ts';
import { unsealBody } from './send-mail.ts';

/** A page of the mails of the last week. */
export async function readOutbox(db: Querier, vault: Vault, page: PageRequest) {
  const { items: mails, ...rest } = await readPage(page, listMails(db, page), countMails(db));
  const items = mails.map(({ body, ...mail }) => ({
    ...mail,
    text: body && unsealBody(vault, mail.id, body).text,
  }));
  return { items, ...rest };
}
