import { ActionIcon, Checkbox, Menu, Skeleton, UnstyledButton } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp, Columns3 } from 'lucide-react';
import { memo, useEffect, useRef, type CSSProperties, type KeyboardEvent, type ReactNode } from 'react';
import { ErrorState } from './ErrorState';
import classes from './DataTable.module.css';

export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** The head of the column, if it is more than its name. */
  head?: ReactNode;
  /** The width in pixels. The first column without a width takes the space that is left. */
  width?: number;
  align?: 'right';
  /** The name that the server sorts by. */
  sort?: string;
  /** Whether the column is hidden until the reader chooses it. */
  hidden?: boolean;
}

/** The rows that the reader has chosen for an action on many of them. */
export interface Selection<Row> {
  keys: ReadonlySet<string>;
  onChange: (keys: ReadonlySet<string>) => void;
  /** The row in words, for screen readers. */
  nameOf: (row: Row) => string;
}

export interface DataTableProps<Row> {
  /** The name of the table for screen readers, and of its column choice in this browser. */
  label: string;
  columns: Column<Row>[];
  rows: Row[] | undefined;
  rowKey: (row: Row) => string;
  /** The error of the request for the rows. Without rows, it is shown in their place. */
  error?: unknown;
  /** Whether a new request runs while old rows are shown. */
  isFetching?: boolean;
  retry?: () => void;
  /** Loads the next page when the end is near. */
  loadMore?: (() => void) | undefined;
  /** If true, `error` says why, and the reader decides when to try again. */
  hasFailedToLoadMore?: boolean;
  /** The column that the rows are sorted by. A minus means descending: `-lastSeenAt`. */
  sort?: string;
  onSort?: (sort: string) => void;
  onOpen?: (row: Row) => void;
  /** The row whose record is open. */
  selectedKey?: string | undefined;
  selection?: Selection<Row> | undefined;
  empty: ReactNode;
  /** The table takes its own height instead of the rest of the page. */
  inline?: boolean;
  /** The controls above the table, beside the choice of columns. */
  toolbar?: ReactNode;
  /** What can be done with the chosen rows, and what became of it. */
  bulkActions?: ReactNode;
}

const ROW_HEIGHT = 36;
/** A short table on a page with others moves less when its rows arrive. */
const SKELETON_ROWS = { inline: 3, whole: 8 };

