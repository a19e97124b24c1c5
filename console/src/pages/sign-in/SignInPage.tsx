import { TextLink } from '../../components/links';
import { Anchor, Group, PasswordInput, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../app/client';
import { useAfterSignIn } from './after-sign-in';
import { EmailField } from './AuthFields';
import { AuthForm } from './AuthForm';
import { AuthPage } from './AuthPage';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { next } = route.useSearch();
  const [mfaToken, setMfaToken] = useState<string>();
  const enter = useAfterSignIn();
  return mfaToken === undefined ? (
    <PasswordStep onSignedIn={() => enter(next)} onSecondFactor={setMfaToken} />
  ) : (
    <SecondFactorStep
      mfaToken={mfaToken}
      onSignedIn={() => enter(next)}
      onBack={() => setMfaToken(undefined)}
    />
  );
}

function PasswordStep({
  onSignedIn,
  onSecondFactor,
}: {
  onSignedIn: () => void;
  onSecondFactor: (mfaToken: string) => void;
}) {
  const form = useForm({ initialValues: { email: '', password: '' } });
  const signIn = useMutation({
    mutationFn: client.signIn,
    onSuccess: (answer) => ('mfaToken' in answer ? onSecondFactor(answer.mfaToken) : onSignedIn()),
  });
  return (
    <AuthPage title="Sign in to Guildhall">
      <AuthForm
        verb="Sign in"
        isPending={signIn.isPending}
        error={signIn.error}
        onSubmit={form.onSubmit((values) => signIn.mutate(values))}
        footer={
          <Group justify="space-between">
            <TextLink to="/sign-up" size="sm">
              Create an account
            </TextLink>
            <TextLink to="/reset-password" size="sm">
              Reset the password
            </TextLink>
          </Group>
        }
      >
        <EmailField {...form.getInputProps('email')} />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          {...form.getInputProps('password')}
        />
      </AuthForm>
    </AuthPage>
  );
}

function SecondFactorStep({
  mfaToken,
  onSignedIn,
  onBack,
}: {
  mfaToken: string;
  onSignedIn: () => void;
  onBack: () => void;
}) {
  const [hasRecoveryCode, setHasRecoveryCode] = useState(false);
  const [code, setCode] = useState('');
  const verify = useMutation({ mutationFn: client.verifyTotp, onSuccess: onSignedIn });
  const submit = (given: string): void => {
    const proof = given.replaceAll(' ', '');
    verify.mutate({ mfaToken, ...(hasRecoveryCode ? { recoveryCode: proof } : { code: proof }) });
  };
  return (
    <AuthPage
      title="Second factor"
      text={
        hasRecoveryCode ? 'Enter one of your recovery codes.' : 'Enter the code of your authenticator app.'
      }
    >
      <AuthForm
        verb="Continue"
        isPending={verify.isPending}
        error={verify.error}
        onSubmit={() => submit(code)}
        isComplete={hasRecoveryCode || /^\d{6}$/.test(code.replaceAll(' ', ''))}
        footer={
          <>
            <Group justify="space-between">
              <Anchor component="button" type="button" size="sm" onClick={onBack}>
                Back
              </Anchor>
              <Anchor
                component="button"
                type="button"
                size="sm"
                onClick={() => {
                  setCode('');
                  setHasRecoveryCode(!hasRecoveryCode);
                }}
              >
                {hasRecoveryCode ? 'Use the authenticator app' : 'Use a recovery code'}
              </Anchor>
            </Group>
            <Text size="xs" c="dimmed">
              The sign-in waits for a few minutes. After that, enter the password again.
            </Text>
          </>
        }
      >
        <TextInput
          key={String(hasRecoveryCode)}
          label={hasRecoveryCode ? 'Recovery code' : '6-digit code'}
          inputMode={hasRecoveryCode ? 'text' : 'numeric'}
          autoComplete="one-time-code"
          autoFocus
          required
          value={code}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setCode(value);
            if (!hasRecoveryCode && /^\d{6}$/.test(value)) submit(value);
          }}
        />
      </AuthForm>
    </AuthPage>
  );
}
