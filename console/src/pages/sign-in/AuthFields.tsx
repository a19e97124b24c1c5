import { TextInput, type TextInputProps } from '@mantine/core';
import { PasswordField, type PasswordFieldProps } from '../../components/PasswordField';

/** The address of the account: the first field of its page. */
export function EmailField(props: TextInputProps) {
  return <TextInput label="Email" type="email" autoComplete="username" required autoFocus {...props} />;
}

/** A password that is chosen now, with the rule of the server: see check-password.ts. */
export function NewPasswordField(props: Partial<PasswordFieldProps>) {
  return (
    <PasswordField
      label="Password"
      description="8 to 128 characters."
      autoComplete="new-password"
      required
      {...props}
    />
  );
}
