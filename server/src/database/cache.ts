import { LRUCache } from 'lru-cache';
import type { ChangeFeed, WatchedTable } from './change-feed.ts';

/** What was read from the database, remembered until it changes. */
export interface Cache<Value> {
  /** The remembered value, or the one that `load` reads now. What does not exist is not remembered. */
  get(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined>;
  /** Forgets everything: for the process that makes a change, which need not wait to be told of it. */
  invalidate(): void;
}

/** A bound for the case that no change is ever told of: five minutes, as the spec allows for settings. */
const LONGEST_MS = 5 * 60_000;

/**
 * Remembers up to `max` values, and forgets them all when a row of one of `tables` changes. A value whose reading began
 * before a change and ended after it is returned, but not remembered.
 */
export function createCache<Value extends object>(
  changes: ChangeFeed,
  tables: WatchedTable[],
  max: number,
): Cache<Value> {
  const values = new LRUCache<string, Value>({ max, ttl: LONGEST_MS });
  let generation = 0;
  const invalidate = (): void => {
    generation++;
    values.clear();
  };
  for (const table of tables) changes.on(table, invalidate);

  return {
    async get(key, load) {
      const known = values.get(key);
      if (known) return known;
      const began = generation;
      const value = await load();
      if (value && began === generation) values.set(key, value);
      return value;
    },
    invalidate,
  };
}
