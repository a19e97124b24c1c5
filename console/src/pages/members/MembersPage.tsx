import { Button, Select, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { meQuery, useCan, type Role } from '../../app/account';
import { ConfirmDialog } from '../../components/ConfirmDialog';
import { DataTable, type Column } from '../../components/DataTable';
import { ErrorText } from '../../components/ErrorState';
import { FormDialog } from '../../components/FormDialog';
import { Page, Panel } from '../../components/Page';
import { MaybeTime, RelativeTime } from '../../components/RelativeTime';
import { State } from '../../components/State';
import { membersQuery, useChangeRole, useInvite, useRemove, type Member } from './queries';

const route = getRouteApi('/app/workspaces/$workspaceId/members');

const ROLES: { value: Role; label: string }[] = [
  { value: 'owner', label: 'Owner' },
  { value: 'admin', label: 'Admin' },
  { value: 'viewer', label: 'Viewer' },
];

export function MembersPage() {
  const { workspaceId } = route.useParams();
  const members = useQuery(membersQuery(workspaceId));
  const ownId = useQuery(meQuery).data?.user.id;
  const canInvite = useCan(workspaceId, 'admin');
  const isOwner = useCan(workspaceId, 'owner');
  const changeRole = useChangeRole(workspaceId);
  const [isInviting, inviting] = useDisclosure();
  const [leaving, setLeaving] = useState<Member>();

  const columns: Column<Member>[] = [
    { id: 'email', header: 'Email', cell: ({ email }) => email },
    { id: 'name', header: 'Name', width: 180, cell: ({ displayName }) => displayName ?? '–' },
    {
      id: 'role',
      header: 'Role',
      width: 150,
      cell: ({ userId, role, email }) =>
        isOwner && userId !== null ? (
          <Select
            size="xs"
            variant="unstyled"
            aria-label={`Role of ${email}`}
            data={ROLES}
            value={
              changeRole.isPending && changeRole.variables.userId === userId
                ? changeRole.variables.role
                : role
            }
            onChange={(next) => next && changeRole.mutate({ userId, role: next })}
          />
        ) : (
          ROLES.find(({ value }) => value === role)?.label
        ),
    },
    {
      id: 'state',
      header: 'State',
      width: 110,
      cell: ({ status }) =>
        status === 'active' ? (
          <State tone="good">Member</State>
        ) : status === 'invited' ? (
          <State tone="info">Invited</State>
        ) : (
          <State>Expired</State>
        ),
    },
    { id: 'since', header: 'Since', width: 130, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    { id: 'expires', header: 'Expires', width: 120, cell: ({ expiresAt }) => <MaybeTime at={expiresAt} /> },
    {
      id: 'remove',
      header: 'Action',
      width: 130,
      cell: (member) =>
        (isOwner || member.userId === ownId || (canInvite && member.userId === null)) && (
          <Button variant="default" size="compact-xs" onClick={() => setLeaving(member)}>
            {member.userId === null ? 'Withdraw' : member.userId === ownId ? 'Leave' : 'Remove'}
          </Button>
        ),
    },
  ];

  return (
    <Page
      title="Members"
      subtitle="Viewers read. Admins also change games, keys and players. Owners also change members."
      actions={canInvite && <Button onClick={inviting.open}>Invite a member</Button>}
    >
      {changeRole.error && <ErrorText error={changeRole.error} />}
      <Panel flush>
        <DataTable
          inline
          label="Members"
          columns={columns}
          rows={members.data?.items}
          rowKey={({ userId, invitationId }) => userId ?? invitationId ?? ''}
          error={members.error}
          retry={() => void members.refetch()}
          empty={null}
        />
      </Panel>
      {isInviting && <InviteDialog onClose={inviting.close} workspaceId={workspaceId} isOwner={isOwner} />}
      {leaving && (
        <RemoveDialog member={leaving} workspaceId={workspaceId} onClose={() => setLeaving(undefined)} />
      )}
    </Page>
  );
}

function InviteDialog({
  onClose,
  workspaceId,
  isOwner,
}: {
  onClose: () => void;
  workspaceId: string;
  isOwner: boolean;
}) {
  const form = useForm({ initialValues: { email: '', role: 'viewer' as Role } });
  const invite = useInvite(workspaceId);
  return (
    <FormDialog
      onClose={onClose}
      title="Invite a member"
      verb="Send the invitation"
      form={form}
      mutation={invite}
      toInput={(values) => values}
      onDone={onClose}
    >
      <TextInput label="Email" type="email" required data-autofocus {...form.getInputProps('email')} />
      <Select
        label="Role"
        data={isOwner ? ROLES : ROLES.filter(({ value }) => value !== 'owner')}
        {...form.getInputProps('role')}
      />
      <Text size="xs" c="dimmed">
        The invitation works once, for seven days, and only for this address.
      </Text>
    </FormDialog>
  );
}

function RemoveDialog({
  member,
  workspaceId,
  onClose,
}: {
  member: Member;
  workspaceId: string;
  onClose: () => void;
}) {
  const remove = useRemove(workspaceId);
  const isInvitation = member.userId === null;
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={isInvitation ? 'Withdraw the invitation' : `Remove ${member.email}`}
      verb={isInvitation ? 'Withdraw the invitation' : 'Remove the member'}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(member, { onSuccess: onClose })}
    >
      {isInvitation
        ? `The mail to ${member.email} stops working. You can invite the address again.`
        : `${member.email} loses access to this workspace and its games at once. You can invite the address again.`}
    </ConfirmDialog>
  );
}
