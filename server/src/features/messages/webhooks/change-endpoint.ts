import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import type { Jobs } from '../../../jobs/queue.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail, difference } from '../../platform/audit/index.ts';
import { audited, checkUrl, traitsOf, type UrlRules } from './create-endpoint.ts';
import { addDeliveryJobs } from './delivery-queue.ts';
import { renewTurns } from './delivery-queries.ts';
import {
  deleteEndpointRow,
  lockEndpoint,
  scopeOf,
  updateEndpoint,
  type Endpoint,
  type EndpointPlace,
  type EndpointTraits,
} from './queries.ts';

/**
 * Changes an endpoint. One that is enabled again goes on with what is due, and what waits at a new address goes there. Throws
 * not_found and webhook_url_refused.
 */
export async function changeEndpoint(
  { database, jobs }: { database: Database; jobs: Jobs },
  rules: UrlRules,
  author: Author,
  { webhookId, ...place }: EndpointPlace,
  change: Partial<EndpointTraits>,
): Promise<Endpoint> {
  if (change.url !== undefined) checkUrl(change.url, rules);
  return scopeOf(database, place).transaction(async (transaction) => {
    const before = await lockEndpoint(transaction, { webhookId, ...place });
    if (!before) throw new ProblemError('not_found');
    const traits = traitsOf({ ...before, ...change });
    const changes = difference(traitsOf(before), traits);
    if (!changes) return before;
    const details = { before: audited(changes.before), after: audited(changes.after) };
    const after = (await updateEndpoint(transaction, webhookId, traits)) ?? before;
    if (after.enabled && !before.enabled)
      await addDeliveryJobs(jobs, transaction, await renewTurns(transaction, webhookId));
    await auditTrail(transaction, [
      { ...author, action: 'webhook.updated', ...place, targetId: webhookId, details },
    ]);
    return after;
  });
}

/** Deletes an endpoint with its deliveries; those under way end unnoticed. Throws not_found. */
export async function deleteEndpoint(
  database: Database,
  author: Author,
  { webhookId, ...place }: EndpointPlace,
): Promise<void> {
  await scopeOf(database, place).transaction(async (transaction) => {
    const endpoint = await lockEndpoint(transaction, { webhookId, ...place });
    if (!endpoint) throw new ProblemError('not_found');
    await deleteEndpointRow(transaction, webhookId);
    const details = { before: audited(traitsOf(endpoint)) };
    await auditTrail(transaction, [
      { ...author, action: 'webhook.deleted', ...place, targetId: webhookId, details },
    ]);
  });
}
