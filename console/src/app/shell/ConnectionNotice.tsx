import { Button } from '@mantine/core';
import { notifyManager, onlineManager, useQueryClient, type Query } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { describeError } from '../../components/ErrorState';
import { RelativeTime } from '../../components/RelativeTime';
import classes from './ConnectionNotice.module.css';

/** Whether the browser has a connection. Without one, requests wait. */
const useIsOnline = (): boolean =>
  useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );

/** Before the third request has failed, which takes 3 seconds, the next one may succeed. */
const FAILURES = 3;

/** Whether the page shows data that could not be read again. A list whose next page fails says so itself. */
const isOutdated = ({ state }: Query): boolean =>
  state.data !== undefined &&
  (state.status === 'error' || state.fetchFailureCount >= FAILURES) &&
  !state.fetchMeta?.fetchMore;

/** The query of the page whose data are the oldest of those that could not be read again. */
function useOutdatedQuery(): Query | undefined {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    useCallback((listener) => cache.subscribe(notifyManager.batchCalls(listener)), [cache]),
    () =>
      cache
        .findAll({ type: 'active', predicate: isOutdated })
        .toSorted((one, other) => one.state.dataUpdatedAt - other.state.dataUpdatedAt)[0],
  );
}

/** Says that the browser has no connection, or that what the page shows is not of now. */
export function ConnectionNotice() {
  const isOnline = useIsOnline();
  const outdated = useOutdatedQuery();
  const queryClient = useQueryClient();
  if (!isOnline)
    return (
      <div className={classes.notice} role="status">
        No connection. The page continues when the connection is back.
      </div>
    );
  if (!outdated) return null;
  const { dataUpdatedAt, error, fetchFailureReason } = outdated.state;
  return (
    <div className={classes.notice} role="status">
      <span>
        This page could not be updated. Last update:{' '}
        <RelativeTime at={new Date(dataUpdatedAt).toISOString()} />.{' '}
        {describeError(error ?? fetchFailureReason)}
      </span>
      <Button
        variant="default"
        size="xs"
        onClick={() => void queryClient.refetchQueries({ type: 'active', predicate: isOutdated })}
      >
        Try again
      </Button>
    </div>
  );
}
