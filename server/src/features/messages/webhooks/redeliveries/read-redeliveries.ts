import type { Database, Querier } from '../../../../database/database.ts';
import { readPage, type PageRequest } from '../../../../core/page.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { scopeOfOwner, type WebhookRef } from '../queries.ts';
import { readWebhook } from '../require-webhook.ts';
import { countRedeliveries, findRedelivery, listRedeliveries, type Redelivery } from './queries.ts';

/** Reads a page of the redeliveries of a webhook, newest first. Throws `not_found`. */
export async function readRedeliveries(database: Database, ref: WebhookRef, page: PageRequest) {
  const db = scopeOfOwner(database, ref);
  const { id } = await readWebhook(db, ref);
  return readPage(page, listRedeliveries(db, id, page), countRedeliveries(db, id));
}

/** Throws `not_found`. */
export async function readRedelivery(
  database: Database,
  ref: WebhookRef,
  redeliveryId: string,
): Promise<Redelivery> {
  const db = scopeOfOwner(database, ref);
  const { id } = await readWebhook(db, ref);
  return requireRedelivery(db, id, redeliveryId);
}

/** Throws `not_found`. */
export async function requireRedelivery(
  db: Querier,
  webhookId: string,
  redeliveryId: string,
): Promise<Redelivery> {
  const found = await findRedelivery(db, webhookId, redeliveryId);
  if (!found) throw new ProblemError('not_found', 'The webhook does not have this redelivery.');
  return found;
}
