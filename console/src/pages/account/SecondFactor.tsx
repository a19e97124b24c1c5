import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { renderSVG } from 'uqr';
import { ErrorText } from '../../components/ErrorState';
import { Snippet } from '../../components/Snippet';
import { State } from '../../components/State';
import { leavingRequest, leavingSecret, useUnsavedChanges } from '../../components/unsaved-changes';
import { saveText } from '../../components/save-file';
import { toAuthenticatorCode } from '../sign-in/authenticator-code';
import {
  useConfirmTotp,
  useDisableTotp,
  useEnrollTotp,
  useRenewRecoveryCodes,
  type Reauthentication,
} from './queries';
import classes from './SecondFactor.module.css';
import { PasswordField } from '../../components/PasswordField';

/** The codes of an authenticator app as a second factor (TOTP), and its recovery codes. */
export function SecondFactor({ isOn, email }: { isOn: boolean; email: string }) {
  const [codes, setCodes] = useState<string[]>();
  if (codes) return <RecoveryCodes codes={codes} email={email} onDone={() => setCodes(undefined)} />;
  return isOn ? <ManageStep onCodes={setCodes} /> : <EnrollStep onCodes={setCodes} />;
}

function EnrollStep({ onCodes }: { onCodes: (codes: string[]) => void }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const enroll = useEnrollTotp();
  const confirm = useConfirmTotp();
  const unsaved = useUnsavedChanges(confirm.isPending, leavingRequest);
  const given = toAuthenticatorCode(code);
  if (!enroll.data)
    return (
      <form
        onSubmit={(event) => {
          event.preventDefault();
          enroll.mutate({ password });
        }}
      >
        <Stack gap="sm" maw={420}>
          <Text c="dimmed">Sign-ins then need a code of an authenticator app beside the password.</Text>
          <PasswordField
            label="Your password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {enroll.error && <ErrorText error={enroll.error} />}
          <Button type="submit" variant="default" w="fit-content" loading={enroll.isPending}>
            Add a second factor
          </Button>
        </Stack>
      </form>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (given !== undefined)
          confirm.mutate(given, { onSuccess: ({ recoveryCodes }) => onCodes(recoveryCodes) });
      }}
    >
      {unsaved.question}
      <Group align="flex-start" gap="lg">
        <img
          className={classes.code}
          src={qrCode(enroll.data.otpauthUri)}
          alt="QR code for the authenticator app"
        />
        <Stack gap="sm" maw={420}>
          <Text>Scan the code with the authenticator app, or type this secret into it:</Text>
          <Snippet code={enroll.data.secret} label="Secret" />
          <TextInput
            label="6-digit code of the app"
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          {confirm.error && <ErrorText error={confirm.error} hasEffect />}
          <Button type="submit" w="fit-content" disabled={given === undefined} loading={confirm.isPending}>
            Turn the second factor on
          </Button>
        </Stack>
      </Group>
    </form>
  );
}

function qrCode(text: string): string {
  return `data:image/svg+xml,${encodeURIComponent(renderSVG(text, { border: 2 }))}`;
}

function ManageStep({ onCodes }: { onCodes: (codes: string[]) => void }) {
  const [proof, setProof] = useState('');
  const renew = useRenewRecoveryCodes();
  const disable = useDisableTotp();
  const unsaved = useUnsavedChanges(renew.isPending, leavingRequest);
  const code = toAuthenticatorCode(proof);
  const given: Reauthentication = code === undefined ? { password: proof } : { code };
  return (
    <Stack gap="sm" maw={420}>
      {unsaved.question}
      <div>
        <State tone="good">On</State>
      </div>
      <PasswordField
        label="Your password, or a code of the app"
        value={proof}
        onChange={(event) => setProof(event.currentTarget.value)}
        autoComplete="off"
      />
      {(renew.error ?? disable.error) && <ErrorText error={renew.error ?? disable.error} hasEffect />}
      <Group gap="xs">
        <Button
          variant="default"
          disabled={proof === ''}
          loading={renew.isPending}
          onClick={() => renew.mutate(given, { onSuccess: ({ recoveryCodes }) => onCodes(recoveryCodes) })}
        >
          Make new recovery codes
        </Button>
        <Button
          variant="default"
          c="var(--gh-bad)"
          disabled={proof === ''}
          loading={disable.isPending}
          onClick={() => disable.mutate(given)}
        >
          Turn the second factor off
        </Button>
      </Group>
    </Stack>
  );
}

function RecoveryCodes({ codes, email, onDone }: { codes: string[]; email: string; onDone: () => void }) {
  const text = codes.join('\n');
  const unsaved = useUnsavedChanges(
    true,
    leavingSecret('The recovery codes stay valid, but are not shown again.'),
  );
  return (
    <Stack gap="sm" maw={420}>
      {unsaved.question}
      <Text>
        Each code works once, if the authenticator app is lost. Save them. They are not shown again.
      </Text>
      <Snippet code={text} label="Recovery codes" />
      <Group gap="xs">
        <Button
          variant="default"
          onClick={() =>
            saveText('guildhall-recovery-codes.txt', `Guildhall, ${email}\n\n${text}\n`, 'text/plain')
          }
        >
          Download
        </Button>
        <Button onClick={onDone}>I saved the codes</Button>
      </Group>
    </Stack>
  );
}
