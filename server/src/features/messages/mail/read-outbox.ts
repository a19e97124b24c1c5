import { readPage, type PageRequest } from '../../../core/page.ts';
import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { countMails, listMails } from './queries.ts';
import { unsealBody } from './send-mail.ts';

/** Reads a page of the mails of the last 7 days and decrypts their text. */
export async function readOutbox(
  { database, vault }: { database: Database; vault: Vault },
  page: PageRequest,
) {
  const { items: mails, ...rest } = await readPage(page, listMails(database, page), countMails(database));
  const items = mails.map(({ body, ...mail }) => ({
    ...mail,
    text: body && unsealBody(vault, mail.id, body).text,
  }));
  return { items, ...rest };
}
