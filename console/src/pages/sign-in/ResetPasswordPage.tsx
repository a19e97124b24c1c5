import { TextLink } from '../../components/links';
import { Anchor, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { api } from '../../app/client';
import { useChange } from '../../app/use-change';
import { EmailField, NewPasswordField } from './AuthFields';
import { AuthForm } from './AuthForm';
import { AuthPage } from './AuthPage';
import { checkPassword } from './check-password';
import { useMailedToken } from './mailed-token';

export function ResetPasswordPage() {
  const mailedToken = useMailedToken();
  const [isTyping, setIsTyping] = useState(false);
  // The link of the mail may be opened in this tab, which then changes the fragment alone.
  return isTyping || mailedToken !== '' ? (
    <NewPasswordStep key={mailedToken} token={mailedToken} />
  ) : (
    <RequestStep onHasToken={() => setIsTyping(true)} />
  );
}

function RequestStep({ onHasToken }: { onHasToken: () => void }) {
  const form = useForm({ initialValues: { email: '' } });
  const request = useChange({ keys: [] }, (body: { email: string }) =>
    api.POST('/api/saas-auth/password-reset/request', { body }),
  );
  if (request.isSuccess)
    return (
      <AuthPage
        title="Read your email"
        text={`If ${form.values.email} has an account, it receives a link that works for one hour.`}
      >
        <Anchor component="button" onClick={onHasToken}>
          Enter the token of the email
        </Anchor>
      </AuthPage>
    );
  return (
    <AuthPage
      title="Reset the password"
      text="A link to set a new password is sent to the address of the account."
    >
      <AuthForm
        verb="Send the link"
        isPending={request.isPending}
        error={request.error}
        onSubmit={form.onSubmit((values) => request.mutate(values))}
        footer={<TextLink to="/sign-in">Back to sign-in</TextLink>}
      >
        <EmailField {...form.getInputProps('email')} />
      </AuthForm>
    </AuthPage>
  );
}

function NewPasswordStep({ token }: { token: string }) {
  const form = useForm({
    initialValues: { token, newPassword: '' },
    validate: { newPassword: checkPassword },
    validateInputOnBlur: ['newPassword'],
  });
  const reset = useChange({ keys: [] }, (body: { token: string; newPassword: string }) =>
    api.POST('/api/saas-auth/password-reset/confirm', { body: { ...body, token: body.token.trim() } }),
  );
  if (reset.data)
    return (
      <AuthPage
        title="Password changed"
        text={`${reset.data.email} has a new password. All its sessions have ended.`}
      >
        <TextLink to="/sign-in">Sign in</TextLink>
      </AuthPage>
    );
  return (
    <AuthPage title="Set a new password">
      <AuthForm
        verb="Set the password"
        isPending={reset.isPending}
        error={reset.error}
        onSubmit={form.onSubmit((values) => reset.mutate(values))}
      >
        <TextInput label="Token from the email" required {...form.getInputProps('token')} />
        <NewPasswordField label="New password" {...form.getInputProps('newPassword')} />
      </AuthForm>
    </AuthPage>
  );
}
