import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditWebhook } from './audit-webhook.ts';
import { replaceSecret, scopeOfOwner, type Webhook, type WebhookRef } from './queries.ts';
import { requireWebhook } from './require-webhook.ts';
import { generateSecret, sealSecret } from './sign.ts';

const DEFAULT_OVERLAP_SECONDS = 24 * 60 * 60;

/**
 * Replaces the secret of a webhook. Deliveries have signatures by both secrets until the overlap ends. An even older secret
 * is dropped. Throws `not_found`.
 */
export async function rotateSecret(
  { database, vault }: { database: Database; vault: Vault },
  author: Author,
  ref: WebhookRef,
  overlapSeconds: number = DEFAULT_OVERLAP_SECONDS,
): Promise<Webhook & { secret: string }> {
  const secret = generateSecret();
  const rotated = await scopeOfOwner(database, ref).transaction(async (transaction) => {
    const { id } = await requireWebhook(transaction, ref);
    const after = await replaceSecret(transaction, id, sealSecret(vault, id, secret), overlapSeconds);
    await auditWebhook(transaction, author, ref, 'webhook.secret_rotated', { overlapSeconds });
    return after;
  });
  if (!rotated) throw new ProblemError('not_found');
  return { ...rotated, secret };
}
