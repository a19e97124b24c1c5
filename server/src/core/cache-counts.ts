/** How often a cache of this process had a value, and how often it had to load it. */
interface CacheCounts {
  hits: number;
  misses: number;
}

const caches = new Map<string, CacheCounts>();

/**
 * The counts of a cache, for the metrics. Plain numbers, because some caches answer several times in one request. Caches
 * with the same name share their counts.
 */
export function countCache(name: string): CacheCounts {
  let counts = caches.get(name);
  if (!counts) caches.set(name, (counts = { hits: 0, misses: 0 }));
  return counts;
}

/** The counts of all caches by name. */
export function cacheCounts(): ReadonlyMap<string, Readonly<CacheCounts>> {
  return caches;
}
