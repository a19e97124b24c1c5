import { formatCount } from '../../components/format';
import { ConfirmDialog } from '../../components/ConfirmDialog';
import { useDeletePlayer, useForceLogout, useLiftBan, type PlayerPath } from './queries';

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
      input=""
    >
      Ends {formatCount(openSessions, 'session')} in this game, expired ones too. The player can sign in
      again. Ended sessions cannot be resumed.
    </ConfirmDialog>
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
