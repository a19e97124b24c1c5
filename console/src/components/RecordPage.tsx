import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { hasStatus } from '../app/client';
import { NotFoundPage } from '../app/RouteErrorPage';
import { ErrorState } from './ErrorState';
import { Page } from './Page';
import { PageSkeleton } from './PageSkeleton';

interface RecordPageProps<Data> {
  /** What the record is, such as "Match". */
  title: string;
  query: UseQueryResult<Data>;
  /** A link to the list of such records. */
  list: ReactNode;
  /** The page of the loaded record. */
  children: (data: Data) => ReactNode;
}

/** The page of one record, even while it loads, if it does not exist, and if it cannot be loaded. */
export function RecordPage<Data>({ title, query, list, children }: RecordPageProps<Data>) {
  const { data, error, refetch } = query;
  if (hasStatus(error, 404)) return <NotFoundPage what={title.toLowerCase()} next={list} />;
  if (data !== undefined) return children(data);
  if (!error) return <PageSkeleton title={title} />;
  return (
    <Page title={title}>
      <ErrorState
        error={error}
        what={`The ${title.toLowerCase()} could not be loaded`}
        retry={() => void refetch()}
      />
    </Page>
  );
}
