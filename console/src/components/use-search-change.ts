import { useNavigate } from '@tanstack/react-router';

/**
 * Changes some filters of the page in its URL, and keeps the others. The entry of the history is replaced, so that the back button
 * leaves the page.
 */
export function useSearchChange<Search extends object>(): (changes: Partial<Search>) => void {
  const navigate = useNavigate();
  return (changes) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...changes }), replace: true });
}
