import { Code } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCan, useWorkspaceNames } from '../../app/account';
import { ConfirmDialog } from '../../components/ConfirmDialog';
import { CopyableId } from '../../components/CopyableId';
import { DataTable, type Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { Panel } from '../../components/Page';
import { MaybeTime, RelativeTime } from '../../components/RelativeTime';
import { RowButton } from '../../components/RowButton';
import { useTableRows } from '../../components/use-table-rows';
import { useMemberNames } from '../members/queries';
import { paidKeysQuery, useEndPayment, type PaidKey } from './queries';

/** The API keys of other workspaces whose reads this workspace pays for. */
export function PaidKeysPanel({ workspaceId }: { workspaceId: string }) {
  const paidKeys = useInfiniteQuery(paidKeysQuery(workspaceId));
  const canEnd = useCan(workspaceId, 'admin');
  const [ending, setEnding] = useState<PaidKey>();
  return (
    <Panel title="Paid keys of other workspaces" flush>
      <DataTable
        inline
        label="Paid keys"
        columns={[
          ...useFactColumns(workspaceId),
          ...(canEnd
            ? [
                {
                  id: 'end',
                  header: 'Action',
                  isAction: true,
                  width: 116,
                  cell: (key: PaidKey) => (
                    <RowButton label={`Stop paying for ${key.name}`} onClick={() => setEnding(key)}>
                      Stop paying
                    </RowButton>
                  ),
                },
              ]
            : []),
        ]}
        {...useTableRows(paidKeys, ({ id }) => id)}
        empty={
          <EmptyState title="No paid keys">
            An API key of another workspace appears here if an owner or admin of this workspace has agreed to
            pay for its reads.
          </EmptyState>
        }
      />
      {ending && (
        <EndPaymentDialog workspaceId={workspaceId} current={ending} onClose={() => setEnding(undefined)} />
      )}
    </Panel>
  );
}

function EndPaymentDialog({
  workspaceId,
  current,
  onClose,
}: {
  workspaceId: string;
  current: PaidKey;
  onClose: () => void;
}) {
  const end = useEndPayment(workspaceId);
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Stop paying for ${current.name}`}
      verb="Stop paying"
      mutation={end}
      input={current.id}
    >
      The key of {current.tenantName} keeps working. From now on its own workspace is billed for its reads. If
      the key was rotated, this includes the old and the new key. Both teams are notified. To pay again, an
      owner or admin of this workspace must agree again.
    </ConfirmDialog>
  );
}

/** The workspace of a key is known by name only to its members. Who agreed is a member of the paying workspace. */
function useFactColumns(workspaceId: string): Column<PaidKey>[] {
  const workspaces = useWorkspaceNames();
  const members = useMemberNames(workspaceId);
  return [
    { id: 'name', header: 'Key', width: 200, narrowWidth: 124, cell: ({ name }) => name },
    {
      id: 'prefix',
      header: 'Prefix',
      width: 120,
      cell: ({ prefix }) => (
        <Code bg="none" p={0}>
          {prefix}…
        </Code>
      ),
    },
    { id: 'game', header: 'Game', width: 120, narrowWidth: 112, cell: ({ tenantName }) => tenantName },
    {
      id: 'workspace',
      header: 'Workspace',
      width: 120,
      cell: (key) => workspaces.get(key.workspaceId) ?? <CopyableId id={key.workspaceId} />,
    },
    {
      id: 'agreedBy',
      header: 'Agreed by',
      width: 140,
      narrowWidth: 130,
      cell: ({ agreedBy }) => members.get(agreedBy) ?? <CopyableId id={agreedBy} />,
    },
    { id: 'agreed', header: 'Agreed', width: 100, cell: ({ agreedAt }) => <RelativeTime at={agreedAt} /> },
    {
      id: 'expires',
      header: 'Expires',
      width: 90,
      cell: ({ expiresAt }) => <MaybeTime at={expiresAt} none="Never" />,
    },
  ];
}
