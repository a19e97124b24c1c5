import { Checkbox } from '@mantine/core';
import type { Column, Selection } from './data-table-types';
import classes from './DataTable.module.css';

/** A box in each row, and one for all rows that are loaded. */
export function selectionColumn<Row>(
  { keys, onChange, nameOf }: Selection<Row>,
  rows: Row[],
  rowKey: (row: Row) => string,
): Column<Row> {
  const loaded = rows.map(rowKey);
  const count = loaded.filter((key) => keys.has(key)).length;
  const isWhole = count > 0 && count === loaded.length;
  return {
    id: 'selection',
    header: 'Select',
    width: 44,
    head: (
      <label className={classes.select}>
        <Checkbox
          size="xs"
          aria-label="Select all rows that are loaded"
          checked={isWhole}
          indeterminate={count > 0 && !isWhole}
          onChange={() => onChange(new Set(isWhole ? [] : loaded))}
        />
      </label>
    ),
    cell: (row) => (
      <label className={classes.select}>
        <Checkbox
          size="xs"
          aria-label={`Select ${nameOf(row)}`}
          checked={keys.has(rowKey(row))}
          onChange={() => onChange(toggled(keys, rowKey(row)))}
        />
      </label>
    ),
  };
}

function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}
