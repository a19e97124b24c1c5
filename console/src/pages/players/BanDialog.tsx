import { SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { FormDialog } from '../../components/FormDialog';
import { useBanPlayer } from './queries';

interface BanDialogProps {
  onClose: () => void;
  path: { tenantId: string; playerId: string };
  name: string;
}

const DURATIONS = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '', label: 'Until lifted' },
];

const DAY_MS = 86_400_000;

export function BanDialog({ onClose, path, name }: BanDialogProps) {
  const form = useForm({ initialValues: { days: '7', reason: '', note: '' } });
  const ban = useBanPlayer(path);
  return (
    <FormDialog
      onClose={onClose}
      title={`Ban ${name}`}
      verb="Ban the player"
      form={form}
      mutation={ban}
      toInput={({ days, reason, note }) => ({
        ...(reason && { reason }),
        ...(note && { note }),
        ...(days && { until: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
      })}
      onDone={onClose}
    >
      <Text size="sm" c="dimmed">
        All sessions end now, and sign-ins to this game are refused with the reason. You can lift the ban at
        any time.
      </Text>
      <Stack gap={4}>
        <Text size="sm" fw={500} id="ban-duration">
          Duration
        </Text>
        <SegmentedControl
          data={DURATIONS}
          size="xs"
          aria-labelledby="ban-duration"
          {...form.getInputProps('days')}
        />
      </Stack>
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
