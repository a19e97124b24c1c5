import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { readAgain } from './use-change';

/**
 * Shows a change before the server confirms it, and takes it back if the request fails. Afterwards the data are read again, because a
 * request without an answer may have changed them.
 */
export function optimistic<Data, Variables>(
  queryClient: QueryClient,
  queryKey: QueryKey,
  change: (data: Data, variables: Variables) => Data,
) {
  return {
    onMutate: async (variables: Variables): Promise<{ before: Data | undefined }> => {
      // An answer that is on its way can be older than the change.
      await queryClient.cancelQueries({ queryKey });
      const before = queryClient.getQueryData<Data>(queryKey);
      if (before !== undefined) queryClient.setQueryData<Data>(queryKey, change(before, variables));
      return { before };
    },
    onError: (
      _error: Error,
      _variables: Variables,
      shown: { before: Data | undefined } | undefined,
    ): void => {
      queryClient.setQueryData(queryKey, shown?.before);
    },
    onSettled: (): Promise<void> => readAgain(queryClient, [queryKey]),
  };
}
