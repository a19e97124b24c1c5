import { Select, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { FormDialog } from '../../components/FormDialog';
import { changesOf } from '../../components/form-submit';
import { scopeChoices, useChangeDefinition, useCreateDefinition, type Definition } from './queries';

interface DialogProps {
  tenantId: string;
  onClose: () => void;
}

const NEW = {
  eventKey: '',
  eventValue: '',
  eventScope: 'match' as Definition['eventScope'],
  eventCategory: '',
  eventDescription: '',
};
type DefinitionForm = typeof NEW;

/** What can be changed later. */
const toChange = ({ eventScope, eventCategory, eventDescription }: DefinitionForm) => ({
  eventScope,
  eventCategory: eventCategory.trim() || null,
  eventDescription: eventDescription.trim() || null,
});

function ChangeableFields({
  form,
  autofocus = false,
}: {
  form: ReturnType<typeof useForm<DefinitionForm>>;
  autofocus?: boolean;
}) {
  return (
    <>
      <Select
        label="Scope"
        data={scopeChoices}
        {...(autofocus && { 'data-autofocus': true })}
        {...form.getInputProps('eventScope')}
      />
      <TextInput label="Category" {...form.getInputProps('eventCategory')} />
      <Textarea label="Description" autosize minRows={2} {...form.getInputProps('eventDescription')} />
    </>
  );
}

export function CreateDefinitionDialog({
  tenantId,
  onClose,
  event,
}: DialogProps & {
  /** An event that has no definition yet. */
  event?: Pick<DefinitionForm, 'eventKey' | 'eventValue' | 'eventScope'>;
}) {
  const form = useForm<DefinitionForm>({ initialValues: { ...NEW, ...event } });
  return (
    <FormDialog
      onClose={onClose}
      title="Create a definition"
      verb="Create the definition"
      form={form}
      mutation={useCreateDefinition(tenantId)}
      toInput={(values) => ({
        eventKey: values.eventKey,
        eventValue: values.eventValue.trim() || null,
        ...toChange(values),
      })}
      onDone={onClose}
    >
      <TextInput
        label="Event key"
        description="What happens, for example level_completed."
        required
        data-autofocus
        {...form.getInputProps('eventKey')}
      />
      <TextInput
        label="Event value"
        description="A variant of the event, for example hard."
        {...form.getInputProps('eventValue')}
      />
      <ChangeableFields form={form} />
    </FormDialog>
  );
}

const FIXED = 'It never changes, because events refer to it.';

export function EditDefinitionDialog({ tenantId, onClose, current }: DialogProps & { current: Definition }) {
  const form = useForm<DefinitionForm>({
    initialValues: {
      eventKey: current.eventKey,
      eventValue: current.eventValue ?? '',
      eventScope: current.eventScope,
      eventCategory: current.eventCategory ?? '',
      eventDescription: current.eventDescription ?? '',
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={`Edit ${current.eventKey}`}
      verb="Save the definition"
      form={form}
      mutation={useChangeDefinition(tenantId, current.id)}
      toInput={() => changesOf(form, toChange)}
      onDone={onClose}
    >
      <TextInput label="Event key" description={FIXED} disabled {...form.getInputProps('eventKey')} />
      <TextInput label="Event value" description={FIXED} disabled {...form.getInputProps('eventValue')} />
      <ChangeableFields form={form} autofocus />
    </FormDialog>
  );
}
