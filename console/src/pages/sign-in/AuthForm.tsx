import { Button, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { ErrorText } from '../../components/ErrorState';

interface AuthFormProps {
  /** What the button does. */
  verb: string;
  isPending: boolean;
  error: unknown;
  /** What to do after the error. */
  help?: ReactNode;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  /** Whether the fields can be sent. */
  isComplete?: boolean;
  /** The fields. */
  children: ReactNode;
  /** Links to other pages, below the button. */
  footer?: ReactNode;
}

/** The form of a page without a session: its fields, what failed, and one button. */
export function AuthForm({
  verb,
  isPending,
  error,
  help,
  onSubmit,
  isComplete = true,
  children,
  footer,
}: AuthFormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(event);
      }}
    >
      <Stack gap="sm">
        {children}
        {error != null && (
          <div>
            <ErrorText error={error} />
            {help}
          </div>
        )}
        <Button type="submit" size="sm" fullWidth loading={isPending} disabled={!isComplete}>
          {verb}
        </Button>
        {footer}
      </Stack>
    </form>
  );
}
