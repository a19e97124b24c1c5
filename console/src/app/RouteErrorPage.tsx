import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { EmptyState } from '../components/EmptyState';
import { ErrorState } from '../components/ErrorState';
import { TextLink } from '../components/links';
import { Page } from '../components/Page';
import { GuildhallError } from './client';

/** A page whose data could not be loaded. */
export function RouteErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  if (error instanceof GuildhallError && (error.status === 404 || error.status === 403))
    return <NotFoundPage />;
  return (
    <Page title="Not available">
      <ErrorState
        error={error}
        what="This page could not be loaded"
        retry={() => {
          reset();
          void router.invalidate();
        }}
      />
    </Page>
  );
}

export function NotFoundPage() {
  return (
    <Page title="Not found">
      <EmptyState
        title="This page does not exist"
        next={
          <TextLink to="/" size="sm">
            Open the overview
          </TextLink>
        }
      >
        The address may be wrong, the record may be deleted, or your account may not see it.
      </EmptyState>
    </Page>
  );
}
