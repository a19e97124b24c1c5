import { useSyncExternalStore } from 'react';

/** Then the same text can be announced again. */
const CLEARED_AFTER_MS = 3_000;

const listeners = new Set<() => void>();
let announcement = '';
let clearing: ReturnType<typeof setTimeout> | undefined;

/** Lets screen readers read a text about a change that the page only shows: another page, other rows, a copied id. */
export function announce(text: string): void {
  change(text);
  clearTimeout(clearing);
  clearing = setTimeout(() => change(''), CLEARED_AFTER_MS);
}

function change(text: string): void {
  announcement = text;
  for (const notify of listeners) notify();
}

export const useAnnouncement = (): string => useSyncExternalStore(subscribe, () => announcement);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
