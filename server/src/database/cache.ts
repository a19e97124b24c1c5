import { LRUCache } from 'lru-cache';
import { countCache } from '../core/cache-counts.ts';
import type { ChangeFeed, WatchedTable } from './change-feed.ts';

/** Caches values from the database until they change. */
export interface Cache<Value> {
  /** Returns the cached value, or loads it. A missing value is not cached. */
  get(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined>;
  /** Invalidates all values. A process that makes a change calls it, and need not wait for the notification. */
  invalidate(): void;
}

/** The maximum age of a cached value, in case a notification is lost. */
const MAX_AGE_MS = 5 * 60_000;

/**
 * Caches up to `max` values, and invalidates all of them when a row of one of `tables` changes. A value that was loaded
 * during a change is returned, but not cached. The metrics count its hits under `name`.
 */
export function createCache<Value extends object>(
  name: string,
  changes: ChangeFeed,
  tables: WatchedTable[],
  max: number,
): Cache<Value> {
  const values = new LRUCache<string, Value>({ max, ttl: MAX_AGE_MS });
  const counts = countCache(name);
  let generation = 0;
  const invalidate = (): void => {
    generation++;
    values.clear();
  };
  for (const table of tables) changes.on(table, invalidate);

  return {
    async get(key, load) {
      const known = values.get(key);
      if (known) {
        counts.hits++;
        return known;
      }
      counts.misses++;
      const began = generation;
      const value = await load();
      if (value && began === generation) values.set(key, value);
      return value;
    },
    invalidate,
  };
}
