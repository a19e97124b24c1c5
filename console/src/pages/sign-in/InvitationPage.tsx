import { TextLink } from '../../components/links';
import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, client } from '../../app/client';
import { ErrorText } from '../../components/ErrorState';
import { RelativeTime } from '../../components/RelativeTime';
import { useAfterSignIn } from './after-sign-in';
import { AuthPage } from './AuthPage';
import { checkPassword } from './check-password';
import { useMailedToken } from './mailed-token';

export function InvitationPage() {
  const [token, setToken] = useState(useMailedToken());
  const [typed, setTyped] = useState('');
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => api.POST('/api/saas-auth/invitations/look-up', { body: { token } }),
    enabled: token !== '',
    staleTime: Infinity,
  });
  if (!invitation.data)
    return (
      <AuthPage title="Accept an invitation">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setToken(typed.trim());
          }}
        >
          <Stack gap="sm">
            <TextInput
              label="Token from the e-mail"
              required
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            {invitation.error && (
              <div role="alert">
                <ErrorText error={invitation.error} />
              </div>
            )}
            <Button type="submit" size="sm" loading={invitation.isFetching}>
              Show the invitation
            </Button>
          </Stack>
        </form>
      </AuthPage>
    );
  return <AcceptStep token={token} invitation={invitation.data} />;
}

function AcceptStep({
  token,
  invitation: { workspaceName, invitedBy, role, email, hasAccount, expiresAt },
}: {
  token: string;
  invitation: {
    workspaceName: string;
    invitedBy: string;
    role: string;
    email: string;
    hasAccount: boolean;
    expiresAt: string;
  };
}) {
  const enter = useAfterSignIn();
  const form = useForm({
    initialValues: { password: '', displayName: '' },
    validate: { password: (value) => (hasAccount ? null : checkPassword(value)) },
    validateInputOnBlur: true,
  });
  const accept = useMutation({
    mutationFn: async ({ password, displayName }: { password: string; displayName: string }) => {
      const { membership, ...signedIn } = await api.POST('/api/saas-auth/invitations/accept', {
        body: { token, password, ...(displayName && { displayName }) },
      });
      await client.adopt(signedIn);
      return membership;
    },
    onSuccess: ({ workspaceId }) => enter(`/workspaces/${workspaceId}`),
  });
  return (
    <AuthPage
      title={`Join ${workspaceName}`}
      text={
        <>
          {invitedBy} invites {email} as {role}. The invitation expires <RelativeTime at={expiresAt} />.
        </>
      }
    >
      <form onSubmit={form.onSubmit((values) => accept.mutate(values))}>
        <Stack gap="sm">
          {!hasAccount && (
            <TextInput label="Name" autoComplete="name" {...form.getInputProps('displayName')} />
          )}
          <PasswordInput
            label={hasAccount ? 'Password of your account' : 'Password'}
            {...(!hasAccount && { description: '8 to 128 characters.' })}
            autoComplete={hasAccount ? 'current-password' : 'new-password'}
            required
            {...form.getInputProps('password')}
          />
          {accept.error && (
            <div role="alert">
              <ErrorText error={accept.error} />
            </div>
          )}
          <Button type="submit" size="sm" loading={accept.isPending}>
            Join the workspace
          </Button>
          {hasAccount && (
            <Text size="xs" c="dimmed">
              If the account has a second factor,{' '}
              <TextLink to="/sign-in" inherit>
                sign in
              </TextLink>{' '}
              and accept the invitation under Workspaces.
            </Text>
          )}
        </Stack>
      </form>
    </AuthPage>
  );
}
