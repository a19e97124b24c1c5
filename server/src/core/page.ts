/** Which part of a list is asked for. */
export interface PageRequest {
  limit: number;
  offset: number;
}

/** A part of a list, and how long the whole list is. */
export interface Page<Item> extends PageRequest {
  items: Item[];
  totalCount: number;
}

/** Waits for the items of a page and for the length of their list, which are read side by side. */
export async function readPage<Item>(
  { limit, offset }: PageRequest,
  reading: Promise<Item[]>,
  counting: Promise<number>,
): Promise<Page<Item>> {
  const [items, totalCount] = await Promise.all([reading, counting]);
  return { items, limit, offset, totalCount };
}
