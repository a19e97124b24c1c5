import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useMemo, useRef } from 'react';
import { announce } from './announcer';
import { formatCount } from './format';

/** Makes the pages of a list the properties of a table: its rows, their state, and what loads more of them. */
export function useTableRows<Row>(
  list: UseInfiniteQueryResult<InfiniteData<{ items: Row[] }>>,
  rowKey: (row: Row) => string,
) {
  const { data, error, isPlaceholderData, hasNextPage, refetch } = list;
  const { fetchNextPage, isFetchingNextPage, isFetchNextPageError } = list;
  const rows = useMemo(() => data && distinct(data.pages, rowKey), [data]);
  useRowsAnnouncement(rows?.length, hasNextPage, isPlaceholderData);
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

/** Announces the rows of other filters or of another order. If there are none, `NoResults` says so. */
function useRowsAnnouncement(count = 0, hasMore: boolean, isPlaceholder: boolean): void {
  const wasPlaceholder = useRef(false);
  const say = useEffectEvent(() => {
    if (count > 0) announce(`${formatCount(count, 'row')}${hasMore ? ' loaded' : ''}`);
  });
  useEffect(() => {
    if (wasPlaceholder.current && !isPlaceholder) say();
    wasPlaceholder.current = isPlaceholder;
  }, [isPlaceholder]);
}

/** A row that has moved between two requests can be in two pages. */
function distinct<Row>(pages: { items: Row[] }[], rowKey: (row: Row) => string): Row[] {
  const rows = new Map<string, Row>();
  for (const { items } of pages)
    for (const row of items) if (!rows.has(rowKey(row))) rows.set(rowKey(row), row);
  return [...rows.values()];
}
