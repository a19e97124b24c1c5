import { NumberInput, SimpleGrid, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { FormDialog } from '../../components/FormDialog';
import type { Plan } from '../usage/plan-facts';
import { useChangePlan } from './queries';

interface PlanDialogProps {
  workspaceId: string;
  name: string;
  plan: Plan;
  onClose: () => void;
}

/** Changes the limits of a workspace. */
export function PlanDialog({ workspaceId, name, plan, onClose }: PlanDialogProps) {
  const form = useForm<Omit<Plan, 'monthlyUnits'> & { monthlyUnits: number | '' }>({
    initialValues: { ...plan, monthlyUnits: plan.monthlyUnits ?? '' },
  });
  const change = useChangePlan(workspaceId);
  const field = (path: string, label: string, max?: number) => (
    <NumberInput
      label={label}
      min={1}
      {...(max !== undefined && { max })}
      allowDecimal={false}
      required
      thousandSeparator=","
      {...form.getInputProps(path)}
    />
  );
  return (
    <FormDialog
      onClose={onClose}
      title={`Change the plan of ${name}`}
      verb="Change the plan"
      size="lg"
      form={form}
      mutation={change}
      toInput={({ monthlyUnits, ...values }) => ({
        ...values,
        monthlyUnits: monthlyUnits === '' ? null : monthlyUnits,
      })}
      onDone={onClose}
    >
      <Text size="sm" c="dimmed">
        The limits apply at once, to all games of the workspace. Keys with limits of their own keep them.
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput label="Name of the plan" required maxLength={64} {...form.getInputProps('name')} />
        <NumberInput
          label="Units per month"
          placeholder="Unlimited"
          min={0}
          allowDecimal={false}
          thousandSeparator=","
          {...form.getInputProps('monthlyUnits')}
        />
        {field('rateLimit.perMinute', 'Requests per minute and key')}
        {field('rateLimit.perHour', 'Requests per hour and key')}
        {field('maxMatchEventRecordsPerRequest', 'Match events per request', 10_000)}
        {field('maxPlayerEventRecordsPerRequest', 'Player events per request', 10_000)}
      </SimpleGrid>
      <Switch
        label="Refuse requests after the last unit"
        description="Without it, requests are accepted and the owners are warned."
        {...form.getInputProps('hardStop', { type: 'checkbox' })}
      />
    </FormDialog>
  );
}
