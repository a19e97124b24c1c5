/** A list of functions to call. */
export interface Listeners<Value> {
  add(listener: (value: Value) => void): () => void;
  call(value: Value): void;
}

/** A listener that throws does not keep the others from being called: its error becomes an uncaught one. */
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
      for (const listener of Array.from(listeners)) {
        try {
          listener(value);
        } catch (error) {
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    },
  };
}
