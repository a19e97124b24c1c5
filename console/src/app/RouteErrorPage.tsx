import { Button } from '@mantine/core';
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useEffect, useEffectEvent, type ReactNode } from 'react';
import { EmptyState } from '../components/EmptyState';
import { ErrorState } from '../components/ErrorState';
import { ButtonLink } from '../components/links';
import { Page, Panel } from '../components/Page';
import { hasStatus } from './client';
import { isServerAway, OldVersionError, whileServerAnswers } from './server-away';

/** A page whose data could not be loaded. It loads again when the server answers again. */
export function RouteErrorPage({ error, reset, what }: ErrorComponentProps & { what?: string }) {
  const router = useRouter();
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  const onAnswer = useEffectEvent(retry);
  const isAway = isServerAway(error);
  useEffect(() => (isAway ? whileServerAnswers(() => onAnswer()) : undefined), [isAway]);
  if (hasStatus(error, 403, 404)) return <NotFoundPage what={what} />;
  if (error instanceof OldVersionError)
    return (
      <NoticePage
        title="New version"
        notice="A new version was installed"
        next={
          <Button w="fit-content" onClick={() => location.reload()}>
            Reload
          </Button>
        }
      >
        This page is of the previous version. Reload it to get the new version.
      </NoticePage>
    );
  return (
    <Page title="Not available">
      <ErrorState error={error} what="This page could not be loaded" retry={retry} />
    </Page>
  );
}

/** The page is for other roles than that of the account. */
export function NotAllowedPage({ children }: { children: ReactNode }) {
  return (
    <NoticePage title="Not allowed" notice="Your role does not allow this page">
      {children}
    </NoticePage>
  );
}

/** What the address names does not exist, or not for this account. */
export function NotFoundPage({ what = 'page', next }: { what?: string | undefined; next?: ReactNode }) {
  return (
    <NoticePage title="Not found" notice={`This ${what} does not exist`} next={next}>
      The address may be wrong, the {what} may be deleted, or your account may not see it.
    </NoticePage>
  );
}

interface NoticePageProps {
  title: string;
  notice: string;
  next?: ReactNode;
  children: ReactNode;
}

/** A page that has nothing but a notice, with the reason and the next step. */
function NoticePage({
  title,
  notice,
  next = <ButtonLink to="/">Open the overview</ButtonLink>,
  children,
}: NoticePageProps) {
  return (
    <Page title={title}>
      <Panel flush>
        <EmptyState title={notice} next={next}>
          {children}
        </EmptyState>
      </Panel>
    </Page>
  );
}
