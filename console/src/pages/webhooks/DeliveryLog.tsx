import { Button, Drawer, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useGameNames } from '../../app/game';
import { Pending } from '../../components/Pending';
import { CopyableId } from '../../components/CopyableId';
import { DataTable, type Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { NoResults } from '../../components/NoResults';
import { ErrorText } from '../../components/ErrorState';
import { FilterSelect } from '../../components/FilterSelect';
import { choicesOf, formatExactTime, formatNumber } from '../../components/format';
import { JsonView } from '../../components/JsonView';
import { Facts } from '../../components/Page';
import { MaybeTime, RelativeTime } from '../../components/RelativeTime';
import { SavedViews } from '../../components/SavedViews';
import { Snippet } from '../../components/Snippet';
import { RangeFilter } from '../../components/RangeFilter';
import { useSearchChange } from '../../components/use-search-change';
import { useTableRows } from '../../components/use-table-rows';
import { useKeyNames } from '../usage/queries';
import { BulkRedelivery, NOTHING_SELECTED, type DeliverySelection } from './BulkRedelivery';
import { DeliveryState } from './WebhookState';
import {
  deliveriesQuery,
  deliveryQuery,
  eventTypeNames,
  PLATFORM,
  useRedeliver,
  type Delivery,
  type WebhookPath,
} from './queries';

const typeNames: Record<string, string> = { ...eventTypeNames, 'webhook.test': 'Test' };

const nameOf = ({ eventType, status, createdAt }: Delivery): string =>
  `${typeNames[eventType] ?? eventType}, ${status}, ${formatExactTime(createdAt)}`;

interface DeliveryLogProps {
  path: WebhookPath;
  canChange: boolean;
  /** The deliveries of a disabled webhook wait, and none can be sent again. */
  isEnabled: boolean;
}

/** The deliveries of a webhook. A row opens the payload and each attempt. */
export function DeliveryLog({ path, canChange, isEnabled }: DeliveryLogProps) {
  const { status, eventType, range, delivery } = useSearch({ strict: false });
  const filter = { status, eventType, range, delivery };
  const deliveries = useInfiniteQuery(deliveriesQuery(path, filter));
  const [chosen, setChosen] = useState({ shown: '', selection: NOTHING_SELECTED });
  // The filters that the rows were chosen with. With others, rows that do not show would be sent.
  const shown = JSON.stringify({ ...filter, delivery: undefined });
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
        onOpen={({ id }) => change({ delivery: id })}
        selectedKey={filter.delivery}
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
            <SavedViews page={`deliveries.${path.workspaceId}`} search={{ ...filter, delivery: undefined }} />
            <FilterSelect
              label="State"
              value={filter.status}
              choices={[
                { value: 'pending', label: 'Pending' },
                { value: 'delivered', label: 'Delivered' },
                { value: 'failed', label: 'Failed' },
              ]}
              onChange={(status) => change({ status })}
              width={130}
            />
            <FilterSelect
              label="Event"
              value={filter.eventType}
              choices={choicesOf(Object.entries(typeNames))}
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
      <Drawer
        opened={filter.delivery !== undefined}
        onClose={() => change({ delivery: undefined })}
        title="Delivery"
        size={600}
      >
        {filter.delivery !== undefined && (
          <DeliveryDetails
            path={path}
            deliveryId={filter.delivery}
            canChange={canChange}
            isEnabled={isEnabled}
          />
        )}
      </Drawer>
    </>
  );
}

function DeliveryDetails({
  path,
  deliveryId,
  canChange,
  isEnabled,
}: DeliveryLogProps & { deliveryId: string }) {
  const query = useQuery(deliveryQuery(path, deliveryId));
  const redeliver = useRedeliver(path);
  const isOfWorkspace = path.workspaceId !== PLATFORM;
  const gameNames = useGameNames(path.workspaceId, { enabled: isOfWorkspace });
  const keyNames = useKeyNames(path.workspaceId, { enabled: isOfWorkspace });
  const { data } = query;
  if (!data) return <Pending query={query} failure="The delivery could not be loaded" height={200} />;
  const payload = JSON.parse(data.body) as Payload;
  const { tenantId, keyId } = payload.data ?? {};
  return (
    <Stack gap="md">
      <Facts
        facts={[
          ['Event', typeNames[data.eventType] ?? data.eventType],
          ['State', <DeliveryState key="state" status={data.status} />],
          ['Created', <RelativeTime key="created" at={data.createdAt} />],
          ['Next attempt', <NextAttempt key="next" delivery={data} isEnabled={isEnabled} />],
          ...named('Game', tenantId, gameNames),
          ...named('Key', keyId, keyNames),
          ['Delivery id', <CopyableId key="id" id={data.id} />],
        ]}
      />
      {canChange && !isDue(data) && (
        <Button
          variant="default"
          w="fit-content"
          disabled={!isEnabled}
          loading={redeliver.isPending}
          onClick={() => redeliver.mutate(data.id)}
        >
          Redeliver
        </Button>
      )}
      {redeliver.error && <ErrorText error={redeliver.error} />}
      <Title order={2}>Payload</Title>
      <JsonView value={payload} name="Payload" />
      <Title order={2}>Attempts</Title>
      {data.history.length === 0 && (
        <Text size="sm" c="dimmed">
          Not attempted yet.
        </Text>
      )}
      {data.history.map(({ number, startedAt, durationMs, statusCode, error: failure, answer }) => (
        <Stack key={number} gap={4}>
          <Text size="sm">
            {number}. {statusCode ?? (failure === null ? 'In progress' : 'No answer')}
            {durationMs !== null && ` in ${formatNumber(durationMs)} ms`}, <RelativeTime at={startedAt} />
          </Text>
          {failure !== null && (
            <Text size="xs" c="dimmed">
              {failure}
            </Text>
          )}
          {answer !== null && answer !== '' && (
            <Snippet code={answer} label={`Answer to attempt ${number}`} />
          )}
        </Stack>
      ))}
    </Stack>
  );
}

/** A delivery that waits for its next attempt can be sent now, for example after its endpoint was repaired. */
const isDue = ({ status, nextAttemptAt }: Delivery): boolean =>
  status === 'pending' && nextAttemptAt !== null && Date.parse(nextAttemptAt) <= Date.now();

/** The game and the key of an alert are in its payload. */
interface Payload {
  data?: { tenantId?: string; keyId?: string };
}

const named = (fact: string, id: string | undefined, names: Map<string, string>): [string, ReactNode][] =>
  id === undefined ? [] : [[fact, <CopyableId key={id} id={id} name={names.get(id)} />]];

function NextAttempt({ delivery: { nextAttemptAt }, isEnabled }: NextAttemptProps) {
  return nextAttemptAt !== null && !isEnabled ? 'When it is enabled' : <MaybeTime at={nextAttemptAt} />;
}

interface NextAttemptProps {
  delivery: Pick<Delivery, 'nextAttemptAt'>;
  isEnabled: boolean;
}

const columnsOf = (isEnabled: boolean): Column<Delivery>[] => [
  {
    id: 'event',
    header: 'Event',
    width: 180,
    narrowWidth: 142,
    cell: ({ eventType }) => typeNames[eventType] ?? eventType,
  },
  {
    id: 'state',
    header: 'State',
    width: 110,
    narrowWidth: 90,
    cell: ({ status }) => <DeliveryState status={status} />,
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
