import { PasswordInput, type PasswordInputProps } from '@mantine/core';

export interface PasswordFieldProps extends PasswordInputProps {
  label: string;
}

/** A password or another secret. The button that shows its text is named after the field, and can be used with the keyboard. */
export function PasswordField({ label, ...props }: PasswordFieldProps) {
  return (
    <PasswordInput
      label={label}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': `Show the text of “${label}”` }}
      {...props}
    />
  );
}
