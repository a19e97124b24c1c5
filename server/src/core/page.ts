/** The requested part of a list. */
export interface PageRequest {
  limit: number;
  offset: number;
}

/** A part of a list, with the length of the whole list. */
export interface Page<Item> extends PageRequest {
  items: Item[];
  totalCount: number;
}

/** Waits for the items of a page and the length of the list. Both queries run in parallel. */
export async function readPage<Item>(
  { limit, offset }: PageRequest,
  reading: Promise<Item[]>,
  counting: Promise<number>,
): Promise<Page<Item>> {
  const [items, totalCount] = await Promise.all([reading, counting]);
  return { items, limit, offset, totalCount };
}

/** A part of a list that continues after a cursor, so that new items do not shift it. */
export interface CursorPage<Item> {
  items: Item[];
  hasMore: boolean;
  /** Absent on the last page. */
  nextCursor?: string;
}

/** Makes a page of at most `limit` items. `found` has one additional item if there is a next page. */
export function cursorPage<Item>(
  found: Item[],
  limit: number,
  cursorOf: (last: Item) => string,
): CursorPage<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return found.length > limit && last
    ? { items, hasMore: true, nextCursor: cursorOf(last) }
    : { items, hasMore: false };
}
