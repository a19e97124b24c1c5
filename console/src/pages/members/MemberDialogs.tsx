import { Select, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import type { Role } from '../../app/account';
import { ConfirmDialog } from '../../components/ConfirmDialog';
import { FormDialog } from '../../components/FormDialog';
import { useChangeRole, useInvite, useLeave, useRemove, type Member } from './queries';
import { ABILITIES, type ROLES } from './roles';

interface DialogProps {
  workspaceId: string;
  onClose: () => void;
}

export function InviteDialog({ workspaceId, onClose, roles }: DialogProps & { roles: typeof ROLES }) {
  const form = useForm({ initialValues: { email: '', role: 'viewer' as Role } });
  return (
    <FormDialog
      onClose={onClose}
      title="Invite a member"
      verb="Send the invitation"
      form={form}
      mutation={useInvite(workspaceId)}
      toInput={(values) => values}
      onDone={onClose}
    >
      <TextInput label="Email" type="email" required data-autofocus {...form.getInputProps('email')} />
      <Select label="Role" data={roles} {...form.getInputProps('role')} />
      <Text size="xs" c="dimmed">
        The invitation works once, for seven days, and only for this address.
      </Text>
    </FormDialog>
  );
}

interface MemberDialogProps extends DialogProps {
  member: Member;
  /** Whether the member is the signed-in account. */
  isSelf: boolean;
}

export function RoleDialog({
  workspaceId,
  onClose,
  member,
  isSelf,
  role,
}: MemberDialogProps & { role: Role }) {
  const change = useChangeRole(workspaceId);
  return (
    <ConfirmDialog
      onClose={onClose}
      title={isSelf ? 'Change your own role' : `Change the role of ${member.email}`}
      verb={`Change the role to ${role}`}
      mutation={change}
      input={{ userId: member.userId!, role }}
    >
      {isSelf
        ? `You can then ${ABILITIES[role]}. Only another ${member.role} can give you the role ${member.role} again.`
        : `${member.email} can then ${ABILITIES[role]}.`}
    </ConfirmDialog>
  );
}

/** Removes a member, or withdraws an invitation. */
export function RemoveDialog({ workspaceId, onClose, member }: Omit<MemberDialogProps, 'isSelf'>) {
  const remove = useRemove(workspaceId);
  const { email, userId } = member;
  const { title, verb, effect } =
    userId === null
      ? {
          title: 'Withdraw the invitation',
          verb: 'Withdraw the invitation',
          effect: `The email to ${email} stops working.`,
        }
      : {
          title: `Remove ${email}`,
          verb: 'Remove the member',
          effect: `${email} loses access to this workspace and its games at once. Keys and webhook secrets that the member knows keep working. Rotate them.`,
        };
  return (
    <ConfirmDialog onClose={onClose} title={title} verb={verb} mutation={remove} input={member}>
      {effect} You can invite the address again.
    </ConfirmDialog>
  );
}

export function LeaveDialog({ workspaceId, onClose, userId }: DialogProps & { userId: string }) {
  const navigate = useNavigate();
  const leave = useLeave(workspaceId, () => navigate({ to: '/workspaces' }));
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Leave the workspace"
      verb="Leave the workspace"
      mutation={leave}
      input={userId}
    >
      You lose access to this workspace and its games at once. To come back, you need a new invitation.
    </ConfirmDialog>
  );
}
