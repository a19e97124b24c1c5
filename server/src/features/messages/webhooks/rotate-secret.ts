import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { databaseScopeOf, lockEndpoint, replaceSecret, type Endpoint, type EndpointRef } from './queries.ts';
import { generateSecret, sealSecret } from './sign.ts';

const DEFAULT_OVERLAP_SECONDS = 24 * 60 * 60;

/**
 * Replaces the secret of an endpoint. Deliveries have signatures by both secrets until the overlap ends. An even older secret
 * is dropped. Throws `not_found`.
 */
export async function rotateSecret(
  { database, vault }: { database: Database; vault: Vault },
  author: Author,
  { webhookId, ...scope }: EndpointRef,
  overlapSeconds: number = DEFAULT_OVERLAP_SECONDS,
): Promise<Endpoint & { secret: string }> {
  const secret = generateSecret();
  const rotated = await databaseScopeOf(database, scope).transaction(async (transaction) => {
    if (!(await lockEndpoint(transaction, { webhookId, ...scope }))) throw new ProblemError('not_found');
    const sealed = sealSecret(vault, webhookId, secret);
    const after = await replaceSecret(transaction, webhookId, sealed, overlapSeconds);
    await auditTrail(transaction, [
      {
        ...author,
        action: 'webhook.secret_rotated',
        ...scope,
        targetId: webhookId,
        details: { overlapSeconds },
      },
    ]);
    return after;
  });
  if (!rotated) throw new ProblemError('not_found');
  return { ...rotated, secret };
}
