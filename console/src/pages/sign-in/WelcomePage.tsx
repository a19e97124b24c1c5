import { Button, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { api, client, hasStatus } from '../../app/client';
import { gamesQuery } from '../../app/game';
import { meQuery } from '../../app/account';
import { useChange } from '../../app/use-change';
import { ErrorText } from '../../components/ErrorState';
import { ButtonLink } from '../../components/links';
import { useAfterSignIn } from './after-sign-in';
import { AuthPage } from './AuthPage';
import { useMailedToken } from './mailed-token';

/** The end of the link that the first start printed: signs in once, and opens the first steps of the demo game. */
export function WelcomePage() {
  const token = useMailedToken();
  const enter = useAfterSignIn();
  const queryClient = useQueryClient();
  // The page waits for a click, so that a preview of the link does not use it up.
  const signIn = useChange({ keys: [] }, async (token: string) => {
    await client.adopt(await api.POST('/api/saas-auth/link', { body: { token } }));
    const { memberships } = await queryClient.fetchQuery(meQuery);
    const workspace = memberships[0];
    const games = workspace && (await queryClient.fetchQuery(gamesQuery(workspace.workspaceId)));
    enter(games?.items[0] ? `/games/${games.items[0].id}/first-run` : '/');
  });
  // A link that was used or is too old never works again. Without a connection or above a limit it may.
  const isUsed = hasStatus(signIn.error, 400, 401);
  return (
    <AuthPage title="Welcome to Guildhall" text="This link signs the administrator in once.">
      <Stack gap="sm">
        {signIn.error && <ErrorText error={signIn.error} />}
        {isUsed ? (
          <ButtonLink to="/sign-in" variant="filled" size="sm" w="100%" autoFocus>
            Sign in with the password
          </ButtonLink>
        ) : (
          <Button size="sm" autoFocus loading={signIn.isPending} onClick={() => signIn.mutate(token)}>
            Sign in
          </Button>
        )}
      </Stack>
    </AuthPage>
  );
}
