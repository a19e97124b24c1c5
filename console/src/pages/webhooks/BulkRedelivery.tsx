import { Button, Group, Stack } from '@mantine/core';
import { ErrorText } from '../../components/ErrorState';
import { formatNumber } from '../../components/format';
import classes from './BulkRedelivery.module.css';
import { RedeliveryProgress } from './RedeliveryProgress';
import { useStartRedelivery, type DeliveryFilter, type WebhookPath } from './queries';

/** Chosen rows, or all that match the filter. */
export interface DeliverySelection {
  ids: ReadonlySet<string>;
  isWhole: boolean;
}

interface BulkRedeliveryProps {
  path: WebhookPath;
  filter: DeliveryFilter;
  selection: DeliverySelection;
  onSelect: (selection: DeliverySelection) => void;
  /** How many deliveries match the filter, including those that are not loaded. */
  matching: number;
  canChange: boolean;
}

export const NOTHING_SELECTED: DeliverySelection = { ids: new Set(), isWhole: false };

/** Sends the chosen deliveries again. The server does it, so the progress shows in any tab, and after the page was left. */
export function BulkRedelivery({
  path,
  filter,
  selection: { ids, isWhole },
  onSelect,
  matching,
  canChange,
}: BulkRedeliveryProps) {
  const start = useStartRedelivery(path);
  const what = isWhole ? `all ${formatNumber(matching)} that match` : `${formatNumber(ids.size)} selected`;
  return (
    <>
      <RedeliveryProgress path={path} canChange={canChange} startedHere={start.data?.id} />
      {ids.size > 0 && (
        <Stack gap={6} className={classes.bar}>
          {start.error && <ErrorText error={start.error} />}
          <Group gap="xs">
            <Button
              loading={start.isPending}
              onClick={() =>
                start.mutate(isWhole ? { filter } : { ids }, { onSuccess: () => onSelect(NOTHING_SELECTED) })
              }
            >
              Redeliver {what}
            </Button>
            {!isWhole && matching > ids.size && (
              <Button variant="default" onClick={() => onSelect({ ids, isWhole: true })}>
                Select all {formatNumber(matching)} that match
              </Button>
            )}
            <Button
              variant="subtle"
              color="gray"
              onClick={() => {
                start.reset();
                onSelect(NOTHING_SELECTED);
              }}
            >
              Clear the selection
            </Button>
          </Group>
        </Stack>
      )}
    </>
  );
}
