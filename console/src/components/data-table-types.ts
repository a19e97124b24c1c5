import type { ReactNode } from 'react';

export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** The head of the column, if it is more than its name. */
  head?: ReactNode;
  /** The width in pixels. The first column without a width takes the space that is left. */
  width?: number;
  /** The width in a narrow window. Columns that have one come first there. At 390 px, the width of most phones, 366 px are in view. */
  narrowWidth?: number;
  align?: 'right';
  /** The name that the server sorts by. */
  sort?: string;
  /** Whether the column is hidden until the reader chooses it. */
  hidden?: boolean;
  /** Whether the column has the buttons of a row. As the last one it stays in view while the table scrolls. */
  isAction?: boolean;
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
  retry?: (() => void) | undefined;
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
  /** What is shown if there are no rows. */
  empty: ReactNode;
  /** Whether filters are set. If not, a table without rows has no use for the toolbar. */
  isFiltered?: boolean;
  /** What is shown if the filters select no row. */
  noResults?: ReactNode;
  /** The table takes its own height instead of the rest of the page. */
  inline?: boolean;
  /** The controls above the table, beside the choice of columns. */
  toolbar?: ReactNode;
  /** What can be done with the chosen rows, and what became of it. */
  bulkActions?: ReactNode;
}
