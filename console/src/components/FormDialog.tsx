import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { GuildhallError } from '../app/client';
import { ErrorText } from './ErrorState';
import { useUnsavedChanges } from './unsaved-changes';

interface FormDialogProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  verb: string;
  isPending: boolean;
  error: unknown;
  onSubmit: () => void;
  /** Whether fields have changed: the dialog then asks before it is closed without a request. */
  isDirty: boolean;
  children: ReactNode;
  size?: string;
}

/** A form in a dialog. The button says the verb. It stays open during the request: the answer may hold a key that is shown once. */
export function FormDialog({ opened, onClose, title, size = 'md', isDirty, ...form }: FormDialogProps) {
  const unsaved = useUnsavedChanges(opened && isDirty);
  const close = () => !form.isPending && unsaved.leave(onClose);
  return (
    <Modal opened={opened} onClose={close} title={title} size={size}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          form.onSubmit();
        }}
        noValidate
      >
        <Stack gap="sm">
          {form.children}
          {form.error != null && <ErrorText error={form.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close} disabled={form.isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={form.isPending}>
              {form.verb}
            </Button>
          </Group>
        </Stack>
      </form>
      {unsaved.question}
    </Modal>
  );
}

/** The messages of the server for the fields of a form, by the path of the field. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof GuildhallError)) return {};
  return Object.fromEntries(
    (error.errors ?? []).flatMap(({ path, message }) =>
      path && message ? [[path, toInstruction(message)]] : [],
    ),
  );
}

/** What to enter, for the messages of the server's schemas. Its other messages are written for people. */
function toInstruction(message: string): string {
  for (const [pattern, instruction] of INSTRUCTIONS)
    if (pattern.test(message)) return message.replace(pattern, instruction);
  return message;
}

const INSTRUCTIONS: [RegExp, string][] = [
  [/^(must not be empty|is missing)$/, 'Enter a value.'],
  [/^must be (an integer|a number)( or null)?$/, 'Enter a number.'],
  [/^must be at least (-?\d+)$/, 'Enter $1 or more.'],
  [/^must be at most (-?\d+)$/, 'Enter $1 or less.'],
  [/^must have (at least|at most) (\d+) characters?$/, 'Enter $1 $2 characters.'],
  [/^must be an e-mail address$/, 'Enter an e-mail address.'],
];
