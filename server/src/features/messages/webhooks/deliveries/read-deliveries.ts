import type { Database } from '../../../../database/database.ts';
import { readPage, type PageRequest } from '../../../../core/page.ts';
import { ProblemError } from '../../../../core/problem.ts';
import type { Role } from '../../../../core/role.ts';
import { scopeOfOwner, type WebhookRef } from '../queries.ts';
import { readWebhook } from '../require-webhook.ts';
import { listAttempts, type Attempt } from './attempt-queries.ts';
import {
  countDeliveries,
  findDelivery,
  listDeliveries,
  readFromOneSnapshot,
  type Delivery,
  type DeliveryFilter,
} from './queries.ts';

/** Reads a page of the deliveries of a webhook, newest first. Throws `not_found`. */
export async function readDeliveries(
  database: Database,
  ref: WebhookRef,
  filter: DeliveryFilter,
  page: PageRequest,
) {
  const db = scopeOfOwner(database, ref);
  const { id } = await readWebhook(db, ref);
  return readPage(page, listDeliveries(db, id, filter, page), countDeliveries(db, id, filter));
}

/**
 * Reads a delivery with its body and its attempts, as a role may see them. A viewer gets no answers, because an answer may repeat the
 * path of the URL. Throws `not_found`.
 */
export async function readDelivery(
  database: Database,
  ref: WebhookRef,
  deliveryId: string,
  role: Role | null,
): Promise<Delivery & { body: string; history: Attempt[] }> {
  return scopeOfOwner(database, ref).transaction(async (db) => {
    // An attempt may end between the statements.
    await readFromOneSnapshot(db);
    const { id } = await readWebhook(db, ref);
    const delivery = await findDelivery(db, id, deliveryId);
    if (!delivery) throw new ProblemError('not_found', 'The webhook does not have this delivery.');
    const history = await listAttempts(db, deliveryId);
    if (role !== 'viewer') return { ...delivery, history };
    return { ...delivery, history: history.map((attempt) => ({ ...attempt, answer: null })) };
  });
}
