import { enterScope, type Database, type Querier } from '../../../../database/database.ts';
import type { Author } from '../../../../core/author.ts';
import type { IdempotentRequest } from '../../../../http/idempotency-key.ts';
import type { Vault } from '../../../../security/vault.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { runOnce } from '../../../platform/idempotency/index.ts';
import { auditWebhook } from '../audit-webhook.ts';
import {
  countEarlierSecrets,
  replaceSecret,
  scopeOfOwner,
  type Webhook,
  type WebhookRef,
} from '../queries.ts';
import { requireWebhook } from '../require-webhook.ts';
import { generateSecret, sealSecret } from '../sign.ts';

const DEFAULT_OVERLAP_SECONDS = 24 * 60 * 60;
/** Each of them adds a signature to every delivery. */
const MAX_EARLIER_SECRETS = 5;

type Rotated = Webhook & { secret: string };

/**
 * Replaces the secret of a webhook. Deliveries have signatures by the new secret, and by each earlier one until its overlap ends. So
 * a rotation that is repeated does not end the secret that the receiver still uses. Without an overlap all earlier secrets end. A
 * repeated request gets the first response without the secret. Throws `not_found`, and `conflict` if too many secrets sign.
 */
export async function rotateSecret(
  { database, vault }: { database: Database; vault: Vault },
  author: Author,
  ref: WebhookRef,
  overlapSeconds: number = DEFAULT_OVERLAP_SECONDS,
  request?: IdempotentRequest,
): Promise<Webhook & { secret?: string }> {
  return scopeOfOwner(database, ref).transaction(async (transaction) => {
    if (request) await enterScope(transaction, 'tenant_id', request.tenantId);
    return runOnce(
      transaction,
      request,
      async (): Promise<Rotated> => {
        const { id } = await requireWebhook(transaction, ref);
        if (overlapSeconds > 0) await requireRoomForSecret(transaction, id);
        const secret = generateSecret();
        const rotated = await replaceSecret(transaction, id, sealSecret(vault, id, secret), overlapSeconds);
        await auditWebhook(transaction, author, ref, 'webhook.secret_rotated', { overlapSeconds });
        return { ...rotated, secret };
      },
      withoutSecret,
    );
  });
}

async function requireRoomForSecret(transaction: Querier, webhookId: string): Promise<void> {
  if ((await countEarlierSecrets(transaction, webhookId)) < MAX_EARLIER_SECRETS) return;
  throw new ProblemError(
    'conflict',
    `${MAX_EARLIER_SECRETS} earlier secrets of the webhook still sign. Wait until an overlap ends, or end all of them with overlapSeconds 0.`,
  );
}

function withoutSecret({ secret: _, ...shown }: Rotated): Webhook & { secret?: string } {
  return shown;
}
