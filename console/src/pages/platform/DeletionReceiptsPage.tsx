import { Drawer } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { CopyableId } from '../../components/CopyableId';
import { DataTable, type Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { formatNumber } from '../../components/format';
import { Page } from '../../components/Page';
import { RelativeTime } from '../../components/RelativeTime';
import { useRowPanel } from '../../components/use-panel';
import { useTableRows } from '../../components/use-table-rows';
import { deleterNames, ReceiptDetails } from './DeletionReceipt';
import { deletionReceiptsQuery, type DeletionReceipt } from './queries';

export function DeletionReceiptsPage() {
  const receipts = useInfiniteQuery(deletionReceiptsQuery);
  const table = useTableRows(receipts, ({ receiptId }) => receiptId);
  const { row: open, ...panel } = useRowPanel('receipt', table.rows, table.rowKey);
  return (
    <Page
      title="Deletion receipts"
      subtitle="Proofs that players were deleted. They contain no personal data."
      fill
    >
      <DataTable
        label="Deletion receipts"
        columns={columns}
        {...table}
        onOpen={panel.open}
        selectedKey={open?.receiptId}
        empty={
          <EmptyState title="No deletions">
            A receipt appears here when players delete their profile, or when an administrator deletes a
            player.
          </EmptyState>
        }
      />
      <Drawer opened={open !== undefined} onClose={panel.close} title="Deletion receipt" size={480}>
        {open && <ReceiptDetails receipt={open} />}
      </Drawer>
    </Page>
  );
}

const columns: Column<DeletionReceipt>[] = [
  { id: 'receipt', header: 'Receipt', width: 160, cell: ({ receiptId }) => <CopyableId id={receiptId} /> },
  {
    id: 'player',
    header: 'Player id',
    narrowWidth: 128,
    cell: ({ playerId }) => <CopyableId id={playerId} />,
  },
  {
    id: 'by',
    header: 'Deleted by',
    width: 160,
    narrowWidth: 138,
    cell: ({ deletedBy }) => deleterNames[deletedBy],
  },
  {
    id: 'methods',
    header: 'Sign-in methods',
    width: 130,
    align: 'right',
    cell: ({ removedAuthMethods }) => formatNumber(removedAuthMethods),
  },
  {
    id: 'sessions',
    header: 'Sessions',
    width: 100,
    align: 'right',
    cell: ({ erasedSessions }) => formatNumber(erasedSessions),
  },
  {
    id: 'at',
    header: 'Deleted',
    width: 130,
    narrowWidth: 100,
    cell: ({ deletedAt }) => <RelativeTime at={deletedAt} />,
  },
];
