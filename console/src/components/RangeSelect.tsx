import { Select } from '@mantine/core';
import { rangeChoices, type RangeName } from './range';

export function RangeSelect({ value, onChange }: { value: RangeName; onChange: (range: RangeName) => void }) {
  return (
    <Select
      size="xs"
      w={150}
      aria-label="Time range"
      data={rangeChoices}
      value={value}
      onChange={(next) => next && onChange(next as RangeName)}
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}
