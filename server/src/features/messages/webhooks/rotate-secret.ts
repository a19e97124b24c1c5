import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { sealSecret } from './endpoint-secret.ts';
import { lockEndpoint, scopeOf, replaceSecret, type Endpoint, type EndpointPlace } from './queries.ts';
import { newSecret } from './sign.ts';

const A_DAY_SECONDS = 24 * 60 * 60;

/**
 * Gives an endpoint a new secret. The one that it had signs beside it until the overlap is over; an older one no more. Throws
 * not_found.
 */
export async function rotateSecret(
  { database, vault }: { database: Database; vault: Vault },
  author: Author,
  { webhookId, ...place }: EndpointPlace,
  overlapSeconds: number = A_DAY_SECONDS,
): Promise<Endpoint & { secret: string }> {
  const secret = newSecret();
  const rotated = await scopeOf(database, place).transaction(async (transaction) => {
    if (!(await lockEndpoint(transaction, { webhookId, ...place }))) throw new ProblemError('not_found');
    const sealed = sealSecret(vault, webhookId, secret);
    const after = await replaceSecret(transaction, webhookId, sealed, overlapSeconds);
    await auditTrail(transaction, [
      {
        ...author,
        action: 'webhook.secret_rotated',
        ...place,
        targetId: webhookId,
        details: { overlapSeconds },
      },
    ]);
    return after;
  });
  if (!rotated) throw new ProblemError('not_found');
  return { ...rotated, secret };
}
