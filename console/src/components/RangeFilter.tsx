import { FilterSelect } from './FilterSelect';
import { rangeChoices } from './range';

/** The filter of a list by time. Without a choice, the list has records of any time. */
export function RangeFilter({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (range: string | undefined) => void;
}) {
  return <FilterSelect label="Time" value={value} choices={rangeChoices} onChange={onChange} />;
}
