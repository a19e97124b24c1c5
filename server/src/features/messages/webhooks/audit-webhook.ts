import type { Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { audit, type AuditAction } from '../../platform/audit/index.ts';
import type { WebhookRef } from './queries.ts';

/** Writes the audit record of a change of a webhook in the caller's transaction. */
export function auditWebhook(
  transaction: Querier,
  author: Author,
  { webhookId, workspaceId }: WebhookRef,
  action: AuditAction,
  details: Record<string, unknown>,
): Promise<void> {
  return audit(transaction, { ...author, action, workspaceId, targetId: webhookId, details });
}
