import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';

/** Makes the pages of a list the properties of a table: its rows, their state, and what loads more of them. */
export function useTableRows<Row>(list: UseInfiniteQueryResult<InfiniteData<{ items: Row[] }>>) {
  const { data, error, isPlaceholderData, hasNextPage, refetch } = list;
  const { fetchNextPage, isFetchingNextPage, isFetchNextPageError } = list;
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items), [data]);
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  return {
    rows,
    error,
    // A list that reads itself again now and then does not dim each time.
    isFetching: isPlaceholderData || isFetchingNextPage,
    retry: () => void refetch(),
    loadMore: hasNextPage ? loadMore : undefined,
    hasFailedToLoadMore: isFetchNextPageError,
  };
}
