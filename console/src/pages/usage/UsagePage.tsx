import { SegmentedControl } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useGameNames } from '../../app/game';
import { Chart } from '../../components/Chart';
import { useSearchChange } from '../../components/use-search-change';
import { Pending } from '../../components/Pending';
import { CopyableId, ShortId } from '../../components/CopyableId';
import { DataTable, type Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { ErrorState } from '../../components/ErrorState';
import { FilterSelect } from '../../components/FilterSelect';
import { distinctNames, formatBytes, formatNumber, shortenId } from '../../components/format';
import { ButtonLink } from '../../components/links';
import { Facts, Page, Panel } from '../../components/Page';
import type { Answer } from '../../app/client';
import { PaidKeysPanel } from './PaidKeysPanel';
import { daysOf, PERIODS } from './periods';
import { planFacts } from './plan-facts';
import { QuotaMeter } from './QuotaMeter';
import {
  paidKeysQuery,
  usageQuery,
  useKeyNames,
  workspaceQuery,
  type Grouping,
  type PaidKey,
} from './queries';

const route = getRouteApi('/app/workspaces/$workspaceId/usage');

const GROUPINGS = [
  { value: 'day', label: 'By day' },
  { value: 'tenant', label: 'By game' },
  { value: 'key', label: 'By key' },
];

type UsageItem = Answer<'/api/workspaces/{workspaceId}/usage', 'get'>['items'][number];

export function UsagePage() {
  const { workspaceId } = route.useParams();
  const search = route.useSearch();
  const { tenantId, keyId } = search;
  const period = PERIODS.find(({ value }) => value === search.range)?.value ?? 'month';
  const groupBy = (GROUPINGS.find(({ value }) => value === search.groupBy)?.value ?? 'day') as Grouping;
  const filter = { ...daysOf(period), tenantId, keyId };
  const byDay = useQuery(usageQuery(workspaceId, 'day', filter));
  const grouped = useQuery(usageQuery(workspaceId, groupBy, filter));
  const paidKeys =
    useInfiniteQuery(paidKeysQuery(workspaceId)).data?.pages.flatMap(({ items }) => items) ?? [];
  const ownGames = useGameNames(workspaceId);
  const games = new Map([...paidKeys.map((key) => [key.tenantId, key.tenantName] as const), ...ownGames]);
  const keyNames = namesOfKeys(grouped.data?.items ?? [], paidKeys);
  const recentKeyNames = useKeyNames(workspaceId, { enabled: keyId !== undefined });
  // A game whose key is no longer paid for has no name.
  const choices = new Map([...(tenantId ? [[tenantId, shortenId(tenantId)] as const] : []), ...games]);
  const change = useSearchChange<typeof search>();
  return (
    <Page
      title="Usage and plan"
      subtitle="A unit is one accepted request on a key. In a batch it is one accepted event."
      actions={
        <>
          {tenantId && keyId && ownGames.has(tenantId) && (
            <ButtonLink
              to="/games/$tenantId/keys"
              params={{ tenantId }}
              search={{ key: keyId, revoked: 'true' }}
            >
              Open the key
            </ButtonLink>
          )}
          <FilterSelect
            label="Game"
            value={tenantId}
            choices={[...choices].map(([value, label]) => ({ value, label }))}
            onChange={(next) => change({ tenantId: next, keyId: undefined })}
            width={180}
          />
          {keyId && (
            <FilterSelect
              label="Key"
              value={keyId}
              choices={[
                {
                  value: keyId,
                  label: keyNames.get(keyId) ?? recentKeyNames.get(keyId) ?? shortenId(keyId),
                },
              ]}
              onChange={(next) => change({ keyId: next })}
              width={180}
            />
          )}
          <SegmentedControl
            size="xs"
            aria-label="Period"
            data={[...PERIODS]}
            value={period}
            onChange={(range) => change({ range })}
          />
        </>
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
          <Chart
            title="Units per day"
            isLoading={!byDay.data}
            bucketSeconds={86_400}
            {...toChart(byDay.data?.items ?? [])}
          />
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
          columns={columnsOf(groupBy, games, keyNames)}
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

/** The report has each day of the period, even days without usage. */
const toChart = (items: UsageItem[]) => ({
  times: items.map(({ day }) => Date.parse(day!) / 1000),
  series: [{ name: 'Units', values: items.map(({ units }) => units) }],
});

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

/** The report has no names of another workspace's keys. While such a key is paid, the list of paid keys has its name. */
function namesOfKeys(items: UsageItem[], paidKeys: PaidKey[]): Map<string, string> {
  const named = items.flatMap(({ keyId, keyName }) =>
    keyId && keyName ? [{ id: keyId, name: keyName }] : [],
  );
  return new Map([...paidKeys.map(({ id, name }) => [id, name] as const), ...distinctNames(named)]);
}

/** A game leads to the keys that used its units, and a key to its days. */
function columnsOf(
  groupBy: Grouping,
  games: Map<string, string>,
  keyNames: Map<string, string>,
): Column<UsageItem>[] {
  switch (groupBy) {
    case 'day':
      return [{ id: 'day', header: 'Day (UTC)', narrowWidth: 150, cell: ({ day }) => day }, ...amounts];
    case 'tenant':
      return [
        {
          id: 'game',
          header: 'Game',
          narrowWidth: 150,
          cell: ({ tenantId }) => (
            <Link
              from="/workspaces/$workspaceId/usage"
              to="."
              search={(before) => ({ ...before, tenantId, groupBy: 'key' })}
            >
              <ShortId id={tenantId!} name={games.get(tenantId!)} />
            </Link>
          ),
        },
        ...amounts,
      ];
    case 'key':
      return [
        {
          id: 'key',
          header: 'Key',
          narrowWidth: 150,
          cell: ({ tenantId, keyId }) => (
            <Link
              from="/workspaces/$workspaceId/usage"
              to="."
              search={(before) => ({ ...before, tenantId, keyId, groupBy: 'day' })}
            >
              <ShortId id={keyId!} name={keyNames.get(keyId!)} />
            </Link>
          ),
        },
        {
          id: 'kind',
          header: 'Kind',
          width: 100,
          cell: ({ keyKind }) => (keyKind === 'game' ? 'Game key' : 'API key'),
        },
        {
          id: 'game',
          header: 'Game',
          width: 180,
          cell: ({ tenantId }) => <CopyableId id={tenantId!} name={games.get(tenantId!)} />,
        },
        ...amounts,
      ];
  }
}
