import { SimpleGrid, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { changesOf } from '../../components/form-submit';
import { FormDialog } from '../../components/FormDialog';
import { checkWholeNumber } from '../../components/whole-number';
import { WholeNumberInput } from '../../components/WholeNumberInput';
import type { Plan } from '../usage/plan-facts';
import { useChangePlan } from './queries';

interface PlanDialogProps {
  workspaceId: string;
  name: string;
  plan: Plan;
  onClose: () => void;
}

type PlanForm = Omit<Plan, 'monthlyUnits'> & { monthlyUnits: number | '' };

const toPlan = ({ monthlyUnits, ...values }: PlanForm) => ({
  ...values,
  monthlyUnits: monthlyUnits === '' ? null : monthlyUnits,
});

/** Changes the limits of a workspace. */
export function PlanDialog({ workspaceId, name, plan, onClose }: PlanDialogProps) {
  const form = useForm<PlanForm>({
    initialValues: { ...plan, monthlyUnits: plan.monthlyUnits ?? '' },
    validate: {
      monthlyUnits: checkWholeNumber,
      rateLimit: { perMinute: checkWholeNumber, perHour: checkWholeNumber },
      maxMatchEventRecordsPerRequest: checkWholeNumber,
      maxPlayerEventRecordsPerRequest: checkWholeNumber,
    },
  });
  const change = useChangePlan(workspaceId);
  const field = (path: string, label: string) => (
    <WholeNumberInput label={label} required {...form.getInputProps(path)} />
  );
  return (
    <FormDialog
      onClose={onClose}
      title={`Change the plan of ${name}`}
      verb="Change the plan"
      size="lg"
      form={form}
      mutation={change}
      toInput={() => changesOf(form, toPlan)}
      onDone={onClose}
    >
      <Text c="dimmed">
        The limits apply at once, to all games of the workspace. Keys with limits of their own keep them.
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput label="Name of the plan" required maxLength={64} {...form.getInputProps('name')} />
        <WholeNumberInput
          label="Units per month"
          placeholder="Unlimited"
          {...form.getInputProps('monthlyUnits')}
        />
        {field('rateLimit.perMinute', 'Requests per minute and key')}
        {field('rateLimit.perHour', 'Requests per hour and key')}
        {field('maxMatchEventRecordsPerRequest', 'Match events per request')}
        {field('maxPlayerEventRecordsPerRequest', 'Player events per request')}
      </SimpleGrid>
      <Switch
        label="Refuse requests after the last unit"
        description="Without it, requests are accepted and the owners are warned."
        {...form.getInputProps('hardStop', { type: 'checkbox' })}
      />
    </FormDialog>
  );
}
