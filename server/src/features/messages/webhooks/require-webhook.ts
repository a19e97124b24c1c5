import type { Querier } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { findWebhook, lockWebhook, type Webhook, type WebhookRef } from './queries.ts';

/** Throws `not_found`, even for a webhook of another owner. */
export async function readWebhook(db: Querier, ref: WebhookRef): Promise<Webhook> {
  const webhook = await findWebhook(db, ref);
  if (!webhook) throw new ProblemError('not_found');
  return webhook;
}

/** Locks a webhook until the transaction ends. Throws `not_found`, even for a webhook of another owner. */
export async function requireWebhook(transaction: Querier, ref: WebhookRef): Promise<Webhook> {
  const webhook = await lockWebhook(transaction, ref);
  if (!webhook) throw new ProblemError('not_found');
  return webhook;
}

/** Locks an enabled webhook until the transaction ends. Throws `not_found` and `webhook_disabled`. */
export async function requireEnabled(transaction: Querier, ref: WebhookRef): Promise<Webhook> {
  const webhook = await requireWebhook(transaction, ref);
  if (!webhook.enabled)
    throw new ProblemError('webhook_disabled', 'The webhook is disabled. Enable it first.');
  return webhook;
}
