import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useGameNames } from '../../app/game';
import { choicesOf } from '../../components/format';
import { CopyableId, ShortId } from '../../components/CopyableId';
import { DataTable, type Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { NoResults } from '../../components/NoResults';
import { FilterSelect } from '../../components/FilterSelect';
import { Page } from '../../components/Page';
import { RelativeTime } from '../../components/RelativeTime';
import { State } from '../../components/State';
import { RangeFilter } from '../../components/RangeFilter';
import { useSearchChange } from '../../components/use-search-change';
import { useTableRows } from '../../components/use-table-rows';
import { useKeyNames } from '../usage/queries';
import { alertNames, formatAmount } from './alert-texts';
import { alertsQuery, type Alert } from './queries';

const route = getRouteApi('/app/workspaces/$workspaceId/alerts');

export function AlertsPage() {
  const { workspaceId } = route.useParams();
  const filter = route.useSearch();
  const alerts = useInfiniteQuery(alertsQuery(workspaceId, filter));
  const gameNames = useGameNames(workspaceId);
  const keyNames = useKeyNames(workspaceId);
  const change = useSearchChange<typeof filter>();
  return (
    <Page
      title="Alerts"
      subtitle="Keys with unusual traffic. The thresholds are in the settings of each game."
      fill
    >
      <DataTable
        label="Alerts"
        columns={columns(gameNames, keyNames)}
        {...useTableRows(alerts, ({ id }) => id)}
        toolbar={
          <>
            <FilterSelect
              label="Type"
              value={filter.type}
              choices={choicesOf(Object.entries(alertNames))}
              onChange={(type) => change({ type })}
            />
            <FilterSelect
              label="Game"
              value={filter.tenantId}
              choices={choicesOf(gameNames)}
              onChange={(tenantId) => change({ tenantId })}
              width={180}
            />
            <RangeFilter value={filter.range} onChange={(range) => change({ range })} />
          </>
        }
        isFiltered={Object.keys(filter).length > 0}
        noResults={
          <NoResults title="No alert matches the filters">
            Choose a longer time, or another type or game.
          </NoResults>
        }
        empty={
          <EmptyState title="No alerts">
            An alert appears when a key sends more requests or more bytes in a minute than its threshold.
            Owners and admins also get an email.
          </EmptyState>
        }
      />
    </Page>
  );
}

const columns = (gameNames: Map<string, string>, keyNames: Map<string, string>): Column<Alert>[] => [
  {
    id: 'at',
    header: 'Time',
    width: 120,
    narrowWidth: 92,
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  {
    id: 'type',
    header: 'Type',
    width: 130,
    narrowWidth: 104,
    cell: ({ type }) => <State tone="warn">{alertNames[type]}</State>,
  },
  {
    id: 'game',
    header: 'Game',
    narrowWidth: 86,
    cell: ({ tenantId }) => <CopyableId id={tenantId} name={gameNames.get(tenantId)} />,
  },
  {
    id: 'key',
    header: 'Key',
    width: 190,
    narrowWidth: 84,
    cell: ({ tenantId, keyId }) => (
      <Link to="/games/$tenantId/keys" params={{ tenantId }} search={{ key: keyId, revoked: 'true' }}>
        <ShortId id={keyId} name={keyNames.get(keyId)} />
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
    id: 'observed',
    header: 'Per minute',
    width: 120,
    align: 'right',
    cell: ({ type, observed }) => formatAmount(type, observed),
  },
  {
    id: 'threshold',
    header: 'Threshold',
    width: 120,
    align: 'right',
    cell: ({ type, threshold }) => formatAmount(type, threshold),
  },
];
