import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';

/** Opens the page that asked for the sign-in. Only a path of the console is followed. */
export function useAfterSignIn(): (next?: string) => void {
  const router = useRouter();
  const queryClient = useQueryClient();
  return (next = '/') => {
    // What is known about an earlier account. The page itself still shows its invitation.
    queryClient.removeQueries({ type: 'inactive' });
    // Otherwise the router would show its earlier pages before the account is read again: as if the account had no role.
    router.clearCache();
    // The page replaces the sign-in, which the back button would show to somebody who is signed in.
    router.history.replace(/^\/(?![/\\])/.test(next) ? next : '/');
  };
}
