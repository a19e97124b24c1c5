import { Select } from '@mantine/core';
import { rangeChoices, type RangeName } from './range';

export function RangeSelect<Name extends string = RangeName>({
  value,
  choices = rangeChoices,
  width = 150,
  onChange,
}: {
  value: Name;
  choices?: { value: string; label: string }[];
  width?: number;
  onChange: (range: Name) => void;
}) {
  return (
    <Select
      size="xs"
      w={width}
      maw="100%"
      aria-label="Time range"
      data={choices}
      value={value}
      onChange={(next) => next && onChange(next as Name)}
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}
