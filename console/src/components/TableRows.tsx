import { Skeleton, UnstyledButton } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import {
  memo,
  useEffect,
  useEffectEvent,
  useRef,
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';
import type { Column, DataTableProps } from './data-table-types';
import classes from './DataTable.module.css';
import { TimesAreTabStops } from './RelativeTime';

const ROW_HEIGHT = 36;
/** A short table on a page with others moves less when its rows arrive. */
const SKELETON_ROWS = { inline: 3, whole: 8 };

/** The heads of the columns, and the rows that are in view. */
export function TableRows<Row>({
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
}: Omit<DataTableProps<Row>, 'empty'>) {
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

  // A link can lead to a row that is out of view.
  const isLoaded = rows !== undefined;
  const showSelected = useEffectEvent(() => {
    const index = rows?.findIndex((row) => rowKey(row) === selectedKey) ?? -1;
    if (selectedKey !== undefined && index >= 0) virtual.scrollToIndex(index);
  });
  useEffect(() => showSelected(), [isLoaded, selectedKey]);

  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);

  return (
    <div
      className={classes.scroller}
      style={pinnedWidths(columns)}
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label={label}
      onKeyDown={moveFocus}
    >
      <table
        className={classes.table}
        style={{ '--columns': templateOf(columns) } as CSSProperties}
        data-selects={selects(columns) || undefined}
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
                {columns.map(({ id, align }) => (
                  <td key={id} data-align={align}>
                    <Skeleton height={10} width={`${40 + ((index * 17 + id.length * 13) % 45)}%`} />
                  </td>
                ))}
              </tr>
            ))}
          {above > 0 && <tr style={{ height: above }} aria-hidden />}
          <TimesAreTabStops value={false}>
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
          </TimesAreTabStops>
          {below > 0 && <tr style={{ height: below }} aria-hidden />}
        </tbody>
      </table>
    </div>
  );
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

type Sized = Pick<Column<never>, 'id' | 'width' | 'isAction'>;

const selects = (columns: Sized[]): boolean => columns[0]?.id === 'selection';

/** The widths of the columns that stay in view while the table scrolls: the first one, also beside boxes, and that of the buttons. */
function pinnedWidths(columns: Sized[]): CSSProperties {
  const widths = columns.map(({ width = FREE_WIDTH }) => width);
  const boxes = selects(columns) ? widths.shift()! : 0;
  return {
    '--boxes': `${boxes}px`,
    '--pinned-start': `${boxes + widths[0]!}px`,
    '--pinned-end': `${columns.at(-1)!.isAction ? widths.at(-1)! : 0}px`,
  } as CSSProperties;
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
        if (event.target !== event.currentTarget && !(event.target instanceof HTMLTableCellElement)) return;
        if (onOpen && event.key === 'Enter') onOpen(row);
        if (event.key !== ' ') return;
        event.preventDefault();
        event.currentTarget.querySelector<HTMLInputElement>('label > * input')?.click();
      }}
      onClick={(event) => {
        if (onOpen && isPlainClick(event)) onOpen(row);
      }}
    >
      {columns.map(({ id, cell, align, isAction }) => (
        <td key={id} data-align={align} data-action={isAction}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}) as <Row>(props: RecordRowProps<Row>) => ReactNode;

/** Not the click of a control in the row, the end of a selection of text, or a click that opens links in a new tab. */
function isPlainClick({ target, ctrlKey, metaKey, shiftKey }: MouseEvent): boolean {
  if (ctrlKey || metaKey || shiftKey || getSelection()?.isCollapsed === false) return false;
  return !(target as Element).closest('a, button, input, label');
}

function HeaderCell<Row>({
  column: { header, head, align, isAction, sort: name },
  sort,
  onSort,
}: {
  column: Column<Row>;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
}) {
  if (name === undefined || !onSort)
    return (
      <th scope="col" data-align={align} data-action={isAction}>
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

/** The arrow keys move from row to row, and from cell to cell of the row that has the focus. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  // A select has used the key itself.
  if (event.defaultPrevented) return;
  const target = nextFocus(event.key, event.target as Element, event.currentTarget);
  if (!target) return;
  event.preventDefault();
  target.focus();
  target.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

function nextFocus(key: string, from: Element, table: Element): HTMLElement | undefined {
  const row = from.closest('tr[data-row]');
  const cell = from.closest('td');
  switch (key) {
    case 'ArrowDown':
      return focusInRow(row ? row.nextElementSibling : table.querySelector('tr[data-row]'), from);
    case 'ArrowUp':
      return focusInRow(row?.previousElementSibling, from);
    case 'ArrowRight':
      return focusInCell(cell ? cell.nextElementSibling : row?.firstElementChild);
    case 'ArrowLeft':
      return focusInCell(cell?.previousElementSibling);
  }
}

/** The cell below or above a cell. From elsewhere: the link that opens the record, the row that does, or the first cell. */
function focusInRow(row: Element | null | undefined, from: Element): HTMLElement | undefined {
  if (!(row instanceof HTMLTableRowElement) || !row.matches('[data-row]')) return;
  if (from instanceof HTMLTableCellElement) return focusInCell(row.cells[from.cellIndex]);
  return row.querySelector('a') ?? (row.matches('[data-opens]') ? row : focusInCell(row.cells[0]));
}

/** The control of a cell, or else the cell itself, so that its tip shows. */
function focusInCell(cell: Element | null | undefined): HTMLElement | undefined {
  if (!(cell instanceof HTMLTableCellElement)) return;
  const control = cell.querySelector<HTMLElement>('a, button, input');
  if (!control) cell.tabIndex = -1;
  return control ?? cell;
}
