import { useNavigate } from '@tanstack/react-router';

/**
 * Changes some parameters of the page in its URL, and keeps the others. The entry of the history is replaced, so that the back button
 * leaves the page. With `push` it goes back to what was shown before.
 */
export function useSearchChange<Search extends object>(): (
  changes: Partial<Search>,
  options?: { push: boolean },
) => void {
  const navigate = useNavigate();
  return (changes, { push } = { push: false }) =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, ...changes }),
      replace: !push,
      resetScroll: !push,
    });
}
