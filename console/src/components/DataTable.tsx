import { useLocalStorage, useMediaQuery } from '@mantine/hooks';
import type { CSSProperties } from 'react';
import { ColumnChoice } from './ColumnChoice';
import classes from './DataTable.module.css';
import type { Column, DataTableProps } from './data-table-types';
import { describeError, ErrorState, isInvalidFilter } from './ErrorState';
import { NoResults } from './NoResults';
import { selectionColumn } from './selection-column';
import { TableRows } from './TableRows';

export type { Column, DataTableProps } from './data-table-types';

/** A table of records: sticky header, rows by virtual scrolling, sorting and paging by the server. */
export function DataTable<Row>({
  empty,
  isFiltered,
  noResults,
  toolbar,
  bulkActions,
  selection,
  error,
  retry,
  ...table
}: DataTableProps<Row>) {
  const { label, columns, rowKey, inline = false, isFetching = false } = table;
  // No rows of other filters say nothing about these.
  const rows = isFetching && table.rows?.length === 0 ? undefined : table.rows;
  const [shown, setShown] = useLocalStorage<Record<string, boolean>>({
    key: `guildhall.columns.${label}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  // An inline table offers no choice, and can have the label of a table that does.
  const chosen: Record<string, boolean> = inline ? {} : shown;
  const visible = columns.filter(({ id, hidden }) => chosen[id] ?? !hidden);
  const isNarrow = useMediaQuery('(max-width: 700px)', undefined, { getInitialValueInEffect: false });
  const placed = isNarrow ? narrowed(visible) : visible;
  const isEmpty = rows?.length === 0;
  const hasChoice = !inline && columns.some(({ hidden }) => hidden);
  const hasToolbar = (toolbar !== undefined || hasChoice) && !(isEmpty && isFiltered === false);

  return (
    <div
      className={classes.frame}
      style={{ '--rows': rows?.length ?? 0 } as CSSProperties}
      data-inline={inline || undefined}
      data-short={isShort(rows) || undefined}
    >
      {hasToolbar && (
        <div className={classes.toolbar}>
          <div className={classes.filters}>{toolbar}</div>
          {hasChoice && (
            <ColumnChoice
              columns={columns}
              visible={visible}
              onChange={(id, isShown) => setShown({ ...shown, [id]: isShown })}
            />
          )}
        </div>
      )}
      {bulkActions}
      {isFetching && rows && <div className={classes.progress} role="presentation" />}
      {rows === undefined && error ? (
        isInvalidFilter(error) ? (
          <NoResults title="A filter is not valid">{describeError(error)}</NoResults>
        ) : (
          <ErrorState error={error} what={`${label} could not be loaded`} retry={retry} />
        )
      ) : isEmpty ? (
        <div className={classes.empty}>{isFiltered ? noResults : empty}</div>
      ) : (
        <TableRows
          {...table}
          rows={rows}
          columns={selection ? [selectionColumn(selection, rows ?? [], rowKey), ...placed] : placed}
        />
      )}
      {rows !== undefined && table.hasFailedToLoadMore && (
        <div className={classes.failure}>
          <ErrorState
            error={error}
            what={`More rows of ${label} could not be loaded`}
            retry={table.loadMore}
          />
        </div>
      )}
    </div>
  );
}

/** In a narrow window the columns that fit come first. The others follow, and the table scrolls to them. */
const narrowed = <Row,>(columns: Column<Row>[]): Column<Row>[] => [
  ...columns.flatMap((column) =>
    column.narrowWidth === undefined ? [] : [{ ...column, width: column.narrowWidth }],
  ),
  ...columns.filter(({ narrowWidth }) => narrowWidth === undefined),
];

/** A few rows, or the text in their place, show without scrolling, also below other content. */
const isShort = (rows: unknown[] | undefined): boolean => rows !== undefined && rows.length <= 5;
