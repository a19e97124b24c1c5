import { SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMediaQuery } from '@mantine/hooks';
import { FormDialog } from '../../components/FormDialog';
import { useBanPlayer, type PlayerPath } from './queries';

interface BanDialogProps {
  onClose: () => void;
  path: PlayerPath;
  name: string;
}

const UNTIL_TIME = 'time';
const DURATIONS = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: UNTIL_TIME, label: 'Until a time' },
  { value: '', label: 'Until lifted' },
];

const DAY_MS = 86_400_000;

/** In a narrower window, the dialog cuts the last duration off. */
const FITS_IN_A_ROW = '(min-width: 400px)';

export function BanDialog({ onClose, path, name }: BanDialogProps) {
  const fits = useMediaQuery(FITS_IN_A_ROW, undefined, { getInitialValueInEffect: false });
  const form = useForm({
    initialValues: { days: '7', until: '', reason: '', note: '' },
    validate: {
      until: (until, { days }) =>
        days === UNTIL_TIME && !(Date.parse(until) > Date.now()) ? 'Enter a time after now.' : null,
    },
  });
  const ban = useBanPlayer(path);
  return (
    <FormDialog
      onClose={onClose}
      title={`Ban ${name}`}
      verb="Ban the player"
      form={form}
      mutation={ban}
      toInput={({ days, until, reason, note }) => ({
        ...(reason && { reason }),
        ...(note && { note }),
        ...(days && {
          until: new Date(days === UNTIL_TIME ? until : Date.now() + Number(days) * DAY_MS).toISOString(),
        }),
      })}
      onDone={onClose}
    >
      <Text c="dimmed">
        All sessions end now, and sign-ins to this game are refused with the reason. You can lift the ban at
        any time.
      </Text>
      <Stack gap={4}>
        <Text fw={500} id="ban-duration">
          Duration
        </Text>
        <SegmentedControl
          data={DURATIONS}
          size="xs"
          orientation={fits ? 'horizontal' : 'vertical'}
          aria-labelledby="ban-duration"
          {...form.getInputProps('days')}
        />
      </Stack>
      {form.values.days === UNTIL_TIME && (
        <TextInput
          type="datetime-local"
          label="End of the ban"
          description="In the time zone of this browser."
          required
          {...form.getInputProps('until')}
        />
      )}
      <TextInput
        label="Reason"
        description="The player sees it."
        {...form.getInputProps('reason')}
        data-autofocus
      />
      <Textarea
        label="Note"
        description="Only the members of the workspace see it."
        autosize
        minRows={2}
        {...form.getInputProps('note')}
      />
    </FormDialog>
  );
}
