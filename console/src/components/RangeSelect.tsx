import { Select } from '@mantine/core';
import { rangeChoices, type RangeName } from './range';

export function RangeSelect<Name extends string = RangeName>({
  value,
  choices = rangeChoices,
  onChange,
}: {
  value: Name;
  choices?: { value: string; label: string }[];
  onChange: (range: Name) => void;
}) {
  return (
    <Select
      size="xs"
      w={150}
      aria-label="Time range"
      data={choices}
      value={value}
      onChange={(next) => next && onChange(next as Name)}
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}
