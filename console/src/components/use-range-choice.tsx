import { Modal, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { DialogButtons } from './DialogButtons';
import { formatInterval, isInterval, limitsOf, rangeChoices, toInterval } from './range';

const BETWEEN = { value: 'between', label: 'Between…' };

const DEFAULT_WIDTH = 150;
const PIXELS_PER_CHARACTER = 6.2;
const BUTTONS_WIDTH = 70;

/** The choices of a time range, and a dialog that asks for the two times of an interval. */
export function useRangeChoice(
  range: string | undefined,
  onChange: (range: string | undefined) => void,
): {
  choices: { value: string; label: string }[];
  /** The width of a select that shows the whole choice. */
  width: number;
  choose: (choice: string | undefined) => void;
  dialog: ReactNode;
} {
  const [isOpen, { open, close }] = useDisclosure();
  const interval = isInterval(range) ? [{ value: range, label: formatInterval(range) }] : [];
  return {
    choices: [...rangeChoices, ...interval, BETWEEN],
    width: interval[0] ? interval[0].label.length * PIXELS_PER_CHARACTER + BUTTONS_WIDTH : DEFAULT_WIDTH,
    choose: (choice) => (choice === BETWEEN.value ? open() : onChange(choice)),
    dialog: isOpen && <IntervalDialog range={range} onChoose={onChange} onClose={close} />,
  };
}

/** The time that the dialog suggests if the list has no limit. */
const DEFAULT_RANGE = '24h';

/** A time for an input, in the zone of the browser. */
const toInput = (time: Date): string =>
  new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

function IntervalDialog({
  range,
  onChoose,
  onClose,
}: {
  range: string | undefined;
  onChoose: (range: string) => void;
  onClose: () => void;
}) {
  const shown = limitsOf(range);
  const { from, to } = shown.from === undefined ? limitsOf(DEFAULT_RANGE) : shown;
  const form = useForm({
    initialValues: {
      from: toInput(new Date(from ?? 0)),
      to: toInput(to === undefined ? new Date() : new Date(to)),
    },
    validate: {
      from: (time) => {
        if (Number.isNaN(Date.parse(time))) return 'Enter a date and a time.';
        return Date.parse(time) < 0 ? 'Enter a year from 1970 on.' : null;
      },
      to: (time, { from: first }) => {
        if (Number.isNaN(Date.parse(time))) return 'Enter a date and a time.';
        if (Date.parse(time) <= Date.parse(first)) return 'Enter a time after the first one.';
        // The last hours of the year 9999 are in the next year in UTC.
        return isInterval(toInterval(0, Date.parse(time))) ? null : 'Enter an earlier time.';
      },
    },
  });
  const submit = form.onSubmit(
    (times) => {
      onChoose(toInterval(Date.parse(times.from), Date.parse(times.to)));
      onClose();
    },
    (errors) => form.getInputNode(Object.keys(errors)[0]!)?.focus(),
  );
  // Otherwise a year can have six digits.
  const time = { type: 'datetime-local', max: '9999-12-31T23:59', required: true };
  return (
    <Modal opened onClose={onClose} title="Between two times">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TextInput label="From" {...time} {...form.getInputProps('from')} data-autofocus />
            <TextInput label="To" {...time} {...form.getInputProps('to')} />
          </SimpleGrid>
          <Text size="xs" c="dimmed">
            Both are in the time zone of this browser.
          </Text>
          <DialogButtons verb="Show this time" onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
