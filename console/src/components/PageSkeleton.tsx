import { Skeleton } from '@mantine/core';
import { Page } from './Page';

/** A record page before its record has arrived. */
export function PageSkeleton({ title }: { title: string }) {
  return (
    <Page title={title}>
      <Skeleton height={110} />
      <Skeleton height={240} />
    </Page>
  );
}
