import { QueryCache, QueryClient } from '@tanstack/react-query';
import { GuildhallError } from './client';

const RETRIES = 2;

/** Requests that the server refused for good are not repeated. */
function isWorthRetrying(failures: number, error: Error): boolean {
  if (failures >= RETRIES) return false;
  return !(error instanceof GuildhallError) || error.status === 503 || error.status >= 502;
}

export function createQueryClient(onSignedOut: () => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (error instanceof GuildhallError && error.status === 401) onSignedOut();
      },
    }),
    defaultOptions: { queries: { staleTime: 15_000, retry: isWorthRetrying, refetchOnWindowFocus: true } },
  });
}
