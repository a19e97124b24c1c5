import type { KeyKind } from '../../../core/callers.ts';
import { lockUntilCommit } from '../../../database/advisory-locks.ts';
import type { Querier } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { countUsableKeys, hasNewKeys, type KeyGroup } from './queries.ts';

/** The limit for each tenant and kind. */
const MAX_KEYS = 1_000;

/**
 * How many keys of each kind a tenant can create in 24 hours: enough to rotate all keys twice. Keys are never deleted, because the usage
 * names them, and each list counts them. A limit of all keys would stop the rotations of an old tenant for ever.
 */
const MAX_NEW_KEYS = 2_000;

const nameOf = (kind: KeyKind) => (kind === 'game' ? 'game keys' : 'API keys');

/**
 * Throws key_limit if the tenant has {@link MAX_KEYS} usable keys of the kind, except one that ends in the same transaction.
 * Other transactions wait with their keys until this one ends.
 */
export async function requireRoomForKey(
  transaction: Querier,
  { tenantId, kind }: KeyGroup,
  exceptKeyId?: string,
): Promise<void> {
  await lockUntilCommit(transaction, 'tenantKeys', tenantId);
  if ((await countUsableKeys(transaction, { tenantId, kind }, exceptKeyId)) >= MAX_KEYS)
    throw new ProblemError('key_limit', `The tenant has ${MAX_KEYS} ${nameOf(kind)}. Revoke one first.`);
}

/** Throws key_limit if the tenant has created {@link MAX_NEW_KEYS} keys of the kind in 24 hours. Rotations count too. */
export async function requireFewNewKeys(transaction: Querier, { tenantId, kind }: KeyGroup): Promise<void> {
  if (await hasNewKeys(transaction, { tenantId, kind }, MAX_NEW_KEYS))
    throw new ProblemError(
      'key_limit',
      `The tenant created ${MAX_NEW_KEYS} ${nameOf(kind)} in the last 24 hours. Use its existing keys, or try again later.`,
    );
}
