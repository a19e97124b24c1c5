import { Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { ErrorState } from './ErrorState';

interface PendingProps {
  query: Pick<UseQueryResult, 'error' | 'refetch'>;
  /** What is shown if the request fails, such as "The plan could not be loaded". */
  failure: string;
  height: number;
}

/**
 * Shows until the first answer of a request is there. A request that fails later keeps its old answer, so that nobody loses what
 * they read or type.
 */
export function Pending({ query: { error, refetch }, failure, height }: PendingProps) {
  return error ? (
    <ErrorState error={error} what={failure} retry={() => void refetch()} />
  ) : (
    <Skeleton height={height} />
  );
}
