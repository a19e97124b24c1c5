import { keepPreviousData } from '@tanstack/react-query';

/** Lists whose pages begin after a cursor. Old rows stay while the rows of a new filter load. */
export const byCursor = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ nextCursor }: { nextCursor?: string }) => nextCursor,
  placeholderData: keepPreviousData,
};

/** Lists whose pages begin at an offset. Old rows stay while the rows of a new filter load. */
export const byOffset = {
  initialPageParam: 0,
  getNextPageParam: ({ offset, limit, items }: { offset: number; limit: number; items: unknown[] }) =>
    items.length === limit ? offset + limit : undefined,
  placeholderData: keepPreviousData,
};
