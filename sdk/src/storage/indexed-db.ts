import type { ClientStorage } from '../core/storage.ts';

const STORE = 'entries';

/** Keeps everything in IndexedDB, which all pages of an origin share. It holds much more than `localStorage`. */
export function indexedDbStorage(name = 'guildhall'): ClientStorage {
  let opening: Promise<IDBDatabase> | undefined;

  function open(): Promise<IDBDatabase> {
    opening ??= new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(name, 1);
      request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE));
      request.addEventListener('error', () => reject(request.error));
      request.addEventListener('success', () => {
        const database = request.result;
        // The browser may close it, for example when a person clears the data of the site.
        database.addEventListener('close', () => (opening = undefined));
        database.addEventListener('versionchange', () => {
          database.close();
          opening = undefined;
        });
        resolve(database);
      });
    });
    opening.catch(() => (opening = undefined));
    return opening;
  }

  /** Runs one transaction. It resolves when the changes are on disk. */
  async function run<Result>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore, give: (result: Result) => void) => void,
  ): Promise<Result> {
    const database = await open();
    return new Promise<Result>((resolve, reject) => {
      let result: Result;
      const transaction = database.transaction(STORE, mode, { durability: 'strict' });
      transaction.addEventListener('complete', () => resolve(result));
      transaction.addEventListener('abort', () =>
        reject(transaction.error ?? new Error('The transaction was aborted.')),
      );
      work(transaction.objectStore(STORE), (value) => (result = value));
    });
  }

  return {
    get: (key) =>
      run('readonly', (store, give) => {
        const request = store.get(key);
        request.addEventListener('success', () => give(request.result));
      }),
    write: (changes, onlyIf) =>
      run('readwrite', (store, give) => {
        const change = () => {
          give(true);
          for (const [key, value] of Object.entries(changes)) {
            if (value === undefined) store.delete(key);
            else store.put(value, key);
          }
        };
        if (!onlyIf) return change();
        const request = store.get(onlyIf.key);
        request.addEventListener('success', () => (request.result === onlyIf.value ? change() : give(false)));
      }),
    list: (prefix, limit, after = '') =>
      run('readonly', (store, give) => {
        // No key of the client has a character beyond this one.
        const range = IDBKeyRange.bound(after > prefix ? after : prefix, `${prefix}\uffff`, after >= prefix);
        const keys = store.getAllKeys(range, limit);
        const values = store.getAll(range, limit);
        values.addEventListener('success', () =>
          give(keys.result.map((key, index) => [String(key), values.result[index]])),
        );
      }),
  };
}
