import { useRouter } from '@tanstack/react-router';
import { client } from './client';

/** Ends the session on the server and in this browser, after a question about unsaved changes. */
export function useSignOut(): () => Promise<void> {
  const router = useRouter();
  return async () => {
    await router.navigate({ to: '/sign-in' });
    if (router.state.location.pathname === '/sign-in') await client.signOut();
  };
}
