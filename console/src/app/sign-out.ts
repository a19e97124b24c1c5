import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { client } from './client';
import { dropCreatedKeys } from './created-keys';

/** Ends the session on the server and in this browser. */
export function useSignOut(): () => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    await client.signOut();
    queryClient.clear();
    dropCreatedKeys();
    await navigate({ to: '/sign-in' });
  };
}
