import { LRUCache } from 'lru-cache';
import type { Database } from '../../../database/database.ts';
import { networkOf, type CreateBudget } from '../../../security/attempt-budget.ts';
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

export function createKeyLookUp(database: Database, createBudget: CreateBudget): LookUpKey {
  const met = new LRUCache<string, true>({ max: MET_KEYS });
  const introductions = new Map<string, Promise<unknown>>();
  const unknownKeys = createBudget(UNKNOWN_KEYS);

  /** The first look-up of a key. Counted before it is made, so that parallel ones do not exceed the budget. */
  const introduce = async (network: string, look: () => Promise<FoundKey | undefined>) => {
    await unknownKeys.spend(network);
    let exists = true;
    try {
      const found = await look();
      exists = found !== undefined;
      return found;
    } finally {
      if (exists) await unknownKeys.giveBack(network);
    }
  };

  return async (kind, fingerprint, address) => {
    const id = kind + fingerprint.toString('base64');
    const look = async () => {
      const found = await findKey(database, kind, fingerprint);
      if (found) met.set(id, true);
      else met.delete(id);
      return found;
    };
    // A process that starts under load gets one key in a thousand requests at once: one of them introduces it.
    const running = introductions.get(id);
    if (running) await Promise.allSettled([running]);
    if (met.has(id)) return look();
    const introduction = introduce(networkOf(address), look);
    introductions.set(id, introduction);
    try {
      return await introduction;
    } finally {
      introductions.delete(id);
    }
  };
}
