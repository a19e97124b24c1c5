import { useLocation } from '@tanstack/react-router';

/** The token of a link in a mail. It is in the fragment, which browsers send to no server. */
export function useMailedToken(): string {
  const { hash } = useLocation();
  return new URLSearchParams(hash).get('token') ?? '';
}
