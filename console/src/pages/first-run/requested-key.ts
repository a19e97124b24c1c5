import { useSyncExternalStore } from 'react';

let requestedFor: string | undefined;
const listeners = new Set<() => void>();

/**
 * Opens the dialog that creates a game key for a game, or closes it. The frame has the dialog: an empty page is replaced when its first row
 * arrives, and the key would be lost.
 */
export function requestGameKey(tenantId: string | undefined): void {
  requestedFor = tenantId;
  for (const notify of listeners) notify();
}

/** The game that {@link requestGameKey} was called for. */
export const useRequestedKey = (): string | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => requestedFor,
  );
