import { Button, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { CopyableId } from '../../components/CopyableId';
import { ErrorText } from '../../components/ErrorState';
import { formatNumber } from '../../components/format';
import { Facts, Panel } from '../../components/Page';
import { RelativeTime } from '../../components/RelativeTime';
import { saveText } from '../../components/save-file';
import { deletionReceiptQuery, type DeletionReceipt } from './queries';

export const deleterNames = { player: 'The player', account: 'An administrator' };

/** The receipt of a deleted player, for platform administrators. */
export function DeletionReceiptPanel({ playerId }: { playerId: string }) {
  const { data, error } = useQuery(deletionReceiptQuery(playerId));
  return (
    <Panel title="Receipt of the deletion">
      {data ? (
        <ReceiptDetails receipt={data} />
      ) : error ? (
        <ErrorText error={error} />
      ) : (
        <Skeleton height={90} />
      )}
    </Panel>
  );
}

/** What the receipt says. It has nothing personal, so it can be handed to the person who asked for the deletion. */
export function ReceiptDetails({ receipt }: { receipt: DeletionReceipt }) {
  return (
    <Stack gap="md">
      <Facts
        facts={{
          Receipt: <CopyableId id={receipt.receiptId} />,
          'Player id': <CopyableId id={receipt.playerId} />,
          Deleted: <RelativeTime at={receipt.deletedAt} />,
          'Deleted by': deleterNames[receipt.deletedBy],
          'Removed sign-in methods': formatNumber(receipt.removedAuthMethods),
          'Erased session addresses': formatNumber(receipt.erasedSessions),
          'Destroyed keys': formatNumber(receipt.destroyedKeys),
        }}
      />
      <Button
        variant="default"
        w="fit-content"
        leftSection={<Download size={14} />}
        onClick={() =>
          saveText(
            `deletion-receipt-${receipt.receiptId}.json`,
            JSON.stringify(receipt, null, 2),
            'application/json',
          )
        }
      >
        Download the receipt
      </Button>
    </Stack>
  );
}
