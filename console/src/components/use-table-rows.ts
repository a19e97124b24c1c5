import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';

/** Makes the pages of a list the properties of a table: its rows, their state, and what loads more of them. */
export function useTableRows<Row>(
  list: UseInfiniteQueryResult<InfiniteData<{ items: Row[] }>>,
  rowKey: (row: Row) => string,
) {
  const { data, error, isPlaceholderData, hasNextPage, refetch } = list;
  const { fetchNextPage, isFetchingNextPage, isFetchNextPageError } = list;
  const rows = useMemo(() => data && distinct(data.pages, rowKey), [data]);
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  return {
    rows,
    rowKey,
    error,
    // A list that reads itself again now and then does not dim each time.
    isFetching: isPlaceholderData || isFetchingNextPage,
    retry: () => void refetch(),
    loadMore: hasNextPage ? loadMore : undefined,
    hasFailedToLoadMore: isFetchNextPageError,
  };
}

/** A row that has moved between two requests can be in two pages. */
function distinct<Row>(pages: { items: Row[] }[], rowKey: (row: Row) => string): Row[] {
  const rows = new Map<string, Row>();
  for (const { items } of pages)
    for (const row of items) if (!rows.has(rowKey(row))) rows.set(rowKey(row), row);
  return [...rows.values()];
}
