import { Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { DialogButtons } from './DialogButtons';
import { ErrorText } from './ErrorState';
import { errorOfForm, useSubmit, type SentForm } from './form-submit';
import { leavingDialog, leavingRequest, useUnsavedChanges } from './unsaved-changes';
import { useDraft } from './use-draft';

interface FormDialogProps<Values, Input, Answer> extends SentForm<Values, Input, Answer> {
  onClose: () => void;
  title: string;
  verb: string;
  children: ReactNode;
  size?: string;
}

/**
 * A form in a dialog. The button says the verb. It stays open during the request: the answer may hold a key that is shown once. It
 * asks before changed fields are closed without a request, and before its answer is lost.
 */
export function FormDialog<Values, Input, Answer>({
  onClose,
  title,
  verb,
  children,
  size = 'md',
  ...sent
}: FormDialogProps<Values, Input, Answer>) {
  const { form, mutation } = sent;
  const error = errorOfForm(sent);
  const { isPending } = mutation;
  const unsaved = useUnsavedChanges(form.isDirty() || isPending, isPending ? leavingRequest : leavingDialog);
  const submit = useSubmit(sent);
  useDraft(form, title);
  const close = () => !isPending && unsaved.leave(onClose);
  return (
    <Modal opened onClose={close} title={title} size={size}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {/* What is typed after the request was sent would be lost when the dialog closes. */}
          <Stack gap="sm" inert={isPending}>
            {children}
          </Stack>
          {error && <ErrorText error={error} hasEffect />}
          <DialogButtons verb={verb} onCancel={close} isPending={isPending} />
        </Stack>
      </form>
      {unsaved.question}
    </Modal>
  );
}
