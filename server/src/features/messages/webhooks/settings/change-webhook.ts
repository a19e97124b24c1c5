import type { Database } from '../../../../database/database.ts';
import type { Author } from '../../../../core/author.ts';
import type { Jobs } from '../../../../jobs/queue.ts';
import { difference } from '../../../platform/audit/index.ts';
import { auditWebhook } from '../audit-webhook.ts';
import { deleteDeliveries, rescheduleDeliveries } from '../deliveries/queries.ts';
import { addDeliveryJobs } from '../deliveries/queue.ts';
import {
  deleteWebhookRow,
  scopeOfOwner,
  updateWebhook,
  type Webhook,
  type WebhookRef,
  type WebhookSettings,
} from '../queries.ts';
import { readWebhook, requireWebhook } from '../require-webhook.ts';
import { toAuditSettings, checkUrl, settingsOf, type UrlRules } from './webhook-settings.ts';

/**
 * Changes a webhook. A webhook that is enabled again receives its waiting deliveries. A new URL also applies to waiting
 * deliveries. Throws `not_found` and `webhook_url_refused`.
 */
export async function changeWebhook(
  { database, jobs, config }: { database: Database; jobs: Jobs; config: UrlRules },
  author: Author,
  ref: WebhookRef,
  change: Partial<WebhookSettings>,
): Promise<Webhook> {
  if (change.url !== undefined) checkUrl(change.url, config);
  return scopeOfOwner(database, ref).transaction(async (transaction) => {
    const before = await requireWebhook(transaction, ref);
    const settings = settingsOf({ ...before, ...change });
    const changes = difference(settingsOf(before), settings);
    if (!changes) return before;
    const details = { before: toAuditSettings(changes.before), after: toAuditSettings(changes.after) };
    const after = await updateWebhook(transaction, before.id, settings);
    if (after.enabled && !before.enabled)
      await addDeliveryJobs(jobs, transaction, await rescheduleDeliveries(transaction, before.id));
    await auditWebhook(transaction, author, ref, 'webhook.updated', details);
    return after;
  });
}

/**
 * Deletes a webhook with its deliveries. Running attempts end without a record. Throws `not_found`. The deliveries are deleted before it,
 * in steps: every transaction with an event for the webhook waits for the one that deletes it.
 */
export async function deleteWebhook(database: Database, author: Author, ref: WebhookRef): Promise<void> {
  const scope = scopeOfOwner(database, ref);
  await readWebhook(scope, ref);
  await deleteDeliveries(scope, ref.webhookId);
  await scope.transaction(async (transaction) => {
    const webhook = await requireWebhook(transaction, ref);
    await deleteWebhookRow(transaction, webhook.id);
    const details = { before: toAuditSettings(settingsOf(webhook)) };
    await auditWebhook(transaction, author, ref, 'webhook.deleted', details);
  });
}
