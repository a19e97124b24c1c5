import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { GuildhallError, hasStatus } from './client';
import { isServerAway, RESTART_RETRIES, whileServerAnswers } from './server-away';

const RETRIES = 2;
const PATIENT_RETRIES = 10;

/** Requests that the server refused for good are not repeated. A query that timed out is not repeated either, because it would time out again. */
function isWorthRetrying(failures: number, error: Error): boolean {
  if (isServerAway(error)) return failures < RESTART_RETRIES;
  return (
    failures < RETRIES &&
    (!(error instanceof GuildhallError) || (error.status >= 502 && error.code !== 'query_timeout'))
  );
}

/** A gateway that answers instead of the server, such as the sign-in page of a public network, says nothing about the session. */
const isSignedOut = (error: Error): boolean =>
  error instanceof GuildhallError && error.status === 401 && error.code !== 'unexpected_answer';

/** For long readings of many pages: a request that was limited is sent again after the time that the server names. */
export const patience = {
  retry: (failures: number, error: Error): boolean =>
    isWorthRetrying(failures, error) || (failures < PATIENT_RETRIES && hasStatus(error, 429)),
  retryDelay: (failures: number, error: Error): number =>
    error instanceof GuildhallError && error.retryAfter !== undefined
      ? error.retryAfter * 1_000
      : 500 * 2 ** failures,
};

export function createQueryClient(onSignedOut: () => void): QueryClient {
  const otherTabs = new BroadcastChannel('guildhall.changes');
  const queryClient = new QueryClient({
    mutationCache: new MutationCache({
      onSettled: () => {
        // A change leaves an audit record. A request without an answer may have left one.
        void queryClient.invalidateQueries({ queryKey: ['audit'] });
        otherTabs.postMessage('changed');
      },
      onError: (error) => checkRole(error),
    }),
    queryCache: new QueryCache({
      onError: (error) => {
        if (isSignedOut(error)) onSignedOut();
        checkRole(error);
        if (isServerAway(error)) loadWhenServerAnswers();
      },
    }),
    defaultOptions: {
      queries: { staleTime: 15_000, retry: isWorthRetrying, refetchOnWindowFocus: true },
      // Without a connection, a change fails at once. Otherwise it would wait, and run hours later.
      mutations: { networkMode: 'always' },
    },
  });
  let stopAsking: (() => void) | undefined;
  /** Loads what the pages could not load. */
  function loadWhenServerAnswers(): void {
    stopAsking ??= whileServerAnswers(() => {
      stopAsking?.();
      stopAsking = undefined;
      void queryClient.refetchQueries({
        type: 'active',
        predicate: ({ state }) => state.status === 'error' && isServerAway(state.error),
      });
    });
  }
  /** After a refusal, the pages learn the roles of the account again: an owner may have changed them. */
  function checkRole(error: Error): void {
    if (hasStatus(error, 403, 404)) void queryClient.invalidateQueries({ queryKey: ['me'] });
  }
  // Other tabs read their data again when the reader turns to them or opens a page there.
  otherTabs.addEventListener('message', () => void queryClient.invalidateQueries({ refetchType: 'none' }));
  return queryClient;
}
