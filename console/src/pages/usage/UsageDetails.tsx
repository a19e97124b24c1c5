import { Button, SegmentedControl, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { CopyableId, ShortId } from '../../components/CopyableId';
import { toCsv } from '../../components/csv';
import type { Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { formatBytes, formatNumber } from '../../components/format';
import { saveText } from '../../components/save-file';
import { TablePanel } from '../../components/TablePanel';
import type { Grouping, UsageItem, UsageReport } from './queries';

export const GROUPINGS: { value: Grouping; label: string }[] = [
  { value: 'day', label: 'By day' },
  { value: 'key', label: 'By key' },
  { value: 'tenant', label: 'By game' },
];

/** The most keys or games in a report of the server. */
const MOST_ROWS = 1_000;

interface UsageDetailsProps {
  groupBy: Grouping;
  onGroup: (groupBy: Grouping) => void;
  report: UseQueryResult<UsageReport>;
  /** The names by id. */
  games: Map<string, string>;
  keys: Map<string, string>;
}

/** The used units by day, game or key. The CSV file has the rows that are shown. */
export function UsageDetails({ groupBy, onGroup, report, games, keys }: UsageDetailsProps) {
  const { data, isPlaceholderData } = report;
  return (
    <TablePanel
      title="Usage"
      actions={
        <>
          {groupBy !== 'day' && data?.items.length === MOST_ROWS && (
            <Text c="dimmed">The {formatNumber(MOST_ROWS)} with the most units</Text>
          )}
          <SegmentedControl<Grouping>
            size="xs"
            aria-label="Group by"
            data={GROUPINGS}
            value={groupBy}
            onChange={onGroup}
          />
          <Button
            variant="default"
            leftSection={<Download size={14} />}
            // Until the answer is here, the rows are those of the filter before.
            disabled={isPlaceholderData || !data?.items.length}
            onClick={() => data && saveReport(data)}
          >
            Download CSV
          </Button>
        </>
      }
      columns={columnsOf(groupBy, games, keys)}
      // The newest day first.
      rows={groupBy === 'day' ? data?.items.toReversed() : data?.items}
      rowKey={({ day, tenantId, keyId }) => [day, tenantId, keyId].join(' ')}
      query={report}
      isFetching={isPlaceholderData}
      empty={<EmptyState title="No usage">No request on a key was accepted during this time.</EmptyState>}
    />
  );
}

/** `to` is the first day after the report. The name of the file has its last day. */
function saveReport({ groupBy, from, to, items }: UsageReport): void {
  const last = new Date(Date.parse(to) - DAY_MS).toISOString().slice(0, 10);
  saveText(
    `usage-by-${groupBy}-${from}-to-${last}.csv`,
    toCsv([...CSV_NAMES[groupBy], 'units', 'bytesIn', 'bytesOut'], items),
    'text/csv',
  );
}

const DAY_MS = 86_400_000;

/** What a row is about. */
const CSV_NAMES: Record<Grouping, (keyof UsageItem)[]> = {
  day: ['day'],
  tenant: ['tenantName', 'tenantId'],
  key: ['keyName', 'keyKind', 'keyId', 'tenantName', 'tenantId'],
};

const amounts: Column<UsageItem>[] = [
  {
    id: 'units',
    header: 'Units',
    width: 140,
    narrowWidth: 104,
    align: 'right',
    cell: ({ units }) => formatNumber(units),
  },
  {
    id: 'in',
    header: 'Received',
    width: 140,
    narrowWidth: 96,
    align: 'right',
    cell: ({ bytesIn }) => formatBytes(bytesIn),
  },
  { id: 'out', header: 'Sent', width: 140, align: 'right', cell: ({ bytesOut }) => formatBytes(bytesOut) },
];

/** A game leads to the keys that used its units, and a key to its days. */
function columnsOf(
  groupBy: Grouping,
  games: Map<string, string>,
  keys: Map<string, string>,
): Column<UsageItem>[] {
  switch (groupBy) {
    case 'day':
      return [{ id: 'day', header: 'Day (UTC)', narrowWidth: 150, cell: ({ day }) => day }, ...amounts];
    case 'tenant':
      return [
        {
          id: 'game',
          header: 'Game',
          narrowWidth: 150,
          cell: ({ tenantId }) => (
            <Link
              from="/workspaces/$workspaceId/usage"
              to="."
              search={(before) => ({ ...before, tenantId, groupBy: 'key' })}
            >
              <ShortId id={tenantId!} name={games.get(tenantId!)} />
            </Link>
          ),
        },
        ...amounts,
      ];
    case 'key':
      return [
        {
          id: 'key',
          header: 'Key',
          narrowWidth: 150,
          cell: ({ tenantId, keyId }) => (
            <Link
              from="/workspaces/$workspaceId/usage"
              to="."
              search={(before) => ({ ...before, tenantId, keyId, groupBy: 'day' })}
            >
              <ShortId id={keyId!} name={keys.get(keyId!)} />
            </Link>
          ),
        },
        {
          id: 'kind',
          header: 'Kind',
          width: 100,
          cell: ({ keyKind }) => (keyKind === 'game' ? 'Game key' : 'API key'),
        },
        {
          id: 'game',
          header: 'Game',
          width: 180,
          cell: ({ tenantId }) => <CopyableId id={tenantId!} name={games.get(tenantId!)} />,
        },
        ...amounts,
      ];
  }
}
