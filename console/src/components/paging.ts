import { keepPreviousData } from '@tanstack/react-query';

interface LoadedPages {
  state: { data?: { pages: unknown[] } | undefined; isInvalidated?: boolean };
}

/** To read a list again is a request for each page that is loaded, one at a time. */
const MOST_PAGES_READ_AGAIN = 5;
const isShort = ({ state: { data } }: LoadedPages): boolean =>
  (data?.pages.length ?? 0) <= MOST_PAGES_READ_AGAIN;

/** A long list is read again after a change, but not each time when the reader returns to it. */
const rereading = {
  refetchOnWindowFocus: isShort,
  refetchOnMount: (list: LoadedPages) => isShort(list) || list.state.isInvalidated === true,
};

/** Reads a list again and again while one page of it shows. */
export const whileShort =
  (milliseconds: number) =>
  ({ state: { data } }: LoadedPages): number | false =>
    data && data.pages.length > 1 ? false : milliseconds;

const afterCursor = <Cursor>() => ({
  initialPageParam: undefined as Cursor | undefined,
  getNextPageParam: ({ nextCursor }: { nextCursor?: Cursor }) => nextCursor,
  placeholderData: keepPreviousData,
  ...rereading,
});

/** Lists whose pages begin after a cursor. Old rows stay while the rows of a new filter load. */
export const byCursor = afterCursor<string>();
export const byNumericCursor = afterCursor<number>();

/** The largest page of the server. */
export const LARGEST_PAGE = 200;
const MOST_PAGES = 10;

/** Reads the first 2,000 items of a list. Of games there may be more, but at most 1,000 are not disabled, and these come first. */
export async function readAllPages<Item>(
  readPage: (page: { limit: number; offset: number }) => Promise<{ items: Item[] }>,
): Promise<{ items: Item[] }> {
  const items: Item[] = [];
  for (let offset = 0; offset < MOST_PAGES * LARGEST_PAGE; offset += LARGEST_PAGE) {
    const page = await readPage({ limit: LARGEST_PAGE, offset });
    items.push(...page.items);
    if (page.items.length < LARGEST_PAGE) break;
  }
  return { items };
}

/** Lists whose pages begin at an offset. Old rows stay while the rows of a new filter load. */
export const byOffset = {
  initialPageParam: 0,
  getNextPageParam: ({ offset, limit, items }: { offset: number; limit: number; items: unknown[] }) =>
    items.length === limit ? offset + limit : undefined,
  placeholderData: keepPreviousData,
  ...rereading,
};
