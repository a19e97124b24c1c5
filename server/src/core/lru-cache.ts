import { LRUCache } from 'lru-cache';

/** Called with each value that leaves the cache or is replaced. */
type Dispose<Key, Value> = (value: Value, key: Key) => void;

/**
 * Creates a cache of at most `max` values. It evicts the one that was used least recently.
 *
 * The library limits their sizes, and each has the size 1. With its option `max`, it would allocate the memory of all values at once:
 * 10 ms and 3 MB for 100,000.
 */
export function createLruCache<Key extends {}, Value extends {}>(
  max: number,
  options: { ttl?: number; dispose?: Dispose<Key, Value> } = {},
): LRUCache<Key, Value> {
  return new LRUCache<Key, Value>({ ...options, maxSize: max, sizeCalculation: () => 1 });
}
