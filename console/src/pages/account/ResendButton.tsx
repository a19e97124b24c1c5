import { Button } from '@mantine/core';
import type { useResendVerification } from './queries';

/** Sends the email again that verifies the address of the account. */
export function ResendButton({ resend }: { resend: ReturnType<typeof useResendVerification> }) {
  return (
    <Button
      variant="default"
      size="compact-xs"
      loading={resend.isPending}
      disabled={resend.isSuccess}
      onClick={() => resend.mutate()}
    >
      {resend.isSuccess ? 'Email sent' : 'Send the email again'}
    </Button>
  );
}
