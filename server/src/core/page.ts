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
