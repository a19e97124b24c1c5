import { useBlocker } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { QuestionDialog } from './ConfirmDialog';

/**
 * Asks before unsaved changes are lost: by a link, the back button, closing the tab, or by closing a dialog with `leave`. The form
 * renders the question.
 */
export function useUnsavedChanges(
  isDirty: boolean,
  /** What is lost. */
  loss = 'The changes on this page are not saved.',
): {
  question: ReactNode;
  /** Runs the action, if there are changes only after a confirmation. */
  leave: (action: () => void) => void;
} {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  const [waiting, setWaiting] = useState<() => void>();
  const isBlocked = blocker.status === 'blocked';
  // A mounted dialog would take the key Escape that asked to close the one below it.
  const question = (isBlocked || waiting !== undefined) && (
    <QuestionDialog
      onClose={() => {
        setWaiting(undefined);
        blocker.reset?.();
      }}
      title="Leave without saving"
      verb="Discard the changes"
      onConfirm={() => {
        setWaiting(undefined);
        if (isBlocked) blocker.proceed();
        else waiting?.();
      }}
    >
      {isBlocked ? loss : 'The changes in this dialog are not saved.'}
    </QuestionDialog>
  );
  return { question, leave: (action) => (isDirty ? setWaiting(() => action) : action()) };
}
