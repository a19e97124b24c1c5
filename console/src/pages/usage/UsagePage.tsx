import { Group, SegmentedControl } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Chart } from '../../components/Chart';
import { useSearchChange } from '../../components/use-search-change';
import { Pending } from '../../components/Pending';
import { CopyableId } from '../../components/CopyableId';
import { DataTable, type Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { ErrorState } from '../../components/ErrorState';
import { formatBytes, formatNumber } from '../../components/format';
import { Facts, Page, Panel } from '../../components/Page';
import type { Answer } from '../../app/client';
import { PaidKeysPanel } from './PaidKeysPanel';
import { planFacts } from './plan-facts';
import { QuotaMeter } from './QuotaMeter';
import { paidKeysQuery, usageQuery, workspaceQuery, type Grouping } from './queries';

const route = getRouteApi('/app/workspaces/$workspaceId/usage');

const PERIODS = [
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
];
const GROUPINGS = [
  { value: 'day', label: 'By day' },
  { value: 'tenant', label: 'By game' },
  { value: 'key', label: 'By key' },
];

type UsageItem = Answer<'/api/workspaces/{workspaceId}/usage', 'get'>['items'][number];

export function UsagePage() {
  const { workspaceId } = route.useParams();
  const search = route.useSearch();
  const period = PERIODS.some(({ value }) => value === search.range) ? search.range! : '30d';
  const groupBy = (GROUPINGS.find(({ value }) => value === search.groupBy)?.value ?? 'day') as Grouping;
  const days = Number.parseInt(period);
  const byDay = useQuery(usageQuery(workspaceId, 'day', days));
  const grouped = useQuery(usageQuery(workspaceId, groupBy, days));
  const nameOfOther = useNamesOfOthers(workspaceId);
  const change = useSearchChange<typeof search>();
  return (
    <Page
      title="Usage and plan"
      subtitle="A unit is one accepted request on a key. In a batch it is one accepted event."
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Period"
          data={PERIODS}
          value={period}
          onChange={(range) => change({ range })}
        />
      }
    >
      <Panel title="This period">
        <QuotaMeter workspaceId={workspaceId} />
      </Panel>
      <PlanPanel workspaceId={workspaceId} />
      <Panel title="Units per day">
        {byDay.error && !byDay.data ? (
          <ErrorState
            error={byDay.error}
            what="Usage could not be loaded"
            retry={() => void byDay.refetch()}
          />
        ) : (
          <Chart title="Units per day" isLoading={!byDay.data} {...toChart(byDay.data?.items ?? [], days)} />
        )}
      </Panel>
      <PaidKeysPanel workspaceId={workspaceId} />
      <Panel
        title="Details"
        flush
        actions={
          <SegmentedControl
            size="xs"
            aria-label="Group by"
            data={GROUPINGS}
            value={groupBy}
            onChange={(next) => change({ groupBy: next })}
          />
        }
      >
        <DataTable
          inline
          label="Usage"
          columns={columnsOf(groupBy, nameOfOther)}
          // The newest day first.
          rows={groupBy === 'day' ? grouped.data?.items.toReversed() : grouped.data?.items}
          rowKey={({ day, tenantId, keyId }) => [day, tenantId, keyId].join(' ')}
          error={grouped.error}
          retry={() => void grouped.refetch()}
          empty={<EmptyState title="No usage">No request on a key was accepted during this time.</EmptyState>}
        />
      </Panel>
    </Page>
  );
}

function PlanPanel({ workspaceId }: { workspaceId: string }) {
  const query = useQuery(workspaceQuery(workspaceId));
  const { data } = query;
  return (
    <Panel title="Plan and rate limits">
      {data ? (
        <Facts facts={planFacts(data.plan)} />
      ) : (
        <Pending query={query} failure="The plan could not be loaded" height={90} />
      )}
    </Panel>
  );
}

/** One value for each day, even for days without usage. */
function toChart(items: UsageItem[], days: number) {
  const units = new Map(items.map((item) => [item.day, item.units]));
  const today = Math.floor(Date.now() / 86_400_000);
  const times = Array.from({ length: days }, (_, index) => (today - days + 1 + index) * 86_400);
  const dayOf = (time: number) => new Date(time * 1000).toISOString().slice(0, 10);
  return { times, series: [{ name: 'Units', values: times.map((time) => units.get(dayOf(time)) ?? 0) }] };
}

const amounts: Column<UsageItem>[] = [
  {
    id: 'units',
    header: 'Units',
    width: 140,
    narrowWidth: 104,
    align: 'right',
    cell: ({ units }) => formatNumber(units),
  },
  {
    id: 'in',
    header: 'Received',
    width: 140,
    narrowWidth: 96,
    align: 'right',
    cell: ({ bytesIn }) => formatBytes(bytesIn),
  },
  { id: 'out', header: 'Sent', width: 140, align: 'right', cell: ({ bytesOut }) => formatBytes(bytesOut) },
];

/** The usage of another workspace's key has no names. While the key is paid, the list of paid keys has them. */
function useNamesOfOthers(workspaceId: string): (id: string | undefined) => ReactNode {
  const paidKeys = useInfiniteQuery(paidKeysQuery(workspaceId)).data?.pages.flatMap(({ items }) => items);
  const names = new Map(
    paidKeys?.flatMap(({ id, name, tenantId, tenantName }) => [
      [id, name],
      [tenantId, tenantName],
    ]),
  );
  return (id) => (id === undefined ? '–' : (names.get(id) ?? <CopyableId id={id} />));
}

const columnsOf = (groupBy: Grouping, nameOf: (id: string | undefined) => ReactNode): Column<UsageItem>[] => {
  const game = ({ tenantId, tenantName }: UsageItem) => tenantName ?? nameOf(tenantId);
  switch (groupBy) {
    case 'day':
      return [{ id: 'day', header: 'Day (UTC)', narrowWidth: 150, cell: ({ day }) => day }, ...amounts];
    case 'tenant':
      return [{ id: 'game', header: 'Game', narrowWidth: 150, cell: game }, ...amounts];
    case 'key':
      return [
        {
          id: 'key',
          header: 'Key',
          narrowWidth: 150,
          cell: ({ keyId, keyName, keyKind }) => (
            <Group gap={6}>
              {keyName ?? nameOf(keyId)} <span>({keyKind === 'game' ? 'game key' : 'API key'})</span>
            </Group>
          ),
        },
        { id: 'game', header: 'Game', width: 180, cell: game },
        ...amounts,
      ];
  }
};
