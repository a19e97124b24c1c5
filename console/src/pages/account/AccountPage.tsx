import { Group, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { meQuery } from '../../app/account';
import { ConfirmDialog } from '../../components/ConfirmDialog';
import { DataTable, type Column } from '../../components/DataTable';
import { ErrorText } from '../../components/ErrorState';
import { formatCount, formatExactTime } from '../../components/format';
import { Facts, Page, Panel } from '../../components/Page';
import { RelativeTime } from '../../components/RelativeTime';
import { RowButton } from '../../components/RowButton';
import { SettingsForm } from '../../components/SettingsForm';
import { State } from '../../components/State';
import { useTableRows } from '../../components/use-table-rows';
import { checkPassword } from '../sign-in/check-password';
import {
  accountSessionsQuery,
  useChangePassword,
  useEndSession,
  useResendVerification,
  type AccountSession,
} from './queries';
import { browserName } from './browser-name';
import { SecondFactor } from './SecondFactor';
import { PasswordField } from '../../components/PasswordField';
import { ResendButton } from './ResendButton';

export function AccountPage() {
  const { data } = useQuery(meQuery);
  const resend = useResendVerification();
  if (!data) return null;
  const { user } = data;
  return (
    <Page title="Account and security" subtitle={user.email}>
      <Panel title="Account">
        <Facts
          facts={{
            Email: user.email,
            Name: user.displayName ?? '–',
            'Email verification': user.emailVerified ? (
              <State tone="good">Verified</State>
            ) : (
              <Group gap="xs">
                <State tone="warn">Not verified</State>
                <ResendButton resend={resend} />
              </Group>
            ),
            'Platform administrator': user.isPlatformAdmin ? 'Yes' : 'No',
            Created: <RelativeTime at={user.createdAt} />,
          }}
        />
        {resend.error && <ErrorText error={resend.error} />}
      </Panel>
      <Panel title="Second factor">
        <SecondFactor isOn={user.totpEnabled} email={user.email} />
      </Panel>
      <Panel title="Password">
        <PasswordForm />
      </Panel>
      <Panel title="Sessions" flush>
        <Sessions />
      </Panel>
    </Page>
  );
}

function PasswordForm() {
  const form = useForm({
    initialValues: { currentPassword: '', newPassword: '' },
    validate: {
      currentPassword: (password) => (password === '' ? 'Enter your password.' : null),
      newPassword: checkPassword,
    },
    validateInputOnBlur: ['newPassword'],
  });
  const change = useChangePassword();
  return (
    <SettingsForm
      verb="Change the password"
      form={form}
      mutation={change}
      toInput={(values) => values}
      onDone={() => form.reset()}
      secrets={['currentPassword', 'newPassword']}
      done={`The password is changed. ${formatCount(change.data?.endedSessions ?? 0, 'other session')} ended.`}
    >
      <PasswordField
        label="Current password"
        autoComplete="current-password"
        required
        {...form.getInputProps('currentPassword')}
      />
      <PasswordField
        label="New password"
        description="8 to 128 characters. All other sessions end."
        autoComplete="new-password"
        required
        {...form.getInputProps('newPassword')}
      />
    </SettingsForm>
  );
}

function Sessions() {
  const sessions = useInfiniteQuery(accountSessionsQuery);
  const [ending, setEnding] = useState<AccountSession>();
  return (
    <>
      <DataTable
        inline
        label="Sessions of the account"
        columns={sessionColumns(setEnding)}
        {...useTableRows(sessions, ({ id }) => id)}
        empty={null}
      />
      {ending && <EndSessionDialog session={ending} onClose={() => setEnding(undefined)} />}
    </>
  );
}

const sessionColumns = (end: (session: AccountSession) => void): Column<AccountSession>[] => [
  {
    id: 'agent',
    header: 'Browser',
    narrowWidth: 182,
    cell: ({ userAgent, isCurrent }) => (
      <Group gap="xs" wrap="nowrap">
        {isCurrent && <State tone="info">This session</State>}
        <Text truncate data-tip={userAgent ?? undefined}>
          {browserName(userAgent)}
        </Text>
      </Group>
    ),
  },
  { id: 'ip', header: 'Address', width: 140, cell: ({ ipAddress }) => ipAddress ?? '–' },
  {
    id: 'created',
    header: 'Signed in',
    width: 130,
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  {
    id: 'used',
    header: 'Last used',
    width: 130,
    narrowWidth: 96,
    cell: ({ lastUsedAt }) => <RelativeTime at={lastUsedAt} />,
  },
  {
    id: 'end',
    header: 'Action',
    isAction: true,
    width: 110,
    narrowWidth: 88,
    cell: (session) =>
      !session.isCurrent && (
        <RowButton
          label={`End the session of ${browserName(session.userAgent)}, signed in ${formatExactTime(session.createdAt)}`}
          onClick={() => end(session)}
        >
          End
        </RowButton>
      ),
  },
];

/** Asks first: at a double click, the second click would end the session of the next row. */
function EndSessionDialog({ session, onClose }: { session: AccountSession; onClose: () => void }) {
  const end = useEndSession();
  return (
    <ConfirmDialog
      onClose={onClose}
      title="End the session"
      verb="End the session"
      mutation={end}
      input={session.id}
    >
      Signs {browserName(session.userAgent)} out at once. It was last used{' '}
      <RelativeTime at={session.lastUsedAt} />.
    </ConfirmDialog>
  );
}
