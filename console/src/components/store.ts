import { useSyncExternalStore } from 'react';

/** A value outside of React, which components and other code can read and change. */
export interface Store<Value> {
  get(): Value;
  set(next: Value): void;
  /** The value, and a new rendering when it changes. */
  use(): Value;
}

export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const get = (): Value => value;
  return {
    get,
    set(next) {
      value = next;
      for (const notify of listeners) notify();
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}
