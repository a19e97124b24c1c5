import { useNavigate } from '@tanstack/react-router';
import { ConfirmDialog } from '../../components/ConfirmDialog';
import { leavingRequest, useUnsavedChanges } from '../../components/unsaved-changes';
import { linkToList } from './owner';
import { useDeleteWebhook, useRotateSecret, type WebhookPath } from './queries';

interface DialogProps {
  path: WebhookPath;
  onClose: () => void;
}

const OVERLAP_SECONDS = 86_400;

export function RotateSecretDialog({
  path,
  onClose,
  onRotated,
}: DialogProps & { onRotated: (secret: string | undefined) => void }) {
  const rotate = useRotateSecret(path);
  const unsaved = useUnsavedChanges(rotate.isPending, leavingRequest);
  return (
    <>
      <ConfirmDialog
        onClose={onClose}
        title="Rotate the secret"
        verb="Rotate the secret"
        hasEffect
        mutation={rotate}
        input={OVERLAP_SECONDS}
        onDone={({ secret }) => onRotated(secret)}
      >
        Creates a new signing secret. For one day, deliveries are signed with both, so your server can change
        over without an interruption.
      </ConfirmDialog>
      {unsaved.question}
    </>
  );
}

export function DeleteWebhookDialog({ path, onClose, url }: DialogProps & { url: string }) {
  const remove = useDeleteWebhook(path);
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Delete the webhook"
      verb="Delete the webhook"
      typed="delete"
      mutation={remove}
      input={undefined}
      onDone={() => void navigate(linkToList(path.workspaceId))}
    >
      Deletes the webhook {url} with its delivery log. Pending deliveries are not sent. This cannot be undone.
    </ConfirmDialog>
  );
}
