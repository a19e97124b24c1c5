import { TextLink } from '../../components/links';
import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../app/client';
import { useChange } from '../../app/use-change';
import { AuthForm } from './AuthForm';
import { AuthPage } from './AuthPage';
import { useMailedToken } from './mailed-token';

export function VerifyEmailPage() {
  const mailedToken = useMailedToken();
  // The link of another mail may be opened in this tab, which then changes the fragment alone.
  return <VerifyStep key={mailedToken} mailedToken={mailedToken} />;
}

function VerifyStep({ mailedToken }: { mailedToken: string }) {
  const [token, setToken] = useState(mailedToken);
  // The page waits for a click, because programs that scan mails open links and would use the token up.
  const verify = useChange({ keys: [] }, () =>
    api.POST('/api/saas-auth/email/verify', { body: { token: token.trim() } }),
  );
  if (verify.data)
    return (
      <AuthPage title="Address verified" text={`${verify.data.email} is verified.`}>
        <TextLink to="/">Open the console</TextLink>
      </AuthPage>
    );
  return (
    <AuthPage title="Verify your email address">
      <AuthForm
        verb="Verify"
        isPending={verify.isPending}
        error={verify.error}
        help={<Text>Sign in and request a new email on the account page.</Text>}
        onSubmit={() => verify.mutate()}
      >
        <TextInput
          label="Token from the email"
          required
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
        />
      </AuthForm>
    </AuthPage>
  );
}
