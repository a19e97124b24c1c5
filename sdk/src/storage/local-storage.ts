import type { ClientStorage } from '../core/storage.ts';

/** Keeps everything in the browser's `localStorage`, which all pages of an origin share. It holds about 5 MB. */
export function localStorage(): ClientStorage {
  const storage = globalThis.localStorage;
  const restore = (key: string, value: string | null | undefined) => {
    if (typeof value === 'string') storage.setItem(key, value);
    else storage.removeItem(key);
  };
  return {
    get: async (key) => storage.getItem(key) ?? undefined,
    write: async (changes, onlyIf) => {
      if (onlyIf && (storage.getItem(onlyIf.key) ?? undefined) !== onlyIf.value) return false;
      const before = Object.keys(changes).map((key) => [key, storage.getItem(key)] as const);
      try {
        // Deletes first, because this makes room for the new entries.
        for (const [key, value] of Object.entries(changes)) if (value === undefined) storage.removeItem(key);
        for (const [key, value] of Object.entries(changes))
          if (value !== undefined) storage.setItem(key, value);
      } catch (error) {
        for (const [key] of before) storage.removeItem(key);
        for (const [key, value] of before) restore(key, value);
        throw error;
      }
      return true;
    },
    list: async (prefix, limit, after = '') => {
      const keys: string[] = [];
      for (let index = 0; index < storage.length; index++) {
        const key = storage.key(index);
        if (key?.startsWith(prefix) && key > after) keys.push(key);
      }
      return keys
        .toSorted()
        .slice(0, limit)
        .flatMap((key): [string, string][] => {
          const value = storage.getItem(key);
          return value === null ? [] : [[key, value]];
        });
    },
    watch: (listener) => {
      const heard = ({ storageArea }: StorageEvent) => storageArea === storage && listener();
      addEventListener('storage', heard);
      return () => removeEventListener('storage', heard);
    },
  };
}
