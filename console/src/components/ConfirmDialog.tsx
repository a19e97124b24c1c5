import { Modal, Stack, Text, TextInput } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { DialogButtons } from './DialogButtons';
import { ErrorText } from './ErrorState';

interface QuestionProps {
  onClose: () => void;
  title: string;
  /** What will happen, to whom, and whether it can be undone. */
  children: ReactNode;
  verb: string;
  /** A text to type first, for what cannot be undone. */
  typed?: string;
  /** Whether the action restores something. Its button is not red. */
  isHarmless?: boolean;
  /** Whether a repeated request has its effect twice. */
  hasEffect?: boolean;
}

interface ConfirmDialogProps<Input, Answer> extends QuestionProps {
  mutation: UseMutationResult<Answer, Error, Input>;
  input: Input;
  /** Default: closes the dialog. */
  onDone?: (answer: Answer) => void;
}

/** The page shows several spaces of a name, or special ones, as one space. */
const withPlainSpaces = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');

/** Asks before a change that others notice at once. It stays open during the request: the answer may hold a secret that is shown once. */
export function ConfirmDialog<Input, Answer>({
  mutation: { isPending, error, mutate },
  input,
  onDone,
  ...question
}: ConfirmDialogProps<Input, Answer>) {
  return (
    <QuestionDialog
      {...question}
      isPending={isPending}
      error={error}
      onConfirm={() => mutate(input, { onSuccess: onDone ?? question.onClose })}
    />
  );
}

/** Asks before an action. */
export function QuestionDialog({
  onClose,
  title,
  children,
  verb,
  typed,
  isHarmless = false,
  hasEffect = false,
  isPending = false,
  error,
  onConfirm,
}: QuestionProps & { isPending?: boolean; error?: unknown; onConfirm: () => void }) {
  const [text, setText] = useState('');
  const close = () => !isPending && onClose();
  return (
    <Modal opened onClose={close} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // React also sends the event to the form around the dialog, which would save what is to be discarded.
          event.stopPropagation();
          onConfirm();
        }}
      >
        <Stack gap="sm">
          <Text component="div">{children}</Text>
          {typed !== undefined && (
            <TextInput
              label={
                <>
                  Type <code dir="auto">{typed}</code> to confirm
                </>
              }
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          {error != null && <ErrorText error={error} hasEffect={hasEffect} />}
          <DialogButtons
            verb={verb}
            onCancel={close}
            isPending={isPending}
            color={isHarmless ? undefined : 'red.8'}
            disabled={typed !== undefined && withPlainSpaces(text) !== withPlainSpaces(typed)}
          />
        </Stack>
      </form>
    </Modal>
  );
}
