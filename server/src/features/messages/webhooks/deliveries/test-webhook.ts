import type { Author } from '../../../../core/author.ts';
import type { Database } from '../../../../database/database.ts';
import type { Jobs } from '../../../../jobs/queue.ts';
import { auditWebhook } from '../audit-webhook.ts';
import { scopeOfOwner, type WebhookRef } from '../queries.ts';
import { requireEnabled } from '../require-webhook.ts';
import { deliver } from './publish.ts';
import { findDelivery, type Delivery } from './queries.ts';

/** Creates a `webhook.test` delivery for a webhook. Throws `not_found` and `webhook_disabled`. */
export async function testWebhook(
  { database, jobs }: { database: Database; jobs: Jobs },
  author: Author,
  ref: WebhookRef,
): Promise<Delivery> {
  return scopeOfOwner(database, ref).transaction(async (transaction) => {
    const { id, workspaceId, tenantId } = await requireEnabled(transaction, ref);
    const [deliveryId = ''] = await deliver(jobs, transaction, [id], {
      type: 'webhook.test',
      data: { ...(workspaceId && { workspaceId }), ...(tenantId && { tenantId }) },
    });
    await auditWebhook(transaction, author, ref, 'webhook.tested', { deliveryId });
    return (await findDelivery(transaction, id, deliveryId))!;
  });
}
