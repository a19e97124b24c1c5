import { Select, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ConfirmDialog } from '../../components/ConfirmDialog';
import { changesOf } from '../../components/form-submit';
import { FormDialog } from '../../components/FormDialog';
import { WholeNumberInput } from '../../components/WholeNumberInput';
import { useCreateKey, useRevokeKey, useRotateKey, useUpdateKey, type AnyKey, type KeyKind } from './queries';

interface DialogProps {
  tenantId: string;
  kind: KeyKind;
  onClose: () => void;
}

const KIND_NAMES = { game: 'game key', api: 'API key' };
const DAY_MS = 86_400_000;

interface KeyForm {
  name: string;
  perMinute: number | string;
  perHour: number | string;
  alertRequests: number | string;
  allowDataApi: boolean;
}

/** An empty field means the value of the plan or of the game. */
const orNull = (value: number | string): number | null => (value === '' ? null : Number(value));

function toBody({ name, perMinute, perHour, alertRequests, allowDataApi }: KeyForm, kind: KeyKind) {
  return {
    name,
    rateLimit: { perMinute: orNull(perMinute), perHour: orNull(perHour) },
    rateLimitPerMinute: orNull(alertRequests),
    ...(kind === 'api' && { allowDataApi }),
  };
}

function KeyFields({ form, kind }: { form: ReturnType<typeof useForm<KeyForm>>; kind: KeyKind }) {
  return (
    <>
      <TextInput
        label="Name"
        description="For example the build or the server that uses it."
        required
        maxLength={128}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <WholeNumberInput
        label="Requests per minute"
        placeholder="As the plan"
        {...form.getInputProps('perMinute')}
      />
      <WholeNumberInput
        label="Requests per hour"
        placeholder="As the plan"
        {...form.getInputProps('perHour')}
      />
      <WholeNumberInput
        label="Alert above requests per minute"
        placeholder="As the game"
        {...form.getInputProps('alertRequests')}
      />
      {kind === 'api' && (
        <Switch
          label="Allow the data API"
          description="Events, sessions and profiles in bulk."
          {...form.getInputProps('allowDataApi', { type: 'checkbox' })}
        />
      )}
    </>
  );
}

export function CreateKeyDialog({
  tenantId,
  kind,
  onClose,
  onCreated,
}: DialogProps & { onCreated: (secret: string) => void }) {
  const form = useForm<KeyForm & { days: string }>({
    initialValues: { name: '', perMinute: '', perHour: '', alertRequests: '', allowDataApi: false, days: '' },
  });
  const create = useCreateKey(tenantId, kind);
  return (
    <FormDialog
      onClose={onClose}
      title={`Create ${kind === 'game' ? 'a game key' : 'an API key'}`}
      verb="Create the key"
      form={form}
      mutation={create}
      toInput={({ days, ...values }) => ({
        ...toBody(values, kind),
        ...(days && { expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
      })}
      onDone={({ key }) => {
        onClose();
        if (key) onCreated(key);
      }}
    >
      <KeyFields form={form} kind={kind} />
      <Select
        label="Expires"
        data={[
          { value: '', label: 'Never' },
          { value: '30', label: 'In 30 days' },
          { value: '90', label: 'In 90 days' },
          { value: '365', label: 'In a year' },
        ]}
        {...form.getInputProps('days')}
      />
    </FormDialog>
  );
}

export function EditKeyDialog({ tenantId, kind, onClose, current }: DialogProps & { current: AnyKey }) {
  const form = useForm<KeyForm>({
    initialValues: {
      name: current.name,
      perMinute: current.rateLimit?.perMinute ?? '',
      perHour: current.rateLimit?.perHour ?? '',
      alertRequests: current.rateLimitPerMinute ?? '',
      allowDataApi: current.allowDataApi ?? false,
    },
  });
  const update = useUpdateKey(tenantId, kind);
  return (
    <FormDialog
      onClose={onClose}
      title={`Edit ${current.name}`}
      verb="Save the key"
      form={form}
      mutation={update}
      toInput={() => ({ keyId: current.id, ...changesOf(form, (values) => toBody(values, kind)) })}
      onDone={onClose}
    >
      <KeyFields form={form} kind={kind} />
    </FormDialog>
  );
}

export function RotateKeyDialog({
  tenantId,
  kind,
  onClose,
  current,
  onCreated,
}: DialogProps & { current: AnyKey; onCreated: (secret: string) => void }) {
  const form = useForm({ initialValues: { seconds: '86400' } });
  const rotate = useRotateKey(tenantId, kind);
  return (
    <FormDialog
      onClose={onClose}
      title={`Rotate ${current.name}`}
      verb="Rotate the key"
      form={form}
      mutation={rotate}
      toInput={({ seconds }) => ({ keyId: current.id, gracePeriodSeconds: Number(seconds) })}
      onDone={({ key }) => {
        onClose();
        onCreated(key);
      }}
    >
      <Text size="sm" c="dimmed">
        Creates a new {KIND_NAMES[kind]} with the same settings. The old one works until the grace period
        ends, then it is refused.
      </Text>
      <Select
        label="Grace period of the old key"
        data={[
          { value: '0', label: 'None: refuse it at once' },
          { value: '3600', label: '1 hour' },
          { value: '86400', label: '1 day' },
          { value: '604800', label: '7 days' },
        ]}
        {...form.getInputProps('seconds')}
      />
    </FormDialog>
  );
}

export function RevokeKeyDialog({ tenantId, kind, onClose, current }: DialogProps & { current: AnyKey }) {
  const revoke = useRevokeKey(tenantId, kind);
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Revoke ${current.name}`}
      verb="Revoke the key"
      typed={current.name}
      isPending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(current.id, { onSuccess: onClose })}
    >
      Requests with this {KIND_NAMES[kind]} are refused at once. A revoked key cannot be restored. To replace
      a key without an interruption, rotate it instead.
    </ConfirmDialog>
  );
}
