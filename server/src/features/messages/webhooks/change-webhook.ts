import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import type { Jobs } from '../../../jobs/queue.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail, difference } from '../../platform/audit/index.ts';
import { toAuditSettings, checkUrl, settingsOf, type UrlRules } from './create-endpoint.ts';
import { addDeliveryJobs } from './delivery-queue.ts';
import { rescheduleDeliveries } from './delivery-queries.ts';
import {
  deleteEndpointRow,
  lockEndpoint,
  databaseScopeOf,
  updateEndpoint,
  type Endpoint,
  type EndpointRef,
  type EndpointSettings,
} from './queries.ts';

/**
 * Changes an endpoint. An endpoint that is enabled again receives its waiting deliveries. A new URL also applies to waiting
 * deliveries. Throws `not_found` and `webhook_url_refused`.
 */
export async function changeEndpoint(
  { database, jobs }: { database: Database; jobs: Jobs },
  rules: UrlRules,
  author: Author,
  { webhookId, ...scope }: EndpointRef,
  change: Partial<EndpointSettings>,
): Promise<Endpoint> {
  if (change.url !== undefined) checkUrl(change.url, rules);
  return databaseScopeOf(database, scope).transaction(async (transaction) => {
    const before = await lockEndpoint(transaction, { webhookId, ...scope });
    if (!before) throw new ProblemError('not_found');
    const settings = settingsOf({ ...before, ...change });
    const changes = difference(settingsOf(before), settings);
    if (!changes) return before;
    const details = { before: toAuditSettings(changes.before), after: toAuditSettings(changes.after) };
    const after = (await updateEndpoint(transaction, webhookId, settings)) ?? before;
    if (after.enabled && !before.enabled)
      await addDeliveryJobs(jobs, transaction, await rescheduleDeliveries(transaction, webhookId));
    await auditTrail(transaction, [
      { ...author, action: 'webhook.updated', ...scope, targetId: webhookId, details },
    ]);
    return after;
  });
}

/** Deletes an endpoint with its deliveries. Running attempts end without a record. Throws `not_found`. */
export async function deleteEndpoint(
  database: Database,
  author: Author,
  { webhookId, ...scope }: EndpointRef,
): Promise<void> {
  await databaseScopeOf(database, scope).transaction(async (transaction) => {
    const endpoint = await lockEndpoint(transaction, { webhookId, ...scope });
    if (!endpoint) throw new ProblemError('not_found');
    await deleteEndpointRow(transaction, webhookId);
    const details = { before: toAuditSettings(settingsOf(endpoint)) };
    await auditTrail(transaction, [
      { ...author, action: 'webhook.deleted', ...scope, targetId: webhookId, details },
    ]);
  });
}
