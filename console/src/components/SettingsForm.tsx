import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorText } from './ErrorState';
import { errorOfForm, useSubmit, type SentForm } from './form-submit';
import { useUnsavedChanges } from './unsaved-changes';
import { useDraft } from './use-draft';

interface SettingsFormProps<Values, Input, Answer> extends SentForm<Values, Input, Answer> {
  /** What tells the form from others on the page. Default: the verb. */
  name?: string;
  verb: string;
  /** Default: true. Otherwise the form only shows the values. */
  canChange?: boolean;
  /** What the form says after it was sent. */
  done?: string | undefined;
  /** Whether a repeated request has its effect twice. */
  hasEffect?: boolean;
  /** Fields that are not kept if the session ends. */
  secrets?: readonly string[];
  children: ReactNode;
}

/** A form on a page. It can be sent when a field has changed, and asks before changes are left. */
export function SettingsForm<Values, Input, Answer>({
  verb,
  name = verb,
  canChange = true,
  done = 'Saved',
  hasEffect = false,
  secrets,
  children,
  ...sent
}: SettingsFormProps<Values, Input, Answer>) {
  const { form, mutation } = sent;
  const error = errorOfForm(sent);
  const unsaved = useUnsavedChanges(form.isDirty());
  useDraft(form, name, secrets);
  const submit = useSubmit(sent);
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="sm" maw={420}>
        {children}
        {unsaved.question}
        {error && <ErrorText error={error} hasEffect={hasEffect} />}
        {canChange && (
          <Group gap="sm">
            <Button type="submit" variant="default" loading={mutation.isPending} disabled={!form.isDirty()}>
              {verb}
            </Button>
            {mutation.isSuccess && !form.isDirty() && (
              <Text c="dimmed" role="status">
                {done}
              </Text>
            )}
          </Group>
        )}
      </Stack>
    </form>
  );
}
