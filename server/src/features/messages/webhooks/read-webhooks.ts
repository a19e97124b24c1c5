import type { Database, Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import { readPage, type PageRequest } from '../../../core/page.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { Role } from '../../../core/role.ts';
import { listAttempts, type Attempt } from './attempt-queries.ts';
import {
  countDeliveries,
  findDelivery,
  listDeliveries,
  type Delivery,
  type DeliveryFilter,
} from './delivery-queries.ts';
import {
  countWebhooks,
  findWebhook,
  listWebhooks,
  scopeOfOwner,
  type Webhook,
  type WebhookRef,
  type WebhookOwner,
} from './queries.ts';
import { requireRedelivery } from './start-redelivery.ts';
import {
  countRedeliveries,
  findRedelivery,
  listRedeliveries,
  type Redelivery,
} from './redelivery-queries.ts';

/** Reads a page of the webhooks of a workspace or of the deployment, as a role may see them. */
export async function readWebhooks(
  database: Database,
  owner: WebhookOwner,
  page: PageRequest,
  role: Role | null,
) {
  const db = scopeOfOwner(database, owner);
  const { items, ...rest } = await readPage(page, listWebhooks(db, owner, page), countWebhooks(db, owner));
  return { ...rest, items: items.map((webhook) => asSeenBy(role, webhook)) };
}

/** Reads a webhook as a role may see it. Throws `not_found`. */
export async function readWebhookAs(
  database: Database,
  ref: WebhookRef,
  role: Role | null,
): Promise<Webhook> {
  return asSeenBy(role, await readWebhook(scopeOfOwner(database, ref), ref));
}

/** A viewer sees the origin of the URL only, because path and query may contain a token. */
function asSeenBy(role: Role | null, webhook: Webhook): Webhook {
  return role === 'viewer' ? { ...webhook, url: new URL(webhook.url).origin } : webhook;
}

/** Throws `not_found`, even for a webhook of another workspace. */
async function readWebhook(db: Querier, ref: WebhookRef): Promise<Webhook> {
  const found = await findWebhook(db, ref);
  if (!found) throw new ProblemError('not_found');
  return found;
}

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
    // One snapshot: an attempt may end between the statements.
    await db.run(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`);
    const { id } = await readWebhook(db, ref);
    const delivery = await findDelivery(db, id, deliveryId);
    if (!delivery) throw new ProblemError('not_found', 'The webhook does not have this delivery.');
    const history = await listAttempts(db, deliveryId);
    if (role !== 'viewer') return { ...delivery, history };
    return { ...delivery, history: history.map((attempt) => ({ ...attempt, answer: null })) };
  });
}

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
  return requireRedelivery(await findRedelivery(db, id, redeliveryId));
}
