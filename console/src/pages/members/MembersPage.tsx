import { Button, Menu, Select } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { meQuery, useRole, type Role } from '../../app/account';
import type { Column } from '../../components/DataTable';
import { capitalize } from '../../components/format';
import { Page } from '../../components/Page';
import { MaybeTime, RelativeTime } from '../../components/RelativeTime';
import { RowMenu } from '../../components/RowMenu';
import { State } from '../../components/State';
import { TablePanel } from '../../components/TablePanel';
import { useTableRows } from '../../components/use-table-rows';
import { InviteDialog, LeaveDialog, RemoveDialog, RoleDialog } from './MemberDialogs';
import { membersQuery, type Member } from './queries';
import { rolesManagedBy, type ROLES } from './roles';

const route = getRouteApi('/app/workspaces/$workspaceId/members');

type OpenDialog =
  | { kind: 'invite' }
  | { kind: 'role'; member: Member; role: Role }
  | { kind: 'remove'; member: Member }
  | { kind: 'leave'; userId: string };

export function MembersPage() {
  const { workspaceId } = route.useParams();
  const members = useInfiniteQuery(membersQuery(workspaceId));
  const ownId = useQuery(meQuery).data?.user.id;
  const roles = rolesManagedBy(useRole(workspaceId));
  const [dialog, setDialog] = useState<OpenDialog>();
  const common = { workspaceId, onClose: () => setDialog(undefined) };
  return (
    <Page
      title="Members"
      subtitle="Viewers read. Admins also change games, keys, players and members. Owners also change the workspace and its owners."
      actions={
        roles.length > 0 && <Button onClick={() => setDialog({ kind: 'invite' })}>Invite a member</Button>
      }
    >
      <TablePanel
        label="Members"
        columns={columns(ownId, roles, setDialog)}
        {...useTableRows(members, ({ userId, invitationId }) => userId ?? invitationId ?? '')}
        empty={null}
      />
      {dialog?.kind === 'invite' && <InviteDialog {...common} roles={roles} />}
      {dialog?.kind === 'role' && (
        <RoleDialog
          {...common}
          member={dialog.member}
          role={dialog.role}
          isSelf={dialog.member.userId === ownId}
        />
      )}
      {dialog?.kind === 'remove' && <RemoveDialog {...common} member={dialog.member} />}
      {dialog?.kind === 'leave' && <LeaveDialog {...common} userId={dialog.userId} />}
    </Page>
  );
}

const STATES = {
  active: <State tone="good">Member</State>,
  invited: <State tone="info">Invited</State>,
  expired: <State>Expired</State>,
};

/** The members, with the actions for which the account has one of the roles. */
function columns(
  ownId: string | undefined,
  roles: typeof ROLES,
  open: (dialog: OpenDialog) => void,
): Column<Member>[] {
  const isManaged = ({ role }: Member): boolean => roles.some(({ value }) => value === role);
  return [
    { id: 'email', header: 'Email', narrowWidth: 190, cell: ({ email }) => email },
    { id: 'name', header: 'Name', width: 160, cell: ({ displayName }) => displayName ?? '–' },
    {
      id: 'role',
      header: 'Role',
      width: 140,
      narrowWidth: 106,
      cell: (member) =>
        isManaged(member) && member.userId !== null ? (
          <Select
            variant="unstyled"
            aria-label={`Role of ${member.email}`}
            data={roles}
            value={member.role}
            onChange={(role) => role && role !== member.role && open({ kind: 'role', member, role })}
          />
        ) : (
          capitalize(member.role)
        ),
    },
    { id: 'state', header: 'State', width: 110, cell: ({ status }) => STATES[status] },
    { id: 'since', header: 'Since', width: 130, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    { id: 'expires', header: 'Expires', width: 120, cell: ({ expiresAt }) => <MaybeTime at={expiresAt} /> },
    {
      id: 'remove',
      header: 'Action',
      isAction: true,
      width: 66,
      narrowWidth: 64,
      cell: (member) => {
        const { userId } = member;
        const label = `Change the member ${member.email}`;
        if (userId !== null && userId === ownId)
          return (
            <RowMenu label={label}>
              <Menu.Item onClick={() => open({ kind: 'leave', userId })}>Leave the workspace</Menu.Item>
            </RowMenu>
          );
        if (!isManaged(member)) return null;
        return (
          <RowMenu label={label}>
            <Menu.Item c="var(--gh-bad)" onClick={() => open({ kind: 'remove', member })}>
              {userId === null ? 'Withdraw the invitation' : 'Remove the member'}
            </Menu.Item>
          </RowMenu>
        );
      },
    },
  ];
}
