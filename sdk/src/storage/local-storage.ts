import type { ClientStorage } from '../core/storage.ts';

const localPageStorage: ClientStorage = {
  // Two tabs may each have a full queue, and the session needs room too.
  maxEventBytes: 2 * 1024 * 1024,
  get: async (key) => open().getItem(key) ?? undefined,
  write: async (changes, onlyIf) => {
    const storage = open();
    if (onlyIf && (storage.getItem(onlyIf.key) ?? undefined) !== onlyIf.value) return false;
    const before = Object.keys(changes).map((key) => [key, storage.getItem(key)] as const);
    try {
      // Deletes first, because this makes room for the new entries.
      for (const [key, value] of Object.entries(changes)) if (value === undefined) storage.removeItem(key);
      for (const [key, value] of Object.entries(changes))
        if (value !== undefined) storage.setItem(key, value);
    } catch (error) {
      for (const [key] of before) storage.removeItem(key);
      for (const [key, value] of before) if (value !== null) storage.setItem(key, value);
      throw error;
    }
    return true;
  },
  list: async (prefix, limit, after = '') => {
    const storage = open();
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
  watch: (key, listener) => {
    // Node has a `localStorage` without these events.
    if (typeof addEventListener !== 'function') return () => {};
    const onStorage = (event: StorageEvent) => {
      // All keys may have been deleted at once. Then the event names none.
      if (event.storageArea === open() && (event.key === key || event.key === null)) listener();
    };
    addEventListener('storage', onStorage);
    return () => removeEventListener('storage', onStorage);
  },
};

/**
 * Keeps everything in the browser's `localStorage`, which all pages of an origin share. It holds about 5 MB. Each call returns the same
 * object, so that all clients of a page notice a sign-in.
 */
export const localStorage = (): ClientStorage => localPageStorage;

/** A browser that blocks the storage throws here, for example in a frame of another site. */
const open = () => globalThis.localStorage;
