import { Group, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { meQuery, type Me } from '../../app/account';
import type { Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { ErrorText } from '../../components/ErrorState';
import { capitalize } from '../../components/format';
import { Page, Panel } from '../../components/Page';
import { SettingsForm } from '../../components/SettingsForm';
import { TablePanel } from '../../components/TablePanel';
import { useResendVerification } from '../account/queries';
import { ResendButton } from '../account/ResendButton';
import { useCreateWorkspace, useJoinWorkspace } from './queries';

export function WorkspacesPage() {
  const me = useQuery(meQuery);
  const navigate = useNavigate();
  return (
    <Page title="Workspaces" subtitle="A workspace is a studio: its members, its games and its plan">
      {me.data?.user.emailVerified === false && <VerificationNotice email={me.data.user.email} />}
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

const columns: Column<Me['memberships'][number]>[] = [
  {
    id: 'name',
    header: 'Name',
    narrowWidth: 256,
    cell: ({ workspaceId, workspaceName }) => (
      <Link to="/workspaces/$workspaceId" params={{ workspaceId }}>
        {workspaceName}
      </Link>
    ),
  },
  { id: 'slug', header: 'Slug', width: 200, cell: ({ workspaceSlug }) => workspaceSlug },
  { id: 'role', header: 'Your role', width: 120, narrowWidth: 110, cell: ({ role }) => capitalize(role) },
];

/** A sign-up opens this page. Without the notice, nothing says that an email was sent. */
function VerificationNotice({ email }: { email: string }) {
  const resend = useResendVerification();
  return (
    <Panel>
      <Group gap="xs">
        <Text>Open the link in the email to {email} to verify your address.</Text>
        <ResendButton resend={resend} />
      </Group>
      {resend.error && <ErrorText error={resend.error} />}
    </Panel>
  );
}

function CreateForm() {
  const form = useForm({ initialValues: { name: '' } });
  const open = useOpenWorkspace();
  return (
    <SettingsForm
      verb="Create the workspace"
      hasEffect
      form={form}
      mutation={useCreateWorkspace()}
      toInput={(values) => values}
      onDone={({ id }) => open(id)}
    >
      <TextInput label="Name" required maxLength={128} {...form.getInputProps('name')} />
    </SettingsForm>
  );
}

function JoinForm() {
  const form = useForm({ initialValues: { token: '' } });
  const open = useOpenWorkspace();
  return (
    <SettingsForm
      verb="Join the workspace"
      form={form}
      mutation={useJoinWorkspace()}
      secrets={['token']}
      toInput={({ token }) => token.trim()}
      onDone={({ workspaceId }) => open(workspaceId)}
    >
      <TextInput label="Token of the invitation" required {...form.getInputProps('token')} />
    </SettingsForm>
  );
}

/** Opens the workspace of a form that was sent: there is nothing to ask about. */
function useOpenWorkspace(): (workspaceId: string) => void {
  const navigate = useNavigate();
  return (workspaceId) =>
    void navigate({ to: '/workspaces/$workspaceId', params: { workspaceId }, ignoreBlocker: true });
}
