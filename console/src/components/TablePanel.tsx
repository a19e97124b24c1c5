import type { ReactNode } from 'react';
import { DataTable, type DataTableProps } from './DataTable';
import { Panel } from './Page';

type TablePanelProps<Row> = Omit<DataTableProps<Row>, 'label' | 'inline'> & {
  actions?: ReactNode;
  /** The request for the rows. A list has `error` and `retry` of useTableRows instead. */
  query?: { error: unknown; refetch: () => Promise<unknown> };
  // The label is the name of the table, if it differs from the title. Without a title, the page has one table.
} & ({ title: string; label?: string } | { title?: never; label: string });

/** A part of a page that is one short table, with the state of the request that reads it. */
export function TablePanel<Row>({ title, label = title!, actions, query, ...table }: TablePanelProps<Row>) {
  return (
    <Panel title={title} flush actions={actions}>
      <DataTable
        inline
        label={label}
        error={query?.error}
        retry={query && (() => void query.refetch())}
        {...table}
      />
    </Panel>
  );
}
