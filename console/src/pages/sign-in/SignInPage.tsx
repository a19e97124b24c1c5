import { TextLink } from '../../components/links';
import { Anchor, Group, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { client } from '../../app/client';
import { hasDrafts } from '../../app/drafts';
import { useChange } from '../../app/use-change';
import { useAfterSignIn } from './after-sign-in';
import { EmailField } from './AuthFields';
import { AuthForm } from './AuthForm';
import { AuthPage } from './AuthPage';
import { toAuthenticatorCode } from './authenticator-code';
import { PasswordField } from '../../components/PasswordField';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { next, ended } = route.useSearch();
  const [mfaToken, setMfaToken] = useState<string>();
  const router = useRouter();
  const enter = useAfterSignIn();
  const goOn = (): void => {
    const { pathname, hash } = router.history.location;
    // The fragment belongs to the next page. It may hold the token of a mail, which no server may get in a search parameter.
    if (pathname === '/sign-in') enter(next && next + hash);
  };
  const onSession = useEffectEvent((account: unknown) => account !== undefined && goOn());
  // After a sign-in in another tab this one continues too.
  useEffect(() => client.session.subscribe(onSession), []);
  return mfaToken === undefined ? (
    <PasswordStep hasEnded={ended !== undefined} onSignedIn={goOn} onSecondFactor={setMfaToken} />
  ) : (
    <SecondFactorStep mfaToken={mfaToken} onSignedIn={goOn} onBack={() => setMfaToken(undefined)} />
  );
}

function PasswordStep({
  hasEnded,
  onSignedIn,
  onSecondFactor,
}: {
  /** Whether a session ended while a page was open. */
  hasEnded: boolean;
  onSignedIn: () => void;
  onSecondFactor: (mfaToken: string) => void;
}) {
  const form = useForm({ initialValues: { email: '', password: '' } });
  const signIn = useChange({ keys: [] }, client.signIn);
  return (
    <AuthPage
      title="Sign in to Guildhall"
      text={
        hasEnded && (
          <>
            Your session has ended: in another tab, on another device, or because it expired. Sign in to
            return to the same page.
            {hasDrafts() && ' Your input is kept. Open the form again.'}
          </>
        )
      }
    >
      <AuthForm
        verb="Sign in"
        isPending={signIn.isPending}
        error={signIn.error}
        onSubmit={form.onSubmit((values) =>
          signIn.mutate(values, {
            onSuccess: (answer) => ('mfaToken' in answer ? onSecondFactor(answer.mfaToken) : onSignedIn()),
          }),
        )}
        footer={
          <Group justify="space-between">
            <TextLink to="/sign-up">Create an account</TextLink>
            <TextLink to="/reset-password">Reset the password</TextLink>
          </Group>
        }
      >
        <EmailField {...form.getInputProps('email')} />
        <PasswordField
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
  const verify = useChange({ keys: [] }, client.verifyTotp);
  const submit = (given: string): void => {
    const code = toAuthenticatorCode(given);
    if (hasRecoveryCode)
      verify.mutate({ mfaToken, recoveryCode: given.replaceAll(' ', '') }, { onSuccess: onSignedIn });
    else if (code !== undefined) verify.mutate({ mfaToken, code }, { onSuccess: onSignedIn });
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
        isComplete={hasRecoveryCode || toAuthenticatorCode(code) !== undefined}
        footer={
          <>
            <Group justify="space-between">
              <Anchor component="button" type="button" onClick={onBack}>
                Back
              </Anchor>
              <Anchor
                component="button"
                type="button"
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
            if (!hasRecoveryCode) submit(value);
          }}
        />
      </AuthForm>
    </AuthPage>
  );
}
