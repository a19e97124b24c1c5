import { Button, Select, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { ConfirmDialog } from '../../components/ConfirmDialog';
import { CopyableId } from '../../components/CopyableId';
import type { Column } from '../../components/DataTable';
import { FormDialog } from '../../components/FormDialog';
import { Page } from '../../components/Page';
import { MaybeTime, RelativeTime } from '../../components/RelativeTime';
import { State } from '../../components/State';
import { TablePanel } from '../../components/TablePanel';
import { signingKeysQuery, useRotateSigningKeys, type SigningKey } from './queries';

export function SigningKeysPage() {
  const keys = useQuery(signingKeysQuery);
  const [isRotating, rotating] = useDisclosure();
  const [isRevoking, revoking] = useDisclosure();
  const isWaiting = keys.data?.items.some(({ state }) => state === 'waiting') ?? false;
  return (
    <Page
      title="Signing keys"
      subtitle="The keys that sign the access tokens of players and accounts"
      actions={
        <>
          <Button variant="default" c="var(--gh-bad)" onClick={revoking.open}>
            Revoke all keys
          </Button>
          <Button onClick={rotating.open} disabled={isWaiting}>
            Rotate the keys
          </Button>
        </>
      }
    >
      <TablePanel
        title="Keys whose tokens are accepted"
        label="Signing keys"
        columns={columns}
        rows={keys.data?.items}
        rowKey={({ kid }) => kid}
        query={keys}
        empty={null}
      />
      <Text c="dimmed">
        {isWaiting
          ? 'A new key is published and starts to sign soon. Until then, no further key can be added.'
          : 'Services that verify tokens read the public keys from /.well-known/jwks.json.'}
      </Text>
      {isRotating && <RotateDialog onClose={rotating.close} />}
      {isRevoking && <RevokeDialog onClose={revoking.close} />}
    </Page>
  );
}

function RotateDialog({ onClose }: { onClose: () => void }) {
  const form = useForm({ initialValues: { seconds: '600' } });
  const rotate = useRotateSigningKeys();
  return (
    <FormDialog
      onClose={onClose}
      title="Rotate the signing keys"
      verb="Rotate the keys"
      form={form}
      mutation={rotate}
      toInput={({ seconds }) => ({ activateInSeconds: Number(seconds), revokeOld: false })}
      onDone={onClose}
    >
      <Text c="dimmed">
        Creates a new key. Tokens of the old key are accepted until the last one has expired, so nobody is
        signed out.
      </Text>
      <Select
        label="The new key signs"
        description="Until then it is only published, so that services which verify tokens know it."
        data={[
          { value: '600', label: 'in 10 minutes' },
          { value: '7200', label: 'in 2 hours' },
          { value: '86400', label: 'in 1 day' },
          { value: '604800', label: 'in 7 days' },
        ]}
        {...form.getInputProps('seconds')}
      />
    </FormDialog>
  );
}

function RevokeDialog({ onClose }: { onClose: () => void }) {
  const revoke = useRotateSigningKeys();
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Revoke all signing keys"
      verb="Revoke the keys"
      hasEffect
      typed="revoke"
      mutation={revoke}
      input={{ activateInSeconds: 0, revokeOld: true }}
    >
      For a key that leaked. A new key signs at once, and all access tokens in use are refused. Players and
      accounts get new ones with their refresh tokens. This cannot be undone.
    </ConfirmDialog>
  );
}

const STATES = {
  waiting: <State tone="info">Waiting</State>,
  signing: <State tone="good">Signing</State>,
  verifying: <State>Verifying</State>,
};

const columns: Column<SigningKey>[] = [
  { id: 'kid', header: 'Key id', narrowWidth: 124, cell: ({ kid }) => <CopyableId id={kid} /> },
  { id: 'state', header: 'State', width: 120, narrowWidth: 96, cell: ({ state }) => STATES[state] },
  {
    id: 'from',
    header: 'Signs from',
    width: 150,
    cell: ({ activeFrom }) => <RelativeTime at={activeFrom} />,
  },
  {
    id: 'until',
    header: 'Accepted until',
    width: 160,
    narrowWidth: 146,
    cell: ({ retiresAt }) => <MaybeTime at={retiresAt} none="Next rotation" />,
  },
];
