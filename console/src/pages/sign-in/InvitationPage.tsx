import { TextLink } from '../../components/links';
import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, client, type Answer } from '../../app/client';
import { useChange } from '../../app/use-change';
import { RelativeTime } from '../../components/RelativeTime';
import { useJoinWorkspace } from '../workspaces/queries';
import { useAfterSignIn } from './after-sign-in';
import { NewPasswordField } from './AuthFields';
import { AuthForm } from './AuthForm';
import { AuthPage } from './AuthPage';
import { checkPassword } from './check-password';
import { useMailedToken } from './mailed-token';
import { PasswordField } from '../../components/PasswordField';

export function InvitationPage() {
  const mailedToken = useMailedToken();
  // The link of another mail may be opened in this tab, which then changes the fragment alone.
  return <Invitation key={mailedToken} mailedToken={mailedToken} />;
}

function Invitation({ mailedToken }: { mailedToken: string }) {
  const [token, setToken] = useState(mailedToken);
  const [typed, setTyped] = useState(mailedToken);
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => api.POST('/api/saas-auth/invitations/look-up', { body: { token } }),
    enabled: token !== '',
    staleTime: Infinity,
  });
  if (!invitation.data)
    return (
      <AuthPage title="Accept an invitation">
        <AuthForm
          verb="Show the invitation"
          // Without a connection it waits.
          isPending={invitation.fetchStatus !== 'idle'}
          error={invitation.error}
          onSubmit={() => (typed.trim() === token ? void invitation.refetch() : setToken(typed.trim()))}
        >
          <TextInput
            label="Token from the email"
            required
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </AuthForm>
      </AuthPage>
    );
  return <AcceptStep token={token} invitation={invitation.data} />;
}

type MailedInvitation = Answer<'/api/saas-auth/invitations/look-up', 'post'>;

interface StepProps {
  token: string;
  invitation: MailedInvitation;
}

function AcceptStep({ token, invitation }: StepProps) {
  const { workspaceName, invitedBy, role, email, expiresAt } = invitation;
  const [account, setAccount] = useState(client.session.current);
  useEffect(
    () =>
      client.session.subscribe((next) => {
        // The form must stay when its own answer signs the account in.
        if (next?.email !== email) setAccount(next);
      }),
    [email],
  );
  const Form = account?.email === email ? JoinForm : AcceptForm;
  return (
    <AuthPage
      title={`Join ${workspaceName}`}
      text={
        <>
          {invitedBy} invites {email} as {role}. The invitation expires <RelativeTime at={expiresAt} />.
        </>
      }
    >
      <Form token={token} invitation={invitation} />
    </AuthPage>
  );
}

/** The invited account is signed in. */
function JoinForm({ token, invitation: { email } }: StepProps) {
  const enter = useAfterSignIn();
  const join = useJoinWorkspace();
  return (
    <AuthForm
      verb="Join the workspace"
      isPending={join.isPending}
      error={join.error}
      onSubmit={() =>
        join.mutate(token, { onSuccess: ({ workspaceId }) => enter(`/workspaces/${workspaceId}`) })
      }
    >
      <Text>You are signed in as {email}.</Text>
    </AuthForm>
  );
}

function AcceptForm({ token, invitation: { hasAccount } }: StepProps) {
  const enter = useAfterSignIn();
  const form = useForm({
    initialValues: { password: '', displayName: '' },
    validate: { password: (value) => (hasAccount ? null : checkPassword(value)) },
    validateInputOnBlur: true,
  });
  const accept = useChange(
    { keys: [] },
    async ({ password, displayName }: { password: string; displayName: string }) => {
      const { membership, ...signedIn } = await api.POST('/api/saas-auth/invitations/accept', {
        body: { token, password, ...(displayName && { displayName }) },
      });
      await client.adopt(signedIn);
      return membership;
    },
  );
  const join = (values: { password: string; displayName: string }): void =>
    accept.mutate(values, { onSuccess: ({ workspaceId }) => enter(`/workspaces/${workspaceId}`) });
  return (
    <AuthForm
      verb="Join the workspace"
      isPending={accept.isPending}
      error={accept.error}
      onSubmit={form.onSubmit(join)}
      footer={
        hasAccount && (
          <Text size="xs" c="dimmed">
            If the account has a second factor,{' '}
            <TextLink to="/sign-in" search={{ next: '/invitation' }} hash={`token=${token}`} inherit>
              sign in
            </TextLink>{' '}
            first. Then you return to this page.
          </Text>
        )
      }
    >
      {!hasAccount && <TextInput label="Name" autoComplete="name" {...form.getInputProps('displayName')} />}
      {hasAccount ? (
        <PasswordField
          label="Password of your account"
          autoComplete="current-password"
          required
          {...form.getInputProps('password')}
        />
      ) : (
        <NewPasswordField {...form.getInputProps('password')} />
      )}
    </AuthForm>
  );
}
