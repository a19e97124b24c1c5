import { Button, Group, Progress, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ErrorText } from '../../components/ErrorState';
import { formatNumber } from '../../components/format';
import { RelativeTime } from '../../components/RelativeTime';
import classes from './BulkRedelivery.module.css';
import { redeliveryQuery, useCancelRedelivery, type Redelivery, type WebhookPath } from './queries';

interface RedeliveryProgressProps {
  path: WebhookPath;
  canChange: boolean;
  /** The redelivery that this page started. */
  startedHere: string | undefined;
}

/** How long the result of a redelivery shows. */
const SHOWN_MS = 24 * 60 * 60 * 1000;

/** The redelivery that is running, or the result of the last one. */
export function RedeliveryProgress({ path, canChange, startedHere }: RedeliveryProgressProps) {
  const { data } = useQuery(redeliveryQuery(path));
  const cancel = useCancelRedelivery(path);
  const [watched, setWatched] = useState<string>();
  const isRunning = data?.status === 'running';
  // The result of an earlier visit is no news.
  if (isRunning && watched !== data.id) setWatched(data.id);
  const isNews = data != null && data.id === watched;
  const isShown = data && (isRunning || Date.now() - Date.parse(data.endedAt!) < SHOWN_MS);

  // The button that started it is gone. The next Tab leads from here to the button that stops it.
  const region = useRef<HTMLDivElement>(null);
  const isStartedHere = data != null && data.id === startedHere;
  useEffect(() => {
    if (isStartedHere) region.current?.focus();
  }, [isStartedHere]);

  // A long list of deliveries does not read itself again.
  const queryClient = useQueryClient();
  const hasEnded = isNews && !isRunning;
  useEffect(() => {
    if (hasEnded) void queryClient.invalidateQueries({ queryKey: ['deliveries', path.webhookId] });
  }, [hasEnded, queryClient, path.webhookId]);

  return (
    <>
      <VisuallyHidden role="status">{isNews && announce(data)}</VisuallyHidden>
      {isShown && (
        <Stack
          gap={6}
          className={classes.bar}
          role="region"
          aria-label="Redelivery"
          tabIndex={-1}
          ref={region}
        >
          <Group gap="xs" justify="space-between">
            <Text>
              {isRunning ? (
                <>
                  Redelivering {formatNumber(endedOf(data))} of {formatNumber(data.total)}
                  {data.failed > 0 && `, ${failedOf(data)}`}. You can leave this page.
                </>
              ) : (
                <>
                  {results[data.status].what} <RelativeTime at={data.endedAt!} />
                  {results[data.status].why}: {countsOf(data)}
                </>
              )}
            </Text>
            {isRunning && canChange && (
              <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate(data.id)}>
                Stop the redelivery
              </Button>
            )}
          </Group>
          {isRunning && (
            <Progress
              aria-label="Redelivery"
              value={(100 * endedOf(data)) / data.total}
              size="sm"
              transitionDuration={0}
            />
          )}
          {cancel.error && <ErrorText error={cancel.error} />}
        </Stack>
      )}
    </>
  );
}

const results = {
  running: { what: 'Redelivering', why: '' },
  completed: { what: 'Redelivered', why: '' },
  cancelled: { what: 'Redelivery stopped', why: '' },
  stopped: { what: 'Redelivery stopped', why: ', because the webhook was disabled' },
} as const;

const endedOf = ({ delivered, failed, skipped }: Redelivery): number => delivered + failed + skipped;

/** Failed deliveries are tried again later. */
const failedOf = ({ failed }: Redelivery): string => `${formatNumber(failed)} failed at the first attempt`;

function countsOf(redelivery: Redelivery): string {
  const { total, delivered, failed, skipped } = redelivery;
  const unsent = total - endedOf(redelivery);
  const counts = [
    `${formatNumber(delivered)} delivered`,
    failed > 0 && failedOf(redelivery),
    skipped > 0 && `${formatNumber(skipped)} deleted meanwhile`,
    unsent > 0 && `${formatNumber(unsent)} not sent`,
  ];
  return `${counts.filter(Boolean).join(', ')}.`;
}

/** Each quarter, because a screen reader would read each new number. */
function announce(redelivery: Redelivery): string {
  const { status, total } = redelivery;
  if (status !== 'running') return `${results[status].what}${results[status].why}: ${countsOf(redelivery)}`;
  const quarters = Math.floor((4 * endedOf(redelivery)) / total);
  return `Redelivering ${formatNumber(total)} deliveries: ${25 * quarters} % done.`;
}
