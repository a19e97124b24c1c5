import { Drawer } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { DataTable, type Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { NoResults } from '../../components/NoResults';
import { FilterSelect } from '../../components/FilterSelect';
import { choicesOf, formatExactTime, formatNumber } from '../../components/format';
import { RelativeTime } from '../../components/RelativeTime';
import { SavedViews } from '../../components/SavedViews';
import { RangeFilter } from '../../components/RangeFilter';
import { usePanel } from '../../components/use-panel';
import { useSearchChange } from '../../components/use-search-change';
import { useTableRows } from '../../components/use-table-rows';
import { BulkRedelivery, NOTHING_SELECTED, type DeliverySelection } from './BulkRedelivery';
import { DeliveryDetails, NextAttempt } from './DeliveryDetails';
import { DeliveryState } from './WebhookState';
import { deliveriesQuery, deliveryNames, type Delivery, type WebhookPath } from './queries';

const nameOf = ({ eventType, status, createdAt }: Delivery): string =>
  `${deliveryNames[eventType] ?? eventType}, ${status}, ${formatExactTime(createdAt)}`;

interface DeliveryLogProps {
  path: WebhookPath;
  canChange: boolean;
  /** The deliveries of a disabled webhook wait, and none can be sent again. */
  isEnabled: boolean;
}

/** The deliveries of a webhook. A row opens the payload and each attempt. */
export function DeliveryLog({ path, canChange, isEnabled }: DeliveryLogProps) {
  const { status, eventType, range } = useSearch({ strict: false });
  const filter = { status, eventType, range };
  const { id: opened, ...panel } = usePanel('delivery');
  const deliveries = useInfiniteQuery(deliveriesQuery(path, filter));
  const [chosen, setChosen] = useState({ shown: '', selection: NOTHING_SELECTED });
  // The filters that the rows were chosen with. With others, rows that do not show would be sent.
  const shown = JSON.stringify(filter);
  const selection = chosen.shown === shown ? chosen.selection : NOTHING_SELECTED;
  const select = (next: DeliverySelection): void => setChosen({ shown, selection: next });
  const change = useSearchChange<typeof filter>();
  const table = useTableRows(deliveries, ({ id }) => id);
  const keys = selection.isWhole ? new Set(table.rows?.map(({ id }) => id)) : selection.ids;

  return (
    <>
      <DataTable
        label="Deliveries"
        columns={columnsOf(isEnabled)}
        {...table}
        onOpen={({ id }) => panel.open(id)}
        selectedKey={opened}
        selection={
          canChange && isEnabled
            ? { keys, onChange: (ids) => select({ ids, isWhole: false }), nameOf }
            : undefined
        }
        bulkActions={
          <BulkRedelivery
            path={path}
            filter={filter}
            selection={selection}
            onSelect={select}
            matching={deliveries.data?.pages[0]?.totalCount ?? 0}
            canChange={canChange}
          />
        }
        toolbar={
          <>
            <SavedViews page={`deliveries.${path.workspaceId}`} search={filter} />
            <FilterSelect
              label="State"
              value={filter.status}
              choices={[
                { value: 'pending', label: 'Pending or retrying' },
                { value: 'delivered', label: 'Delivered' },
                { value: 'failed', label: 'Failed' },
              ]}
              onChange={(status) => change({ status })}
              width={160}
            />
            <FilterSelect
              label="Event"
              value={filter.eventType}
              choices={choicesOf(Object.entries(deliveryNames))}
              onChange={(eventType) => change({ eventType })}
              width={180}
            />
            <RangeFilter value={filter.range} onChange={(range) => change({ range })} />
          </>
        }
        isFiltered={(status ?? eventType ?? range) !== undefined}
        noResults={
          <NoResults title="No delivery matches the filters">
            Choose a longer time, or another state or event.
          </NoResults>
        }
        empty={
          <EmptyState title="No deliveries yet">
            Nothing was sent to this address. Send a test to see a delivery.
          </EmptyState>
        }
      />
      <Drawer opened={opened !== undefined} onClose={panel.close} title="Delivery" size={600}>
        {opened !== undefined && (
          <DeliveryDetails path={path} deliveryId={opened} canChange={canChange} isEnabled={isEnabled} />
        )}
      </Drawer>
    </>
  );
}

const columnsOf = (isEnabled: boolean): Column<Delivery>[] => [
  {
    id: 'event',
    header: 'Event',
    width: 180,
    narrowWidth: 142,
    cell: ({ eventType }) => deliveryNames[eventType] ?? eventType,
  },
  {
    id: 'state',
    header: 'State',
    width: 110,
    narrowWidth: 90,
    cell: (delivery) => <DeliveryState delivery={delivery} />,
  },
  {
    id: 'status',
    header: 'Answer',
    cell: ({ lastStatusCode, lastError }) => lastStatusCode ?? lastError ?? '–',
  },
  {
    id: 'attempts',
    header: 'Attempts',
    width: 90,
    align: 'right',
    cell: ({ attempts }) => formatNumber(attempts),
  },
  {
    id: 'created',
    header: 'Created',
    width: 130,
    narrowWidth: 90,
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  {
    id: 'next',
    header: 'Next attempt',
    width: 130,
    cell: (delivery) => <NextAttempt delivery={delivery} isEnabled={isEnabled} />,
  },
];
