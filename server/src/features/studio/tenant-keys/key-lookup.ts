import { createLruCache } from '../../../core/lru-cache.ts';
import type { KeyKind } from '../../../core/callers.ts';
import type { Database } from '../../../database/database.ts';
import type { CreateBudget } from '../../../security/attempt-budget.ts';
import { createNetworkBudget } from '../../../security/network-budget.ts';
import { findKey, type FoundKey } from './queries.ts';

/**
 * How many unknown keys one network can send per minute. The database answers 10 lookups per second without effort. The limit
 * is not lower, because many copies of a game with a revoked key can share an IP address.
 */
const UNKNOWN_KEY_BUDGET = {
  name: 'unknown-keys',
  attempts: 600,
  seconds: 60,
  refusal:
    'Your network sent too many unknown keys (limit: 600 per minute). This key may be valid: the server has not looked it up. ' +
    'Check the keys that your network sends, and retry later.',
};

const MAX_EXISTING_KEYS = 10_000;

/**
 * Finds a key in the database. Throws too_many_attempts, without a query, if the network of the address has used its budget for
 * unknown keys. A key that existed at its last lookup is always looked up.
 */
type LookUpKey = (
  kind: KeyKind,
  fingerprint: Buffer,
  address: string | null,
) => Promise<FoundKey | undefined>;

export function createKeyLookup(database: Database, createBudget: CreateBudget): LookUpKey {
  /** Keys that existed at their last lookup. */
  const existing = createLruCache<string, true>(MAX_EXISTING_KEYS);
  const firstLookups = new Map<string, Promise<unknown>>();
  const unknownKeys = createNetworkBudget(createBudget, UNKNOWN_KEY_BUDGET);

  /** Spends from the budget before the lookup, so parallel lookups cannot exceed it. */
  const lookUpFirst = async (address: string | null, query: () => Promise<FoundKey | undefined>) => {
    await unknownKeys.spend(address);
    let exists = true;
    try {
      const found = await query();
      exists = found !== undefined;
      return found;
    } finally {
      if (exists) await unknownKeys.giveBack(address);
    }
  };

  return async (kind, fingerprint, address) => {
    const id = kind + fingerprint.toString('base64');
    const query = async () => {
      const found = await findKey(database, kind, fingerprint);
      if (found) existing.set(id, true);
      else existing.delete(id);
      return found;
    };
    // A process that starts under load can receive one key in 1,000 parallel requests. Only one of them spends from the budget.
    const running = firstLookups.get(id);
    if (running) await Promise.allSettled([running]);
    if (existing.has(id)) return query();
    const firstLookup = lookUpFirst(address, query);
    firstLookups.set(id, firstLookup);
    try {
      return await firstLookup;
    } finally {
      firstLookups.delete(id);
    }
  };
}
