import type { ClientStorage } from '../core/storage.ts';
import { SortedMap } from './sorted-map.ts';

/** Keeps everything until the program ends. For tests, and for servers that sign in again. */
export function memoryStorage(): ClientStorage {
  const values = new SortedMap();
  return {
    get: async (key) => values.get(key),
    write: async (changes, onlyIf) => {
      if (onlyIf && values.get(onlyIf.key) !== onlyIf.value) return false;
      for (const [key, value] of Object.entries(changes)) {
        if (value === undefined) values.delete(key);
        else values.set(key, value);
      }
      return true;
    },
    list: async (prefix, limit, after) => values.list(prefix, limit, after),
  };
}
