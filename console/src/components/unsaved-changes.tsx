import { useBlocker, useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';
import { QuestionDialog } from './ConfirmDialog';

/** The question before something is left. */
interface Question {
  title: string;
  /** What is lost. */
  loss: string;
  verb: string;
}

const unsavedIn = (place: string): Question => ({
  title: 'Leave without saving',
  loss: `The changes ${place} are not saved.`,
  verb: 'Discard the changes',
});

const leavingPage = unsavedIn('on this page');
export const leavingDialog = unsavedIn('in this dialog');
export const leavingFile: Question = {
  title: 'Leave without importing',
  loss: 'The chosen file is not imported.',
  verb: 'Leave',
};

/** The question while a request runs. Its answer may hold a secret, such as a key, that is shown once. */
export const leavingRequest: Question = {
  title: 'Leave this page',
  loss: 'A request is running. You would not see its answer.',
  verb: 'Leave',
};

/** The question about something that exists already, and that the page shows once. */
export const leavingSecret = (loss: string): Question => ({ title: 'Leave this page', loss, verb: 'Leave' });

/** The question that the reader has just confirmed for all forms of the page. The router asks them one after the other, in one task. */
let confirmed: string | undefined;

/**
 * Asks before unsaved changes are lost: by a link, the back button, closing the tab, or by closing a dialog with `leave`. The form
 * renders the question.
 */
export function useUnsavedChanges(
  isDirty: boolean,
  { title, loss, verb } = leavingPage,
): {
  question: ReactNode;
  /** Runs the action, if there are changes only after a confirmation. */
  leave: (action: () => void) => void;
} {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname && confirmed !== loss,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  const [waiting, setWaiting] = useState<() => void>();
  const isBlocked = blocker.status === 'blocked';
  const router = useRouter();
  const stay = useEffectEvent(() => {
    // If another page has opened meanwhile, there is nothing to go back to.
    if (blocker.current?.pathname === router.state.location.pathname) blocker.reset?.();
  });
  // If nothing is lost any more, for example because the request was answered, the reader stays.
  useEffect(() => () => stay(), [isDirty]);
  const question = (isBlocked || waiting !== undefined) && (
    <QuestionDialog
      onClose={() => {
        setWaiting(undefined);
        blocker.reset?.();
      }}
      title={title}
      verb={verb}
      onConfirm={() => {
        setWaiting(undefined);
        if (isBlocked) {
          confirmed = loss;
          setTimeout(() => (confirmed = undefined));
          blocker.proceed();
        } else waiting?.();
      }}
    >
      {loss}
    </QuestionDialog>
  );
  return { question, leave: (action) => (isDirty ? setWaiting(() => action) : action()) };
}
