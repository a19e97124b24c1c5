import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from './ConfirmDialog';

/** Asks before a page with unsaved changes is left: by a link, the back button, or by closing the tab. */
export function UnsavedGuard({ isDirty }: { isDirty: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      opened={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title="Leave without saving"
      verb="Discard the changes"
      isPending={false}
      error={undefined}
      onConfirm={() => blocker.proceed?.()}
    >
      The changes on this page are not saved.
    </ConfirmDialog>
  );
}
