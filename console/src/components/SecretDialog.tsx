import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Snippet } from './Snippet';
import { leavingSecret, useUnsavedChanges } from './unsaved-changes';

interface SecretDialogProps {
  /** What the secret is, such as "key". */
  name: string;
  label: string;
  secret: string | undefined;
  onClose: () => void;
  /** Another way to continue, beside the button that closes the dialog. */
  action?: ReactNode;
  /** What the secret is for. */
  children: ReactNode;
}

/** Shows a secret once. The server keeps only its fingerprint, so the dialog closes by its button only. */
export function SecretDialog({ name, label, secret, onClose, action, children }: SecretDialogProps) {
  const unsaved = useUnsavedChanges(
    secret !== undefined,
    leavingSecret(`The ${name} stays valid, but is not shown again.`),
  );
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onClose}
      title={`Save this ${name} now`}
      size="lg"
      withCloseButton={false}
    >
      <Stack gap="sm">
        <Text>It is not shown again. {children}</Text>
        <Snippet code={secret ?? ''} label={label} />
        <Group justify="flex-end" gap="xs">
          {action}
          <Button onClick={onClose}>I saved the {name}</Button>
        </Group>
      </Stack>
      {unsaved.question}
    </Modal>
  );
}
