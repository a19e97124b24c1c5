import { Select } from '@mantine/core';
import classes from './Filter.module.css';

/** The empty value. The clear button is only for the mouse: it is hidden from the keyboard and from screen readers. */
const ANY = { value: '', label: 'Any' };

/** One filter of a list, as a choice. Without a choice the filter is off. */
export function FilterSelect({
  label,
  value,
  choices,
  onChange,
  searchable = false,
  width = 150,
  minWidth,
}: {
  label: string;
  value: string | undefined;
  choices: { value: string; label: string }[];
  onChange: (value: string | undefined) => void;
  /** Whether the reader can type to find a choice among many. */
  searchable?: boolean;
  width?: number;
  minWidth?: string | undefined;
}) {
  return (
    <Select
      size="xs"
      w={width}
      {...(minWidth !== undefined && { miw: minWidth })}
      label={label}
      classNames={classes}
      placeholder={label}
      data={value === undefined ? choices : [ANY, ...choices]}
      value={value ?? null}
      onChange={(next) => onChange(next || undefined)}
      searchable={searchable}
      clearable
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}
