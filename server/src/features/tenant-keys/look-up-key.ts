import { LRUCache } from 'lru-cache';
import type { Database } from '../../database/database.ts';
import { networkOf, type OpenBudget } from '../../security/attempt-budget.ts';
import { findKey, type FoundKey } from './queries.ts';

/**
 * Keys that do not exist, which one network may ask for in a minute: ten a second are nothing to the database, and many
 * copies of a game whose key was revoked may share an address.
 */
const UNKNOWN_KEYS = {
  name: 'unknown-keys',
  attempts: 600,
  seconds: 60,
  refusal: 'Too many keys that do not exist were sent from here.',
};

/** Keys that are known to exist. */
const MET_KEYS = 10_000;

/**
 * A key as the database has it. Throws too_many_attempts, without asking the database, where too many that do not exist were
 * tried from the address's network. A key that was found the last time is always looked up.
 */
export type LookUpKey = (
  kind: 'game' | 'api',
  fingerprint: Buffer,
  address: string | null,
) => Promise<FoundKey | undefined>;

export function openKeyLookUp(database: Database, openBudget: OpenBudget): LookUpKey {
  const met = new LRUCache<string, true>({ max: MET_KEYS });
  const unknownKeys = openBudget(UNKNOWN_KEYS);

  return async (kind, fingerprint, address) => {
    const id = kind + fingerprint.toString('base64');
    if (met.has(id)) {
      const found = await findKey(database, kind, fingerprint);
      if (!found) met.delete(id);
      return found;
    }
    const network = networkOf(address);
    // Counted before it is made, so that parallel ones do not exceed the budget.
    await unknownKeys.spend(network);
    let unknown = false;
    try {
      const found = await findKey(database, kind, fingerprint);
      if (found) met.set(id, true);
      unknown = !found;
      return found;
    } finally {
      if (!unknown) await unknownKeys.giveBack(network);
    }
  };
}
