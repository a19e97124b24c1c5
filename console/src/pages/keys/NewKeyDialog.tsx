import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { Snippet } from '../../components/Snippet';
import type { KeyKind } from './queries';

/** Shows a new key once. The server keeps only its fingerprint. */
export function NewKeyDialog({
  kind,
  secret,
  onClose,
}: {
  kind: KeyKind;
  secret: string | undefined;
  onClose: () => void;
}) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onClose}
      title="Save this key now"
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="sm">
        <Text size="sm">
          The key is not shown again. Send it in the header {kind === 'game' ? 'X-Game-Key' : 'X-API-Key'}.
        </Text>
        <Snippet code={secret ?? ''} label="New key" />
        <Group justify="flex-end">
          <Button onClick={onClose}>I saved the key</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
