import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { EmptyState } from '../components/EmptyState';
import { ErrorState } from '../components/ErrorState';
import { ButtonLink } from '../components/links';
import { Page, Panel } from '../components/Page';
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
      <Panel flush>
        <EmptyState
          title="This page does not exist"
          next={
            <ButtonLink to="/" variant="default" w="fit-content">
              Open the overview
            </ButtonLink>
          }
        >
          The address may be wrong, the record may be deleted, or your account may not see it.
        </EmptyState>
      </Panel>
    </Page>
  );
}
