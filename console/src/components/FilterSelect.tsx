import { Select } from '@mantine/core';

/** One filter of a list, as a choice. Without a choice the filter is off. */
export function FilterSelect({
  label,
  value,
  choices,
  onChange,
  width = 150,
}: {
  label: string;
  value: string | undefined;
  choices: { value: string; label: string }[];
  onChange: (value: string | undefined) => void;
  width?: number;
}) {
  return (
    <Select
      size="xs"
      w={width}
      aria-label={label}
      placeholder={label}
      data={choices}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      clearable
      clearButtonProps={{ 'aria-label': `Clear: ${label}` }}
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}
