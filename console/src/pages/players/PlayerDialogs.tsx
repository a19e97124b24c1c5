import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { formatCount } from '../../components/format';
import { ConfirmDialog } from '../../components/ConfirmDialog';
import { FormDialog } from '../../components/FormDialog';
import { useChangeRole, useDeletePlayer, useForceLogout, useLiftBan, type PlayerPath } from './queries';

interface DialogProps {
  onClose: () => void;
  path: PlayerPath;
  name: string;
}

export function LiftBanDialog({ path, name, ...dialog }: DialogProps) {
  const lift = useLiftBan(path);
  return (
    <ConfirmDialog
      {...dialog}
      title={`Lift the ban of ${name}`}
      verb="Lift the ban"
      isHarmless
      mutation={lift}
      input={undefined}
    >
      The player can sign in again at once. The ban stays in the history.
    </ConfirmDialog>
  );
}

export function ForceLogoutDialog({
  path,
  name,
  openSessions,
  ...dialog
}: DialogProps & { openSessions: number }) {
  const end = useForceLogout(path);
  return (
    <ConfirmDialog
      {...dialog}
      title={`End all sessions of ${name}`}
      verb="End all sessions"
      mutation={end}
      input={undefined}
    >
      Ends {formatCount(openSessions, 'session')} in this game, expired ones too. The player can sign in
      again. Ended sessions cannot be resumed.
    </ConfirmDialog>
  );
}

export function ChangeRoleDialog({ path, name, role, onClose }: DialogProps & { role: string }) {
  const form = useForm({ initialValues: { tenantRole: role } });
  const change = useChangeRole(path);
  return (
    <FormDialog
      onClose={onClose}
      title={`Change the role of ${name}`}
      verb="Change the role"
      form={form}
      mutation={change}
      toInput={(values) => values}
      onDone={onClose}
    >
      <TextInput
        label="Role in the game"
        description="Any text. The game defines its meaning."
        required
        data-autofocus
        {...form.getInputProps('tenantRole')}
      />
    </FormDialog>
  );
}

export function DeletePlayerDialog({
  playerId,
  name,
  ...dialog
}: {
  playerId: string;
  name: string;
  onClose: () => void;
  onDone?: () => void;
}) {
  const remove = useDeletePlayer(playerId);
  return (
    <ConfirmDialog
      {...dialog}
      title={`Delete ${name}`}
      verb="Delete the player"
      typed={name}
      mutation={remove}
      input={undefined}
    >
      Removes the profile, its sign-in methods and its personal data in all games of this server. Events and
      matches stay without a name. This cannot be undone. A receipt proves the deletion.
    </ConfirmDialog>
  );
}
