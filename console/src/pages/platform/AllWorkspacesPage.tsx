import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CopyableId } from '../../components/CopyableId';
import { DataTable, type Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { formatNumber } from '../../components/format';
import { Page } from '../../components/Page';
import { RelativeTime } from '../../components/RelativeTime';
import { SearchInput } from '../../components/SearchInput';
import { useTableRows } from '../../components/use-table-rows';
import { useSearchChange } from '../../components/use-search-change';
import { allWorkspacesQuery, type AnyWorkspace } from './queries';

const route = getRouteApi('/app/platform/workspaces');

export function AllWorkspacesPage() {
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const change = useSearchChange<{ search: string | undefined }>();
  const workspaces = useInfiniteQuery(allWorkspacesQuery(search));
  return (
    <Page title="All workspaces" subtitle="The studios on this server and their plans, newest first" fill>
      <DataTable
        label="All workspaces"
        columns={columns}
        {...useTableRows(workspaces, ({ id }) => id)}
        onOpen={({ id }) =>
          void navigate({ to: '/platform/workspaces/$workspaceId', params: { workspaceId: id } })
        }
        toolbar={
          <SearchInput
            label="Name, slug, id or email of a member"
            value={search}
            onChange={(next) => change({ search: next })}
          />
        }
        empty={
          <EmptyState title="No workspace matches">
            Search for the beginning of a name, or for a whole slug, id, game id or email address of a member.
          </EmptyState>
        }
      />
    </Page>
  );
}

const columns: Column<AnyWorkspace>[] = [
  {
    id: 'name',
    header: 'Name',
    narrowWidth: 172,
    cell: ({ id, name }) => (
      <Link to="/platform/workspaces/$workspaceId" params={{ workspaceId: id }}>
        {name}
      </Link>
    ),
  },
  { id: 'slug', header: 'Slug', width: 150, cell: ({ slug }) => slug },
  { id: 'plan', header: 'Plan', width: 120, narrowWidth: 100, cell: ({ plan }) => plan.name },
  {
    id: 'units',
    header: 'Units per month',
    width: 130,
    align: 'right',
    cell: ({ plan }) => (plan.monthlyUnits === null ? 'Unlimited' : formatNumber(plan.monthlyUnits)),
  },
  {
    id: 'created',
    header: 'Created',
    width: 130,
    narrowWidth: 94,
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  { id: 'id', header: 'Workspace id', width: 150, hidden: true, cell: ({ id }) => <CopyableId id={id} /> },
];
