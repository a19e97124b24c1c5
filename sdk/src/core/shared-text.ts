import type { ClientStorage } from './storage.ts';

/** A text in a storage, or undefined if there is none, as this page knows it. */
export interface KnownText {
  text: string | undefined;
}

/** A text in a storage that other clients change too, on this page and on others. */
export interface SharedText {
  readonly known: KnownText;
  /** Reads the storage once. If it cannot be read, the next call tries again. */
  load(): Promise<void>;
  /** Reads the storage again. Returns false if it cannot be read, for example in a frame without cookies. */
  reread(): Promise<boolean>;
  /** Changes the text. Returns false if it is not the expected one, because another tab has changed it. */
  write(text: string | undefined, expected?: KnownText): Promise<boolean>;
  /** Stops noticing what other clients change. */
  close(): void;
}

/** The functions that reread the texts of this page, by storage and key. A storage notifies only other pages of a change. */
const pageTexts = new WeakMap<ClientStorage, Map<string, Set<() => void>>>();

function readersOf(storage: ClientStorage, key: string): Set<() => void> {
  const byKey = pageTexts.get(storage) ?? new Map<string, Set<() => void>>();
  const readers = byKey.get(key) ?? new Set();
  pageTexts.set(storage, byKey.set(key, readers));
  return readers;
}

/** Calls `onChange` with a text that another client has written. */
export function createSharedText(
  storage: ClientStorage,
  key: string,
  onChange: (text: string | undefined) => void,
): SharedText {
  let known: KnownText = { text: undefined };
  const readers = readersOf(storage, key);
  const rereadHere = () => void reread();
  let isWatching = false;
  let stopWatching: (() => void) | undefined;
  let loading: Promise<void> | undefined;

  async function reread(): Promise<boolean> {
    let text: string | undefined;
    try {
      text = await storage.get(key);
    } catch {
      return false;
    }
    if (text !== known.text) {
      known = { text };
      onChange(text);
    }
    return true;
  }

  function watch(): void {
    isWatching = true;
    readers.add(rereadHere);
    try {
      stopWatching = storage.watch?.(key, rereadHere);
    } catch {
      // A browser that blocks the storage may block the channels between pages too.
    }
  }

  return {
    get known() {
      return known;
    },
    load: () => {
      if (!isWatching) watch();
      loading ??= reread().then((isRead) => {
        if (!isRead) loading = undefined;
      });
      return loading;
    },
    reread,
    write: async (text, expected) => {
      const isDone = await storage.write({ [key]: text }, expected && { key, value: expected.text });
      if (!isDone) return false;
      known = { text };
      for (const other of readers) if (other !== rereadHere) other();
      return true;
    },
    close: () => {
      readers.delete(rereadHere);
      stopWatching?.();
    },
  };
}
