import { Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCan } from '../../app/account';
import type { Answer } from '../../app/client';
import { gamesQuery } from '../../app/game';
import { CopyableId } from '../../components/CopyableId';
import type { Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { FormDialog } from '../../components/FormDialog';
import { Page } from '../../components/Page';
import { RelativeTime } from '../../components/RelativeTime';
import { State } from '../../components/State';
import { TablePanel } from '../../components/TablePanel';
import { workspaceQuery } from '../usage/queries';
import { useCreateGame, useRenameWorkspace } from './queries';

const route = getRouteApi('/app/workspaces/$workspaceId/');

export function GamesPage() {
  const { workspaceId } = route.useParams();
  const workspace = useQuery(workspaceQuery(workspaceId));
  const games = useQuery(gamesQuery(workspaceId));
  const canCreate = useCan(workspaceId, 'admin');
  const canRename = useCan(workspaceId, 'owner');
  const navigate = useNavigate();
  const [isCreating, creating] = useDisclosure();
  const [isRenaming, renaming] = useDisclosure();
  return (
    <Page
      title={workspace.data?.name ?? 'Games'}
      subtitle="The games and environments of this workspace"
      actions={
        <>
          {canRename && (
            <Button variant="default" onClick={renaming.open} disabled={!workspace.data}>
              Rename
            </Button>
          )}
          {canCreate && <Button onClick={creating.open}>Create a game</Button>}
        </>
      }
    >
      <TablePanel
        label="Games"
        columns={columns}
        rows={games.data?.items}
        rowKey={({ id }) => id}
        query={games}
        onOpen={({ id }) => void navigate({ to: '/games/$tenantId', params: { tenantId: id } })}
        empty={
          <EmptyState
            title="No games yet"
            next={
              canCreate && (
                <Button onClick={creating.open} w="fit-content">
                  Create a game
                </Button>
              )
            }
          >
            A game has its own players, events, keys and sign-in providers. Create one for each game and for
            each environment, such as staging.
          </EmptyState>
        }
      />
      {isCreating && <CreateGameDialog onClose={creating.close} workspaceId={workspaceId} />}
      {isRenaming && workspace.data && (
        <RenameDialog onClose={renaming.close} workspaceId={workspaceId} name={workspace.data.name} />
      )}
    </Page>
  );
}

type Game = Answer<'/api/workspaces/{workspaceId}/bus_tenants', 'get'>['items'][number];

const columns: Column<Game>[] = [
  {
    id: 'name',
    header: 'Name',
    narrowWidth: 184,
    cell: ({ id, name }) => (
      <Link to="/games/$tenantId" params={{ tenantId: id }}>
        {name}
      </Link>
    ),
  },
  { id: 'id', header: 'Game id', width: 150, cell: ({ id }) => <CopyableId id={id} /> },
  {
    id: 'state',
    header: 'State',
    width: 120,
    narrowWidth: 88,
    cell: ({ isActive, isDemo }) =>
      !isActive ? (
        <State tone="bad">Disabled</State>
      ) : isDemo ? (
        <State tone="info">Demo</State>
      ) : (
        <State tone="good">Active</State>
      ),
  },
  {
    id: 'created',
    header: 'Created',
    width: 140,
    narrowWidth: 94,
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
];

function CreateGameDialog({ onClose, workspaceId }: { onClose: () => void; workspaceId: string }) {
  const form = useForm({ initialValues: { name: '' } });
  const create = useCreateGame(workspaceId);
  const navigate = useNavigate();
  return (
    <FormDialog
      onClose={onClose}
      title="Create a game"
      verb="Create the game"
      form={form}
      mutation={create}
      toInput={(values) => values}
      onDone={({ id }) =>
        void navigate({
          to: '/games/$tenantId/first-run',
          params: { tenantId: id },
          // The name is saved: nothing to ask about.
          ignoreBlocker: true,
        })
      }
    >
      <TextInput label="Name" required maxLength={128} data-autofocus {...form.getInputProps('name')} />
    </FormDialog>
  );
}

function RenameDialog({
  onClose,
  workspaceId,
  name,
}: {
  onClose: () => void;
  workspaceId: string;
  name: string;
}) {
  const form = useForm({ initialValues: { name } });
  const rename = useRenameWorkspace(workspaceId);
  return (
    <FormDialog
      onClose={onClose}
      title="Rename the workspace"
      verb="Rename"
      form={form}
      mutation={rename}
      toInput={(values) => values}
      onDone={onClose}
    >
      <TextInput label="Name" required maxLength={128} data-autofocus {...form.getInputProps('name')} />
    </FormDialog>
  );
}
