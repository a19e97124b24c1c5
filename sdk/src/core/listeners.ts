/** A list of functions to call. */
export interface Listeners<Value> {
  add(listener: (value: Value) => void): () => void;
  call(value: Value): void;
}

export function createListeners<Value>(): Listeners<Value> {
  const listeners = new Set<(value: Value) => void>();
  return {
    add: (listener) => {
      // The same function may listen twice.
      const one = (value: Value) => listener(value);
      listeners.add(one);
      return () => void listeners.delete(one);
    },
    call: (value) => {
      for (const listener of Array.from(listeners)) callListener(listener, value);
    },
  };
}

/** Calls a function of the application. If it throws, its error becomes an uncaught one, and the caller continues. */
export function callListener<Value>(listener: (value: Value) => void, value: Value): void {
  try {
    listener(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
