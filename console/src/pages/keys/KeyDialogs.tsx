import { Select, Switch, Text, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { ConfirmDialog } from '../../components/ConfirmDialog';
import { formatBytes, formatExactTime } from '../../components/format';
import { changesOf } from '../../components/form-submit';
import { FormDialog } from '../../components/FormDialog';
import { checkWholeNumber } from '../../components/whole-number';
import { WholeNumberInput } from '../../components/WholeNumberInput';
import { OWN_WORKSPACE, usePayers } from './payers';
import { useCreateKey, useRevokeKey, useRotateKey, useUpdateKey, type AnyKey, type KeyKind } from './queries';

interface DialogProps {
  tenantId: string;
  kind: KeyKind;
  onClose: () => void;
}

const KIND_NAMES = { game: 'game key', api: 'API key' };
const DAY_MS = 86_400_000;

/** The fields have the names of the request, so that its refusals show at them. */
interface KeyForm {
  name: string;
  rateLimit: { perMinute: number | string; perHour: number | string };
  rateLimitPerMinute: number | string;
  payloadBytesPerMinute: number | string;
  /** For how many days from now the key works, {@link NEVER} or {@link UNCHANGED}. */
  expires: string;
  allowDataApi: boolean;
  requirePlayerToken: boolean;
  /** Empty: the workspace of the game pays. */
  subscriberWorkspaceId: string;
}

const NEVER = 'never';
const UNCHANGED = 'unchanged';

/** An empty field means the value of the plan or of the game. */
const orNull = (value: number | string): number | null => (value === '' ? null : Number(value));

function useKeyForm(initialValues: KeyForm): UseFormReturnType<KeyForm> {
  const validate = {
    rateLimit: { perMinute: checkWholeNumber, perHour: checkWholeNumber },
    rateLimitPerMinute: checkWholeNumber,
    payloadBytesPerMinute: checkWholeNumber,
  };
  return useForm<KeyForm>({ initialValues, validate });
}

function toBody(
  {
    name,
    rateLimit,
    rateLimitPerMinute,
    payloadBytesPerMinute,
    expires,
    allowDataApi,
    requirePlayerToken,
    subscriberWorkspaceId,
  }: KeyForm,
  kind: KeyKind,
) {
  return {
    name,
    rateLimit: { perMinute: orNull(rateLimit.perMinute), perHour: orNull(rateLimit.perHour) },
    rateLimitPerMinute: orNull(rateLimitPerMinute),
    payloadBytesPerMinute: orNull(payloadBytesPerMinute),
    ...(expires !== UNCHANGED && { expiresAt: expires === NEVER ? null : inDays(Number(expires)) }),
    ...(kind === 'api'
      ? { allowDataApi, subscriberWorkspaceId: subscriberWorkspaceId || null }
      : { requirePlayerToken }),
  };
}

const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

/** `current`: the key that is edited. */
function KeyFields({
  form,
  kind,
  current,
}: {
  form: UseFormReturnType<KeyForm>;
  kind: KeyKind;
  current?: AnyKey;
}) {
  const { payloadBytesPerMinute } = form.values;
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
        placeholder="Plan default"
        {...form.getInputProps('rateLimit.perMinute')}
      />
      <WholeNumberInput
        label="Requests per hour"
        placeholder="Plan default"
        {...form.getInputProps('rateLimit.perHour')}
      />
      <WholeNumberInput
        label="Alert above requests per minute"
        placeholder="Game default"
        {...form.getInputProps('rateLimitPerMinute')}
      />
      <WholeNumberInput
        label="Alert above bytes per minute"
        placeholder="Game default"
        description={
          typeof payloadBytesPerMinute === 'number' ? formatBytes(payloadBytesPerMinute) : undefined
        }
        {...form.getInputProps('payloadBytesPerMinute')}
      />
      {kind === 'game' && (
        <Switch
          label="Require a player's token"
          description="The key cannot act alone for a player: requests about matches and logouts need the token of that player. Turn it on for a key in a game, which every player can read. A game server needs a key without it."
          {...form.getInputProps('requirePlayerToken', { type: 'checkbox' })}
        />
      )}
      {kind === 'api' && (
        <>
          <Switch
            label="Allow the data API"
            description="The key reads profiles, matches, events and sessions."
            {...form.getInputProps('allowDataApi', { type: 'checkbox' })}
          />
          <PayerSelect form={form} />
        </>
      )}
      <Select
        label="Expires"
        data={[
          ...(current ? [{ value: UNCHANGED, label: expiryOf(current) }] : []),
          { value: NEVER, label: 'Never' },
          { value: '30', label: 'In 30 days' },
          { value: '90', label: 'In 90 days' },
          { value: '365', label: 'In a year' },
        ]}
        {...form.getInputProps('expires')}
      />
    </>
  );
}

