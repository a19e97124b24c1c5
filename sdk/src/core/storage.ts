/** Values by key. `undefined` deletes the key. */
export type Changes = Record<string, string | undefined>;

/** The value that a key must have, or undefined if it must be missing. */
export interface Condition {
  key: string;
  value: string | undefined;
}

/**
 * The storage of a client's session and waiting events. `memoryStorage`, `localStorage`, `indexedDbStorage` and
 * `fileStorage` exist; another platform needs these three functions. Each call must end.
 */
export interface ClientStorage {
  /** The most bytes of waiting events that a queue adds to this storage by default. Set by storages that hold little. */
  readonly maxEventBytes?: number;
  get(key: string): Promise<string | undefined>;
  /**
   * Makes all changes or none. With `onlyIf` it changes nothing and returns false if the key has another value. A
   * resolved write survives the end of the program, except in memory.
   */
  write(changes: Changes, onlyIf?: Condition): Promise<boolean>;
  /** The first entries whose keys begin with the prefix and come after the key `after`, in the order of the keys. */
  list(prefix: string, limit: number, after?: string): Promise<[key: string, value: string][]>;
  /** Calls the listener when another page of the browser may have changed the key. Returns a function that ends this. */
  watch?(key: string, listener: () => void): () => void;
}

/** Throws a `TypeError` if this is not a storage, for example a promise of one. */
export function requireStorage(storage: Partial<ClientStorage> | undefined): ClientStorage {
  for (const name of ['get', 'write', 'list'] as const)
    if (typeof storage?.[name] !== 'function')
      throw new TypeError(
        `The option storage has no function ${name}. Pass a storage such as memoryStorage() or await fileStorage(path).`,
      );
  return storage as ClientStorage;
}
