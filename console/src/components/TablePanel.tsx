import type { ReactNode } from 'react';
import { DataTable, type DataTableProps } from './DataTable';
import { Panel } from './Page';

/** A part of a page that is one short table, with the state of the request that reads it. */
export function TablePanel<Row>({
  title,
  actions,
  query,
  ...table
}: Omit<DataTableProps<Row>, 'label' | 'inline' | 'error' | 'retry'> & {
  title: string;
  /** The name of the table, if it differs from the title. */
  label?: string;
  actions?: ReactNode;
  query: { error: unknown; refetch: () => Promise<unknown> };
}) {
  return (
    <Panel title={title} flush actions={actions}>
      <DataTable inline label={title} error={query.error} retry={() => void query.refetch()} {...table} />
    </Panel>
  );
}
