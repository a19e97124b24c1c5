import { TextLink } from '../../components/links';
import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { client } from '../../app/client';
import { useChange } from '../../app/use-change';
import { fieldErrors } from '../../components/form-submit';
import { useAfterSignIn } from './after-sign-in';
import { EmailField, NewPasswordField } from './AuthFields';
import { AuthForm } from './AuthForm';
import { AuthPage } from './AuthPage';
import { checkPassword } from './check-password';

export function SignUpPage() {
  const enter = useAfterSignIn();
  const form = useForm({
    initialValues: { email: '', displayName: '', password: '' },
    validate: { password: checkPassword },
    validateInputOnBlur: ['password'],
  });
  const signUp = useChange({ keys: [] }, client.signUp);
  return (
    <AuthPage title="Create an account" text="For studios that run their games on this Guildhall server.">
      <AuthForm
        verb="Create the account"
        isPending={signUp.isPending}
        error={signUp.error}
        onSubmit={form.onSubmit(({ displayName, ...rest }) =>
          signUp.mutate(
            { ...rest, ...(displayName && { displayName }) },
            { onSuccess: () => enter(), onError: (error) => form.setErrors(fieldErrors(error)) },
          ),
        )}
        footer={<TextLink to="/sign-in">Sign in instead</TextLink>}
      >
        <EmailField {...form.getInputProps('email')} />
        <TextInput
          label="Name"
          description="Shown to the members of your workspaces."
          autoComplete="name"
          {...form.getInputProps('displayName')}
        />
        <NewPasswordField {...form.getInputProps('password')} />
      </AuthForm>
    </AuthPage>
  );
}
