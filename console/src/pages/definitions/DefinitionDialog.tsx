import { Select, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { FormDialog } from '../../components/FormDialog';
import { useSaveDefinition, type Definition } from './queries';

interface DefinitionDialogProps {
  tenantId: string;
  onClose: () => void;
  /** Missing for a new definition. Key and value of a stored one never change, because events refer to them. */
  current?: Definition;
}

const FIXED = 'It never changes, because events refer to it.';

export function DefinitionDialog({ tenantId, onClose, current }: DefinitionDialogProps) {
  const form = useForm({
    initialValues: {
      eventKey: current?.eventKey ?? '',
      eventValue: current?.eventValue ?? '',
      eventScope: current?.eventScope ?? 'match',
      eventCategory: current?.eventCategory ?? '',
      eventDescription: current?.eventDescription ?? '',
    },
  });
  const save = useSaveDefinition(tenantId, current?.id);
  return (
    <FormDialog
      onClose={onClose}
      title={current ? `Edit ${current.eventKey}` : 'Create a definition'}
      verb={current ? 'Save the definition' : 'Create the definition'}
      form={form}
      mutation={save}
      toInput={({ eventKey, eventValue, eventScope, eventCategory, eventDescription }) => ({
        eventKey,
        eventValue: eventValue.trim() || null,
        eventScope,
        eventCategory: eventCategory.trim() || null,
        eventDescription: eventDescription.trim() || null,
      })}
      onDone={onClose}
    >
      <TextInput
        label="Event key"
        description={current ? FIXED : 'What happens, for example level_completed.'}
        required={!current}
        disabled={current !== undefined}
        data-autofocus={current === undefined}
        {...form.getInputProps('eventKey')}
      />
      <TextInput
        label="Event value"
        description={current ? FIXED : 'A variant of the event, for example hard.'}
        disabled={current !== undefined}
        {...form.getInputProps('eventValue')}
      />
      <Select
        label="Scope"
        data={[
          { value: 'match', label: 'Match events' },
          { value: 'player', label: 'Player events' },
          { value: 'both', label: 'Both' },
        ]}
        {...form.getInputProps('eventScope')}
      />
      <TextInput label="Category" {...form.getInputProps('eventCategory')} />
      <Textarea label="Description" autosize minRows={2} {...form.getInputProps('eventDescription')} />
    </FormDialog>
  );
}
