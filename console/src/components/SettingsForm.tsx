import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorText } from './ErrorState';
import { submitOf, type SentForm } from './form-submit';
import { useUnsavedChanges } from './unsaved-changes';

interface SettingsFormProps<Values, Input, Answer> extends SentForm<Values, Input, Answer> {
  verb: string;
  /** Default: true. Otherwise the form only shows the values. */
  canChange?: boolean;
  children: ReactNode;
}

/** A form on a page. It can be sent when a field has changed, and asks before changes are left. */
export function SettingsForm<Values, Input, Answer>({
  verb,
  canChange = true,
  children,
  ...sent
}: SettingsFormProps<Values, Input, Answer>) {
  const { form, mutation } = sent;
  const unsaved = useUnsavedChanges(form.isDirty());
  return (
    <form noValidate onSubmit={submitOf(sent)}>
      <Stack gap="sm" maw={420}>
        {children}
        {unsaved.question}
        {mutation.error && <ErrorText error={mutation.error} />}
        {canChange && (
          <Button
            type="submit"
            variant="default"
            w="fit-content"
            loading={mutation.isPending}
            disabled={!form.isDirty()}
          >
            {verb}
          </Button>
        )}
      </Stack>
    </form>
  );
}
