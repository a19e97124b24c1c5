import { Button, Group, type ButtonProps } from '@mantine/core';

interface DialogButtonsProps extends Pick<ButtonProps, 'color' | 'disabled'> {
  verb: string;
  onCancel: () => void;
  isPending?: boolean;
}

/** The end of a form in a dialog: a button that closes it, and one that says the verb. */
export const DialogButtons = ({ verb, onCancel, isPending = false, ...submit }: DialogButtonsProps) => (
  <Group justify="flex-end" gap="xs">
    <Button variant="default" onClick={onCancel} disabled={isPending}>
      Cancel
    </Button>
    <Button type="submit" loading={isPending} {...submit}>
      {verb}
    </Button>
  </Group>
);
