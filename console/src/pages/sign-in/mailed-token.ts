import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';

/** The token of a link in a mail. It is in the fragment, which browsers send to no server. */
export function useMailedToken(): string {
  const { hash } = useLocation();
  const given = new URLSearchParams(hash).get('token') ?? '';
  const [token, setToken] = useState(given);
  // The page still shows while the next one loads, whose address has no token.
  if (given !== '' && given !== token) setToken(given);
  return token;
}
