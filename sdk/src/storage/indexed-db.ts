import type { ClientStorage } from '../core/storage.ts';

const STORE = 'entries';

/** A browser may never answer, for example while another page keeps a transaction open. */
const LONGEST_MS = 10_000;

/** Reads and changes entries in one transaction, and gives its result. */
type Work<Result> = (store: IDBObjectStore, give: (result: Result) => void) => void;

/** Keeps everything in IndexedDB, which all pages of an origin share. It holds much more than `localStorage`. */
export function indexedDbStorage(name = 'guildhall'): ClientStorage {
  let connection: Promise<IDBDatabase> | undefined;
  /** Tells other pages that a key has changed. */
  const channels = new Map<string, BroadcastChannel>();

  function connect(): Promise<IDBDatabase> {
    if (connection) return connection;
    const opening = new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(name, 1);
      request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE));
      request.addEventListener('error', () => reject(request.error));
      request.addEventListener('success', () => {
        const database = request.result;
        // The browser may close it, for example when a person clears the data of the site.
        database.addEventListener('close', () => disconnect(opening));
        database.addEventListener('versionchange', () => disconnect(opening));
        resolve(database);
      });
    });
    opening.catch(() => disconnect(opening));
    connection = opening;
    return opening;
  }

  /** Closes a connection, so that the next call opens another one. */
  function disconnect(ended: Promise<IDBDatabase>): void {
    if (connection === ended) connection = undefined;
    ended.then(
      (database) => database.close(),
      () => {},
    );
  }

  /** Runs one transaction. It resolves when the changes are on disk. */
  async function run<Result>(
    mode: IDBTransactionMode,
    work: Work<Result>,
    isSecond = false,
  ): Promise<Result> {
    const opening = connect();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        disconnect(opening);
        reject(new Error(`IndexedDB did not answer within ${LONGEST_MS / 1000} seconds.`));
      }, LONGEST_MS);
    });
    const result = opening.then((database) => transact(database, mode, work));
    try {
      return await Promise.race([result, limit]);
    } catch (error) {
      // WebKit ends the connections of suspended pages without an event.
      if (isSecond || !['InvalidStateError', 'UnknownError'].includes((error as Error).name)) throw error;
      disconnect(opening);
      return run(mode, work, true);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    get: (key) =>
      run('readonly', (store, give) => {
        const request = store.get(key);
        request.addEventListener('success', () => give(request.result));
      }),
    write: async (changes, onlyIf) => {
      const isDone = await run<boolean>('readwrite', (store, give) => {
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
      });
      if (isDone) for (const key of Object.keys(changes)) channels.get(key)?.postMessage(undefined);
      return isDone;
    },
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
    watch: (key, listener) => {
      const channel = channels.get(key) ?? new BroadcastChannel(`${name} ${key}`);
      channels.set(key, channel);
      // In Node, which has no IndexedDB, the channel would keep the program running.
      (channel as { unref?(): void }).unref?.();
      channel.addEventListener('message', listener);
      return () => channel.removeEventListener('message', listener);
    },
  };
}

function transact<Result>(
  database: IDBDatabase,
  mode: IDBTransactionMode,
  work: Work<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let result: Result;
    const transaction = database.transaction(STORE, mode, { durability: 'strict' });
    transaction.addEventListener('complete', () => resolve(result));
    transaction.addEventListener('abort', () =>
      reject(transaction.error ?? new Error('The transaction was aborted.')),
    );
    work(transaction.objectStore(STORE), (value) => (result = value));
  });
}
