import { Button, Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { meQuery } from '../../app/account';
import type { Column } from '../../components/DataTable';
import { ErrorText } from '../../components/ErrorState';
import { EmptyState } from '../../components/EmptyState';
import { capitalize } from '../../components/format';
import { Page, Panel } from '../../components/Page';
import { TablePanel } from '../../components/TablePanel';
import { useCreateWorkspace, useJoinWorkspace } from './queries';

interface Membership {
  workspaceId: string;
  workspaceName: string;
  workspaceSlug: string;
  role: string;
}

export function WorkspacesPage() {
  const me = useQuery(meQuery);
  const navigate = useNavigate();
  return (
    <Page title="Workspaces" subtitle="A workspace is a studio: its members, its games and its plan">
      <TablePanel
        title="Your workspaces"
        columns={columns}
        rows={me.data?.memberships}
        rowKey={({ workspaceId }) => workspaceId}
        query={me}
        onOpen={({ workspaceId }) =>
          void navigate({ to: '/workspaces/$workspaceId', params: { workspaceId } })
        }
        empty={
          <EmptyState title="No workspace yet">
            Create a workspace for your studio, or join one with the token of an invitation.
          </EmptyState>
        }
      />
      <Panel title="Create a workspace">
        <CreateForm />
      </Panel>
      <Panel title="Join a workspace">
        <JoinForm />
      </Panel>
    </Page>
  );
}

const columns: Column<Membership>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ workspaceId, workspaceName }) => (
      <Link to="/workspaces/$workspaceId" params={{ workspaceId }}>
        {workspaceName}
      </Link>
    ),
  },
  { id: 'slug', header: 'Slug', width: 200, cell: ({ workspaceSlug }) => workspaceSlug },
  { id: 'role', header: 'Your role', width: 120, cell: ({ role }) => capitalize(role) },
];

function CreateForm() {
  const form = useForm({ initialValues: { name: '' } });
  const create = useCreateWorkspace();
  const navigate = useNavigate();
  return (
    <form
      onSubmit={form.onSubmit((values) =>
        create.mutate(values, {
          onSuccess: ({ id }) =>
            void navigate({ to: '/workspaces/$workspaceId', params: { workspaceId: id } }),
        }),
      )}
    >
      <Group align="flex-end" gap="xs">
        <TextInput label="Name" required maxLength={128} w={280} {...form.getInputProps('name')} />
        <Button type="submit" size="sm" loading={create.isPending}>
          Create the workspace
        </Button>
      </Group>
      {create.error && <ErrorText error={create.error} />}
    </form>
  );
}

function JoinForm() {
  const form = useForm({ initialValues: { token: '' } });
  const join = useJoinWorkspace();
  const navigate = useNavigate();
  return (
    <form
      onSubmit={form.onSubmit(({ token }) =>
        join.mutate(token.trim(), {
          onSuccess: ({ workspaceId }) =>
            void navigate({ to: '/workspaces/$workspaceId', params: { workspaceId } }),
        }),
      )}
    >
      <Group align="flex-end" gap="xs">
        <TextInput label="Token of the invitation" required w={280} {...form.getInputProps('token')} />
        <Button type="submit" size="sm" variant="default" loading={join.isPending}>
          Join the workspace
        </Button>
      </Group>
      {join.error && <ErrorText error={join.error} />}
    </form>
  );
}
