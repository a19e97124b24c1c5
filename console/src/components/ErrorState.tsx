import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { CircleAlert, RotateCw } from 'lucide-react';
import { GuildhallError, hasStatus } from '../app/client';
import { CopyableId } from './CopyableId';
import classes from './ErrorState.module.css';
import { capitalize, formatCount } from './format';

/** What failed, and what to do. The rest of the page stays usable. */
export function ErrorState({
  error,
  what,
  retry,
}: {
  error: unknown;
  what: string;
  retry?: (() => void) | undefined;
}) {
  return (
    <Stack gap="xs" align="flex-start" role="alert" className={classes.state}>
      <Title order={2} size="h3">
        {what}
      </Title>
      <ErrorDetail error={error} />
      {retry && !isFinal(error) && (
        <Button variant="default" leftSection={<RotateCw size={14} />} onClick={retry}>
          Try again
        </Button>
      )}
    </Stack>
  );
}

/** The detail of an error. Screen readers read it when it appears. */
export function ErrorText({
  error,
  hasEffect = false,
}: {
  error: unknown;
  /** Whether a repeated request has its effect twice, for example creates two keys. */
  hasEffect?: boolean;
}) {
  const isUncertain = hasEffect && error instanceof GuildhallError && error.isUncertain;
  return (
    <Group role="alert" gap={6} align="flex-start" wrap="nowrap">
      <CircleAlert size={16} aria-hidden className={classes.icon} />
      <Stack gap={4}>
        <ErrorDetail error={error} color="var(--gh-bad)" />
        {isUncertain && <Text>The request may have taken effect. Check this before you send it again.</Text>}
      </Stack>
    </Group>
  );
}

/** The detail of an error with the request id that its report needs. */
export function ErrorDetail({ error, color }: { error: unknown; color?: string }) {
  const requestId = error instanceof GuildhallError ? error.requestId : undefined;
  return (
    <Stack gap={4}>
      <Text c={color}>{describeError(error)}</Text>
      {requestId && (
        <Group gap={4}>
          <Text size="xs" c="dimmed">
            Request
          </Text>
          <CopyableId id={requestId} whole />
        </Group>
      )}
    </Stack>
  );
}

/** Whether a retry cannot help: a filter is invalid, or the record does not exist. */
const isFinal = (error: unknown): boolean => isInvalidFilter(error) || hasStatus(error, 404);

/** Whether the server refused a request because of its filters. */
export const isInvalidFilter = (error: unknown): boolean => hasStatus(error, 400);

/** Errors whose detail names operations of the API or options of the SDK. */
const DETAILS: Partial<Record<string, string>> = {
  email_not_verified: 'Verify your email address first: open the link in the email that you received.',
  unexpected_answer:
    'The network answered instead of the server. Sign in to the network if it has a sign-in page, then try again.',
};

/** What the API says about the header of an answer, which readers do not see. */
const RETRY_AFTER = /retry after the (number of )?seconds in Retry-After/i;

export function describeError(error: unknown): string {
  if (error instanceof GuildhallError) {
    const { code, detail, retryAfter } = error;
    if (retryAfter === undefined) return DETAILS[code] ?? detail;
    const instruction = `try again in ${formatCount(retryAfter, 'second')}`;
    return detail.replace(RETRY_AFTER, (text) =>
      text.startsWith('R') ? capitalize(instruction) : instruction,
    );
  }
  if (error instanceof TypeError) return 'The server does not answer. Check the connection, then try again.';
  return error instanceof Error ? error.message : 'The request failed. Try again.';
}
