import { Button, Group, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { ErrorText } from '../../components/ErrorState';
import { formatNumber } from '../../components/format';
import classes from './BulkRedelivery.module.css';
import { readDeliveryIds, useRedeliverMany, type DeliveryFilter, type WebhookPath } from './queries';

interface BulkRedeliveryProps {
  path: WebhookPath;
  filter: DeliveryFilter;
  selected: ReadonlySet<string>;
  onSelect: (ids: ReadonlySet<string>) => void;
  /** How many deliveries match the filter, also those that are not loaded. */
  matching: number;
}

/** The limit of the server for a workspace. Above it, a redelivery waits. */
const MAX_A_MINUTE = 120;

/** Sends the chosen deliveries again: how many they are, how far it is, and what became of it. */
export function BulkRedelivery({ path, filter, selected, onSelect, matching }: BulkRedeliveryProps) {
  const redeliver = useRedeliverMany(path);
  const [progress, setProgress] = useState({ done: 0, total: 0 });
  const [listError, setListError] = useState<unknown>();
  const [isListing, setIsListing] = useState(false);
  const running = useRef<AbortController>(undefined);
  // Nobody would see what becomes of it on another page.
  useEffect(() => () => running.current?.abort(), []);

  const start = (): void => {
    const { signal } = (running.current = new AbortController());
    setProgress({ done: 0, total: selected.size });
    redeliver.mutate(
      {
        ids: selected,
        signal,
        onProgress: () => setProgress(({ done, total }) => ({ done: done + 1, total })),
      },
      { onSuccess: ({ left }) => onSelect(left) },
    );
  };
  const selectAll = async (): Promise<void> => {
    setListError(undefined);
    setIsListing(true);
    await readDeliveryIds(path, filter).then(onSelect, setListError);
    setIsListing(false);
  };

  const { isPending, data: outcome } = redeliver;
  if (selected.size === 0 && !isPending && !outcome) return null;
  return (
    <Stack gap={6} className={classes.bar}>
      {!isPending && outcome && (
        <div role="status">
          <Text size="sm">
            Sent again: {formatNumber(outcome.done)}.
            {outcome.left.size > 0 && ` Not sent, and still selected: ${formatNumber(outcome.left.size)}.`}
          </Text>
          {[...outcome.refusals].map(([reason, count]) => (
            <Text key={reason} size="sm">
              Refused: {formatNumber(count)}. {reason}
            </Text>
          ))}
        </div>
      )}
      {!isPending && outcome?.error !== undefined && <ErrorText error={outcome.error} />}
      {listError !== undefined && <ErrorText error={listError} />}
      <Group gap="xs">
        {isPending ? (
          <>
            <Text size="sm" role="status">
              Redelivering {formatNumber(progress.done)} of {formatNumber(progress.total)}, at most{' '}
              {MAX_A_MINUTE} a minute. Keep this page open.
            </Text>
            <Button key="stop" variant="default" autoFocus onClick={() => running.current?.abort()}>
              Stop
            </Button>
          </>
        ) : (
          <>
            {selected.size > 0 && (
              <>
                <Button onClick={start} disabled={isListing}>
                  Redeliver {formatNumber(selected.size)} selected
                </Button>
                {matching > selected.size && (
                  <Button variant="default" loading={isListing} onClick={() => void selectAll()}>
                    Select all {formatNumber(matching)} that match
                  </Button>
                )}
              </>
            )}
            <Button
              variant="subtle"
              color="gray"
              onClick={() => {
                redeliver.reset();
                onSelect(new Set());
              }}
            >
              {selected.size > 0 ? 'Clear the selection' : 'Close'}
            </Button>
          </>
        )}
      </Group>
    </Stack>
  );
}
