import { createLruCache } from '../core/lru-cache.ts';
import { countCache } from '../core/cache-counts.ts';
import type { ChangeFeed, WatchedTable } from './change-feed.ts';

/** Caches values from the database until they change. */
interface Cache<Value> {
  /** Returns the cached value, or loads it. A missing value is not cached. */
  get(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined>;
  /**
   * Invalidates the values that depend on a row. A process that changes the row calls it, and need not wait for the
   * notification.
   */
  invalidate(id: string): void;
}

/** The maximum age of a cached value, in case a notification is lost. */
const MAX_AGE_MS = 5 * 60_000;

interface CacheOptions<Value> {
  /** The metrics count the hits of the cache under this name. */
  name: string;
  changes: ChangeFeed;
  /** The tables whose rows the values depend on. */
  tables: WatchedTable[];
  /** How many values are cached. */
  max: number;
  /** Returns the ids of the rows that a value depends on, as the change feed reports them. Default: the key. */
  idsOf?: (value: Value, key: string) => string[];
}

/**
 * Creates a cache. A change invalidates only the values that depend on the changed row, so that one customer cannot empty the
 * cache of all others. A value that was loaded during a change of its rows is returned, but not cached.
 */
export function createCache<Value extends object>({
  name,
  changes,
  tables,
  max,
  idsOf = (_value, key) => [key],
}: CacheOptions<Value>): Cache<Value> {
  const keysById = new Map<string, Set<string>>();
  const values = createLruCache<string, Value>(max, {
    ttl: MAX_AGE_MS,
    dispose(value, key) {
      for (const id of idsOf(value, key)) {
        const keys = keysById.get(id);
        keys?.delete(key);
        if (keys?.size === 0) keysById.delete(id);
      }
    },
  });
  const store = (key: string, value: Value): void => {
    values.set(key, value);
    for (const id of idsOf(value, key)) {
      const keys = keysById.get(id);
      if (keys) keys.add(key);
      else keysById.set(id, new Set([key]));
    }
  };
  const counts = countCache(name);
  /** For each running load, the ids that have changed since it began. */
  const running = new Set<Set<string>>();

  const invalidate = (id: string): void => {
    for (const changed of running) changed.add(id);
    for (const key of keysById.get(id) ?? []) values.delete(key);
  };
  const invalidateAll = (): void => {
    running.clear();
    values.clear();
  };
  for (const table of tables) changes.on(table, (id) => (id ? invalidate(id) : invalidateAll()));

  return {
    async get(key, load) {
      const known = values.get(key);
      if (known) {
        counts.hits++;
        return known;
      }
      counts.misses++;
      const changed = new Set<string>();
      running.add(changed);
      try {
        const value = await load();
        if (value && running.has(changed) && !idsOf(value, key).some((id) => changed.has(id)))
          store(key, value);
        return value;
      } finally {
        running.delete(changed);
      }
    },
    invalidate,
  };
}
