import { SecretDialog } from '../../components/SecretDialog';

/** The signing secret of a new webhook, or of one whose secret was rotated. */
export function SigningSecretDialog(props: { secret: string | undefined; onClose: () => void }) {
  return (
    <SecretDialog name="secret" label="Signing secret" {...props}>
      Your server checks the signature of each delivery with this secret (Standard Webhooks).
    </SecretDialog>
  );
}
