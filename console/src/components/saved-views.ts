/** A name for the filters of a page. */
export interface SavedView {
  name: string;
  search: Record<string, string>;
}

export const MAX_VIEWS = 20;
export const MAX_NAME_LENGTH = 80;
/** Longer filters are not texts that somebody typed. */
const MAX_SEARCH_LENGTH = 2_000;

const keyOf = (accountId: string, page: string): string => `guildhall.views.${accountId}.${page}`;

/** Reads the views of an account for a page. What another version or a person wrote into the storage is left out. */
export function readViews(accountId: string, page: string): SavedView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(accountId, page)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isView).slice(0, MAX_VIEWS) : [];
  } catch {
    return [];
  }
}

/** Replaces the views. Returns false if the browser keeps nothing, for example because its storage is full. */
export function writeViews(accountId: string, page: string, views: SavedView[]): boolean {
  try {
    if (views.length === 0) localStorage.removeItem(keyOf(accountId, page));
    else localStorage.setItem(keyOf(accountId, page), JSON.stringify(views.slice(0, MAX_VIEWS)));
    return true;
  } catch {
    return false;
  }
}

function isView(value: unknown): value is SavedView {
  const { name, search } = (value ?? {}) as Partial<SavedView>;
  return (
    typeof name === 'string' &&
    name !== '' &&
    name.length <= MAX_NAME_LENGTH &&
    typeof search === 'object' &&
    search !== null &&
    JSON.stringify(search).length <= MAX_SEARCH_LENGTH &&
    Object.values(search).every((text) => typeof text === 'string')
  );
}
