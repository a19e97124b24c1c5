import { Button, Select, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { meQuery, useCan, type Role } from '../../app/account';
import { ConfirmDialog } from '../../components/ConfirmDialog';
import { DataTable, type Column } from '../../components/DataTable';
import { capitalize } from '../../components/format';
import { FormDialog } from '../../components/FormDialog';
import { Page, Panel } from '../../components/Page';
import { MaybeTime, RelativeTime } from '../../components/RelativeTime';
import { State } from '../../components/State';
import { useTableRows } from '../../components/use-table-rows';
import { membersQuery, useChangeRole, useInvite, useRemove, type Member } from './queries';

const route = getRouteApi('/app/workspaces/$workspaceId/members');

const ROLES: { value: Role; label: string }[] = [
  { value: 'owner', label: 'Owner' },
  { value: 'admin', label: 'Admin' },
  { value: 'viewer', label: 'Viewer' },
];

export function MembersPage() {
  const { workspaceId } = route.useParams();
  const members = useInfiniteQuery(membersQuery(workspaceId));
  const ownId = useQuery(meQuery).data?.user.id;
  const canInvite = useCan(workspaceId, 'admin');
  const isOwner = useCan(workspaceId, 'owner');
  const [isInviting, inviting] = useDisclosure();
  const [leaving, setLeaving] = useState<Member>();
  const [change, setChange] = useState<{ member: Member; role: Role }>();

  const columns: Column<Member>[] = [
    { id: 'email', header: 'Email', cell: ({ email }) => email },
    { id: 'name', header: 'Name', width: 180, cell: ({ displayName }) => displayName ?? '–' },
    {
      id: 'role',
      header: 'Role',
      width: 150,
      cell: (member) => {
        const { userId, role, email } = member;
        return isOwner && userId !== null ? (
          <Select
            size="xs"
            variant="unstyled"
            aria-label={`Role of ${email}`}
            data={ROLES}
            value={role}
            onChange={(next) => next && next !== role && setChange({ member, role: next })}
          />
        ) : (
          capitalize(role)
        );
      },
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
      <Panel flush>
        <DataTable
          inline
          label="Members"
          columns={columns}
          {...useTableRows(members, ({ userId, invitationId }) => userId ?? invitationId ?? '')}
          empty={null}
        />
      </Panel>
      {isInviting && <InviteDialog onClose={inviting.close} workspaceId={workspaceId} isOwner={isOwner} />}
      {leaving && (
        <RemoveDialog
          member={leaving}
          isSelf={leaving.userId === ownId}
          workspaceId={workspaceId}
          onClose={() => setLeaving(undefined)}
        />
      )}
      {change && (
        <RoleDialog
          {...change}
          isSelf={change.member.userId === ownId}
          workspaceId={workspaceId}
          onClose={() => setChange(undefined)}
        />
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

interface MemberDialogProps {
  member: Member;
  /** Whether the member is the signed-in account. */
  isSelf: boolean;
  workspaceId: string;
  onClose: () => void;
}

const ABILITIES: Record<Role, string> = {
  owner: 'change everything, including members and their roles',
  admin: 'change games, keys and players, but not members',
  viewer: 'read, but change nothing',
};

function RoleDialog({ member, role, isSelf, workspaceId, onClose }: MemberDialogProps & { role: Role }) {
  const change = useChangeRole(workspaceId);
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={isSelf ? 'Change your own role' : `Change the role of ${member.email}`}
      verb={`Change the role to ${role}`}
      isPending={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ userId: member.userId!, role }, { onSuccess: onClose })}
    >
      {isSelf
        ? `You can then ${ABILITIES[role]}. Only another owner can make you an owner again.`
        : `${member.email} can then ${ABILITIES[role]}.`}
    </ConfirmDialog>
  );
}

function RemoveDialog({ member, isSelf, workspaceId, onClose }: MemberDialogProps) {
  const remove = useRemove(workspaceId);
  const { title, verb, effect } = removalTexts(member, isSelf);
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={title}
      verb={verb}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(member, { onSuccess: onClose })}
    >
      {effect}
    </ConfirmDialog>
  );
}

function removalTexts({ email, userId }: Member, isSelf: boolean) {
  if (isSelf)
    return {
      title: 'Leave the workspace',
      verb: 'Leave the workspace',
      effect:
        'You lose access to this workspace and its games at once. To come back, you need a new invitation.',
    };
  if (userId === null)
    return {
      title: 'Withdraw the invitation',
      verb: 'Withdraw the invitation',
      effect: `The mail to ${email} stops working. You can invite the address again.`,
    };
  return {
    title: `Remove ${email}`,
    verb: 'Remove the member',
    effect: `${email} loses access to this workspace and its games at once. You can invite the address again.`,
  };
}
