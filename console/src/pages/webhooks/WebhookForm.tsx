import { MultiSelect, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useGameNames } from '../../app/game';
import { choicesOf } from '../../components/format';
import { changesOf } from '../../components/form-submit';
import { FormDialog } from '../../components/FormDialog';
import {
  eventTypeNames,
  PLATFORM,
  useChangeWebhook,
  useCreateWebhook,
  type NewWebhook,
  type Webhook,
  type WebhookPath,
} from './queries';

const EVENT_TYPES = choicesOf(Object.entries(eventTypeNames));

interface WebhookValues {
  url: string;
  description: string;
  eventTypes: string[];
  tenantId: string;
}

/** No chosen type means all types, including those that come later. */
const toBody = ({ url, description, eventTypes }: WebhookValues) => ({
  url: url.trim(),
  description: description.trim() || null,
  eventTypes: eventTypes.length === 0 ? null : (eventTypes as NonNullable<NewWebhook['eventTypes']>),
});

function Fields({ form }: { form: ReturnType<typeof useForm<WebhookValues>> }) {
  return (
    <>
      <TextInput
        label="URL"
        description="An http or https address that answers with a status from 200 to 299 within 15 seconds."
        required
        data-autofocus
        {...form.getInputProps('url')}
      />
      <MultiSelect
        label="Events"
        placeholder={form.values.eventTypes.length === 0 ? 'All events' : ''}
        data={EVENT_TYPES}
        {...form.getInputProps('eventTypes')}
      />
      <TextInput label="Description" {...form.getInputProps('description')} />
    </>
  );
}

export function CreateWebhookDialog({
  workspaceId,
  onClose,
  onCreated,
}: {
  workspaceId: string;
  onClose: () => void;
  onCreated: (secret: string) => void;
}) {
  const form = useForm<WebhookValues>({
    initialValues: { url: '', description: '', eventTypes: [], tenantId: '' },
  });
  const isOfWorkspace = workspaceId !== PLATFORM;
  const gameNames = useGameNames(workspaceId, { enabled: isOfWorkspace });
  const create = useCreateWebhook(workspaceId);
  return (
    <FormDialog
      onClose={onClose}
      title="Add a webhook"
      verb="Add the webhook"
      form={form}
      mutation={create}
      toInput={(values) => ({
        ...toBody(values),
        ...(isOfWorkspace && { tenantId: values.tenantId || null }),
      })}
      onDone={({ secret }) => {
        onClose();
        onCreated(secret);
      }}
    >
      <Fields form={form} />
      {isOfWorkspace && (
        <Select
          label="Game"
          data={[{ value: '', label: 'All games of the workspace' }, ...choicesOf(gameNames)]}
          {...form.getInputProps('tenantId')}
        />
      )}
    </FormDialog>
  );
}

export function EditWebhookDialog({
  path,
  onClose,
  current,
}: {
  path: WebhookPath;
  onClose: () => void;
  current: Webhook;
}) {
  const form = useForm<WebhookValues>({
    initialValues: {
      url: current.url,
      description: current.description ?? '',
      eventTypes: current.eventTypes ?? [],
      tenantId: current.tenantId ?? '',
    },
  });
  const change = useChangeWebhook(path);
  return (
    <FormDialog
      onClose={onClose}
      title="Edit the webhook"
      verb="Save the webhook"
      form={form}
      mutation={change}
      toInput={() => changesOf(form, toBody)}
      onDone={onClose}
    >
      <Fields form={form} />
    </FormDialog>
  );
}
