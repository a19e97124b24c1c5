import {
  useMutation,
  useQueryClient,
  type QueryClient,
  type QueryKey,
  type UseMutationResult,
} from '@tanstack/react-query';
import { useId } from 'react';

/** The data that a change makes out of date. */
interface Outdated {
  keys: QueryKey[];
  /**
   * Whether the change ends only when the data are read again. Default: true. False if the new data may remove the component that shows
   * the answer, such as a secret that is shown once.
   */
  waits?: boolean;
}

/** How long a change waits for the new data. If the server does not answer, their request takes 30 seconds. */
const LONGEST_READING_MS = 3_000;

/** Reads data again that a change has made out of date. Ends with the new data, or after 3 seconds without them. */
export async function readAgain(queryClient: QueryClient, keys: QueryKey[]): Promise<void> {
  const reading = keys.map((queryKey) => queryClient.invalidateQueries({ queryKey }));
  await Promise.race([
    Promise.all(reading),
    new Promise((resolve) => setTimeout(resolve, LONGEST_READING_MS)),
  ]);
}

/**
 * A change, after which data are read again. They are also read after a failure: a request without an answer may have changed them. While
 * the change runs, it does not begin again: on a slow device, the second press of a button arrives before the button is disabled.
 */
export function useChange<Input, Output>(
  { keys, waits = true }: Outdated,
  change: (input: Input) => Promise<Output>,
): UseMutationResult<Output, Error, Input> {
  const queryClient = useQueryClient();
  const mutationKey = [useId()];
  const mutation = useMutation({
    mutationKey,
    mutationFn: change,
    onSettled: () => {
      const reading = readAgain(queryClient, keys);
      return waits ? reading : undefined;
    },
  });
  return {
    ...mutation,
    mutate: (...call) => {
      if (queryClient.isMutating({ mutationKey }) === 0) mutation.mutate(...call);
    },
  };
}
