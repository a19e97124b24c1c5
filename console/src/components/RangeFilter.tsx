import { FilterSelect } from './FilterSelect';
import { isInterval } from './range';
import { useRangeChoice } from './use-range-choice';

/** The filter of a list by time. Without a choice, the list has records of any time. */
export function RangeFilter({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (range: string | undefined) => void;
}) {
  const { choices, width, choose, dialog } = useRangeChoice(value, onChange);
  return (
    <>
      <FilterSelect
        label="Time"
        value={value}
        choices={choices}
        onChange={choose}
        width={width}
        // On a phone, half of a row is too narrow for it.
        minWidth={isInterval(value) ? `min(${width}px, 100%)` : undefined}
      />
      {dialog}
    </>
  );
}