/** A table of records: sticky header, rows by virtual scrolling, sorting and paging by the server. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, error, isFetching = false, empty, inline = false } = props;
  const { toolbar, bulkActions, selection } = props;
  const [shown, setShown] = useLocalStorage<Record<string, boolean>>({
    key: `guildhall.columns.${label}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const isShown = (column: Column<Row>): boolean => shown[column.id] ?? !column.hidden;
  const visible = columns.filter(isShown);
  if (selection) visible.unshift(selectionColumn(selection, rows ?? [], rowKey));
  const hasChoice = !inline && columns.some((column) => column.hidden);

  return (
    <div className={classes.frame} data-inline={inline || undefined}>
      {(toolbar || hasChoice) && (
        <div className={classes.toolbar}>
          <div className={classes.filters}>{toolbar}</div>
          {hasChoice && (
            <Menu closeOnItemClick={false} position="bottom-end">
              <Menu.Target>
                <ActionIcon data-tip="Choose columns" variant="default" aria-label="Choose columns">
                  <Columns3 size={15} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                {columns.map((column) => (
                  <Menu.Item
                    key={column.id}
                    leftSection={<Checkbox.Indicator checked={isShown(column)} size="xs" aria-hidden />}
                    role="menuitemcheckbox"
                    aria-checked={isShown(column)}
                    onClick={() => setShown({ ...shown, [column.id]: !isShown(column) })}
                  >
                    {column.header}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          )}
        </div>
      )}
      {bulkActions}
      {isFetching && rows && <div className={classes.progress} role="presentation" />}
      {rows === undefined && error ? (
        <ErrorState
          error={error}
          what={`${label} could not be loaded`}
          {...(props.retry && { retry: props.retry })}
        />
      ) : rows?.length === 0 ? (
        <div className={classes.empty}>{empty}</div>
      ) : (
        <Rows {...props} columns={visible} />
      )}
      {rows !== undefined && props.hasFailedToLoadMore && (
        <div className={classes.failure}>
          <ErrorState
            error={error}
            what={`More rows of ${label} could not be loaded`}
            {...(props.loadMore && { retry: props.loadMore })}
          />
        </div>
      )}
    </div>
  );
}

function Rows<Row>({
  label,
  columns,
  rows,
  rowKey,
  isFetching = false,
  loadMore,
  hasFailedToLoadMore = false,
  sort,
  onSort,
  onOpen,
  selectedKey,
  inline = false,
}: DataTableProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const count = rows?.length ?? 0;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 3,
  });
  const items = virtual.getVirtualItems();
  const lastIndex = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (count > 0 && lastIndex >= count - 10 && !isFetching && !hasFailedToLoadMore) loadMore?.();
  }, [count, lastIndex, isFetching, hasFailedToLoadMore, loadMore]);

  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);

  return (
    <div
      className={classes.scroller}
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label={label}
      onKeyDown={moveBetweenRows}
    >
      <table
        className={classes.table}
        style={{ '--columns': templateOf(columns) } as CSSProperties}
        aria-rowcount={loadMore ? -1 : count + 1}
        aria-busy={rows === undefined || isFetching}
        data-stale={isFetching || undefined}
      >
        <thead>
          <tr>
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows === undefined &&
            Array.from({ length: inline ? SKELETON_ROWS.inline : SKELETON_ROWS.whole }, (_, index) => (
              <tr key={index} className={classes.skeleton}>
                {columns.map(({ id }) => (
                  <td key={id}>
                    <Skeleton height={10} width={`${40 + ((index * 17 + id.length * 13) % 45)}%`} />
                  </td>
                ))}
              </tr>
            ))}
          {above > 0 && <tr style={{ height: above }} aria-hidden />}
          {items.map((item) => {
            const row = rows?.[item.index];
            if (row === undefined) return null;
            const key = rowKey(row);
            return (
              <RecordRow
                key={key}
                row={row}
                rowIndex={item.index + 2}
                columns={columns}
                onOpen={onOpen}
                isSelected={key === selectedKey}
              />
            );
          })}
          {below > 0 && <tr style={{ height: below }} aria-hidden />}
        </tbody>
      </table>
    </div>
  );
}

/** A box in each row, and one for all rows that are loaded. */
function selectionColumn<Row>(
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

const FREE_WIDTH = 220;

/** Columns without a width share the space that is left. If there is none, all columns do, in proportion to their widths. */
function templateOf(columns: { width?: number }[]): string {
  const isFree = columns.some(({ width }) => width === undefined);
  return columns
    .map(({ width }) => {
      if (width === undefined) return `minmax(${FREE_WIDTH}px, 1fr)`;
      return isFree ? `${width}px` : `minmax(${width}px, ${width}fr)`;
    })
    .join(' ');
}

interface RecordRowProps<Row> {
  row: Row;
  rowIndex: number;
  columns: Column<Row>[];
  onOpen: ((row: Row) => void) | undefined;
  isSelected: boolean;
}

/** One row. While the table scrolls, only new rows render. */
const RecordRow = memo(function RecordRow<Row>({
  row,
  rowIndex,
  columns,
  onOpen,
  isSelected,
}: RecordRowProps<Row>) {
  return (
    <tr
      data-row
      aria-rowindex={rowIndex}
      className={classes.row}
      data-opens={onOpen !== undefined || undefined}
      data-selected={isSelected || undefined}
      tabIndex={onOpen && -1}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return;
        if (onOpen && event.key === 'Enter') onOpen(row);
        if (event.key !== ' ') return;
        event.preventDefault();
        event.currentTarget.querySelector<HTMLInputElement>('label > * input')?.click();
      }}
      onClick={(event) => {
        if (onOpen && !(event.target as Element).closest('a, button, input, label')) onOpen(row);
      }}
    >
      {columns.map(({ id, cell, align }) => (
        <td key={id} data-align={align}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}) as <Row>(props: RecordRowProps<Row>) => ReactNode;

function HeaderCell<Row>({
  column: { header, head, align, sort: name },
  sort,
  onSort,
}: {
  column: Column<Row>;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
}) {
  if (name === undefined || !onSort)
    return (
      <th scope="col" data-align={align}>
        {head ?? header}
      </th>
    );
  const direction = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : undefined;
  return (
    <th scope="col" data-align={align} aria-sort={direction ?? 'none'}>
      <UnstyledButton
        className={classes.sort}
        onClick={() => onSort(direction === 'descending' ? name : `-${name}`)}
      >
        {header}
        {direction === 'ascending' && <ArrowUp size={12} aria-hidden />}
        {direction === 'descending' && <ArrowDown size={12} aria-hidden />}
      </UnstyledButton>
    </th>
  );
}

/** The arrow keys move from row to row: to the link that opens the record, or to the row itself. */
function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' } as const;
  if (!(event.key in step)) return;
  const table = event.currentTarget;
  const current = (event.target as Element).closest('tr[data-row]');
  const next = current ? current[step[event.key as keyof typeof step]] : table.querySelector('tr[data-row]');
  const target = next?.querySelector<HTMLElement>('a') ?? next?.closest<HTMLElement>('tr[data-opens]');
  if (!target) return;
  event.preventDefault();
  target.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
