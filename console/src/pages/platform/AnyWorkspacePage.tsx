import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { meQuery } from '../../app/account';
import { CopyableId } from '../../components/CopyableId';
import { NoRows } from '../../components/NoRows';
import type { Column } from '../../components/DataTable';
import { capitalize } from '../../components/format';
import { ButtonLink } from '../../components/links';
import { Facts, Page, Panel } from '../../components/Page';
import { RecordPage } from '../../components/RecordPage';
import { RelativeTime } from '../../components/RelativeTime';
import { State } from '../../components/State';
import { TablePanel } from '../../components/TablePanel';
import { planFacts } from '../usage/plan-facts';
import { PlanDialog } from './PlanDialog';
import { anyWorkspaceQuery, type AnyWorkspaceDetail } from './queries';

const route = getRouteApi('/app/platform/workspaces/$workspaceId');

export function AnyWorkspacePage() {
  const { workspaceId } = route.useParams();
  return (
    <RecordPage
      title="Workspace"
      query={useQuery(anyWorkspaceQuery(workspaceId))}
      list={<ButtonLink to="/platform/workspaces">Open all workspaces</ButtonLink>}
    >
      {(workspace) => <LoadedWorkspace workspace={workspace} />}
    </RecordPage>
  );
}

function LoadedWorkspace({ workspace }: { workspace: AnyWorkspaceDetail }) {
  const { id, name, slug, plan, createdAt, members, tenants } = workspace;
  const me = useQuery(meQuery);
  const isMember = me.data?.memberships.some(({ workspaceId }) => workspaceId === id) ?? false;
  const [isEditing, editing] = useDisclosure();
  return (
    <Page
      title={name}
      subtitle={<CopyableId id={id} whole />}
      actions={
        isMember && (
          <ButtonLink to="/workspaces/$workspaceId" params={{ workspaceId: id }}>
            Open the workspace
          </ButtonLink>
        )
      }
    >
      <Panel
        title="Plan and rate limits"
        actions={
          <Button variant="default" onClick={editing.open}>
            Change the plan
          </Button>
        }
      >
        <Facts facts={{ ...planFacts(plan), Slug: slug, Created: <RelativeTime at={createdAt} /> }} />
      </Panel>
      <TablePanel
        title="Games"
        actions={<FirstOnly rows={tenants} />}
        columns={gameColumns}
        rows={tenants}
        rowKey={({ tenantId }) => tenantId}
        empty={<NoRows>This workspace has no game.</NoRows>}
      />
      <TablePanel
        title="Members"
        actions={<FirstOnly rows={members} />}
        columns={memberColumns}
        rows={members}
        rowKey={({ accountId }) => accountId}
        empty={<NoRows>This workspace has no member. Nobody can change it.</NoRows>}
      />
      {isEditing && <PlanDialog workspaceId={id} name={name} plan={plan} onClose={editing.close} />}
    </Page>
  );
}

/** The most games and members that the server lists. */
const MOST_LISTED = 200;

function FirstOnly({ rows }: { rows: unknown[] }) {
  if (rows.length < MOST_LISTED) return null;
  return <Text c="dimmed">The first {MOST_LISTED}</Text>;
}

const gameColumns: Column<AnyWorkspaceDetail['tenants'][number]>[] = [
  { id: 'name', header: 'Name', narrowWidth: 154, cell: ({ name }) => name },
  { id: 'slug', header: 'Slug', width: 200, narrowWidth: 124, cell: ({ slug }) => slug },
  {
    id: 'state',
    header: 'State',
    width: 110,
    narrowWidth: 88,
    cell: ({ disabledAt }) =>
      disabledAt === null ? <State tone="good">Active</State> : <State tone="bad">Disabled</State>,
  },
  { id: 'id', header: 'Game id', width: 150, cell: ({ tenantId }) => <CopyableId id={tenantId} /> },
];

const memberColumns: Column<AnyWorkspaceDetail['members'][number]>[] = [
  { id: 'email', header: 'Email', narrowWidth: 276, cell: ({ email }) => email },
  { id: 'role', header: 'Role', width: 120, narrowWidth: 90, cell: ({ role }) => capitalize(role) },
  { id: 'id', header: 'Account id', width: 150, cell: ({ accountId }) => <CopyableId id={accountId} /> },
];
