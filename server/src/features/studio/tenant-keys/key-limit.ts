import { lockUntilCommit } from '../../../database/advisory-locks.ts';
import type { Querier } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { countUsableKeys, type KeyReference } from './queries.ts';

/** The limit for each tenant and kind. */
const MAX_KEYS = 1_000;

/**
 * Throws key_limit if the tenant has {@link MAX_KEYS} usable keys of the kind. A key that ends in the same transaction is not
 * counted. Other transactions wait with their keys until this one ends.
 */
export async function requireRoomForKey(
  transaction: Querier,
  { tenantId, kind }: Pick<KeyReference, 'tenantId' | 'kind'>,
  { endingKeyId = null }: { endingKeyId?: string | null } = {},
): Promise<void> {
  await lockUntilCommit(transaction, 'tenantKeys', tenantId);
  if ((await countUsableKeys(transaction, { tenantId, kind }, endingKeyId)) >= MAX_KEYS)
    throw new ProblemError(
      'key_limit',
      `The tenant has ${MAX_KEYS} ${kind === 'game' ? 'game keys' : 'API keys'}. Revoke one first.`,
    );
}
