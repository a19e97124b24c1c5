import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { Snippet } from '../../components/Snippet';

/** Shows a signing secret once. */
export function SecretDialog({ secret, onClose }: { secret: string | undefined; onClose: () => void }) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onClose}
      title="Save this secret now"
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="sm">
        <Text size="sm">
          Your server checks the signature of each delivery with this secret (Standard Webhooks). It is not
          shown again.
        </Text>
        <Snippet code={secret ?? ''} label="Signing secret" />
        <Group justify="flex-end">
          <Button onClick={onClose}>I saved the secret</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
