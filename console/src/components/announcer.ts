import { createStore } from './store';

/** Then the same text can be announced again. */
const CLEARED_AFTER_MS = 3_000;

const announcement = createStore('');
let clearing: ReturnType<typeof setTimeout> | undefined;

/** Lets screen readers read a text about a change that the page only shows: another page, other rows, a copied id. */
export function announce(text: string): void {
  announcement.set(text);
  clearTimeout(clearing);
  clearing = setTimeout(() => announcement.set(''), CLEARED_AFTER_MS);
}

export const useAnnouncement = announcement.use;