const expiryOf = ({ expiresAt }: AnyKey): string =>
  `Unchanged (${expiresAt === null ? 'never' : formatExactTime(expiresAt)})`;

/** The workspace that pays for the reads of an API key. Only its owners and admins can agree to that. */
function PayerSelect({ form }: { form: UseFormReturnType<KeyForm> }) {
  const payers = usePayers();
  const field = form.getInputProps('subscriberWorkspaceId');
  return (
    <Select
      label="Workspace that pays for the reads"
      description="The reads of this key count as usage of that workspace, and both teams are notified. You can choose a workspace that you are an owner or admin of."
      data={[
        { value: '', label: OWN_WORKSPACE },
        ...payers.choices.map((id) => ({ value: id, label: payers.nameOf(id) })),
        // The payer of a key may be a workspace of other people. The reader may have lost the role in a chosen one.
        ...[field.value as string]
          .filter((id) => id !== '' && !payers.choices.includes(id))
          .map((id) => ({ value: id, label: payers.nameOf(id) })),
      ]}
      {...field}
    />
  );
}

export function CreateKeyDialog({
  tenantId,
  kind,
  onClose,
  onCreated,
}: DialogProps & { onCreated: (secret: string) => void }) {
  const form = useKeyForm({
    name: '',
    rateLimit: { perMinute: '', perHour: '' },
    rateLimitPerMinute: '',
    payloadBytesPerMinute: '',
    expires: NEVER,
    allowDataApi: false,
    requirePlayerToken: false,
    subscriberWorkspaceId: '',
  });
  const create = useCreateKey(tenantId, kind);
  return (
    <FormDialog
      onClose={onClose}
      title={`Create ${kind === 'game' ? 'a game key' : 'an API key'}`}
      verb="Create the key"
      form={form}
      mutation={create}
      toInput={(values) => toBody(values, kind)}
      onDone={({ key }) => {
        onClose();
        if (key) onCreated(key);
      }}
    >
      <KeyFields form={form} kind={kind} />
    </FormDialog>
  );
}

interface KeyDialogProps extends DialogProps {
  current: AnyKey;
  /** What the dialog calls the key. Several keys may have the same name. */
  called: string;
}

export function EditKeyDialog({ tenantId, kind, onClose, current, called }: KeyDialogProps) {
  const payers = usePayers();
  const form = useKeyForm({
    name: current.name,
    rateLimit: {
      perMinute: current.rateLimit?.perMinute ?? '',
      perHour: current.rateLimit?.perHour ?? '',
    },
    rateLimitPerMinute: current.rateLimitPerMinute ?? '',
    payloadBytesPerMinute: current.payloadBytesPerMinute ?? '',
    expires: UNCHANGED,
    allowDataApi: current.allowDataApi ?? false,
    requirePlayerToken: current.requirePlayerToken ?? false,
    subscriberWorkspaceId: payers.of(current) ?? '',
  });
  const update = useUpdateKey(tenantId, kind);
  return (
    <FormDialog
      onClose={onClose}
      title={`Edit ${called}`}
      verb="Save the key"
      form={form}
      mutation={update}
      toInput={() => ({ keyId: current.id, ...changesOf(form, (values) => toBody(values, kind)) })}
      onDone={onClose}
    >
      <KeyFields form={form} kind={kind} current={current} />
    </FormDialog>
  );
}

export function RotateKeyDialog({
  tenantId,
  kind,
  onClose,
  current,
  called,
  onCreated,
}: KeyDialogProps & { onCreated: (secret: string) => void }) {
  const form = useForm({ initialValues: { seconds: '86400' } });
  const rotate = useRotateKey(tenantId, kind);
  return (
    <FormDialog
      onClose={onClose}
      title={`Rotate ${called}`}
      verb="Rotate the key"
      form={form}
      mutation={rotate}
      toInput={({ seconds }) => ({ keyId: current.id, gracePeriodSeconds: Number(seconds) })}
      onDone={({ key }) => {
        onClose();
        onCreated(key);
      }}
    >
      <Text c="dimmed">
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

export function RevokeKeyDialog({ tenantId, kind, onClose, current, called }: KeyDialogProps) {
  const revoke = useRevokeKey(tenantId, kind);
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Revoke ${called}`}
      verb="Revoke the key"
      typed={current.name}
      mutation={revoke}
      input={current.id}
    >
      Requests with this {KIND_NAMES[kind]} are refused at once. A revoked key cannot be restored. To replace
      a key without an interruption, rotate it instead.
    </ConfirmDialog>
  );
}
