import { useInfiniteQuery } from '@tanstack/react-query';
import { Drawer, Stack } from '@mantine/core';
import { useState } from 'react';
import { CopyableId } from '../../components/CopyableId';
import { DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { NoResults } from '../../components/NoResults';
import { JsonView } from '../../components/JsonView';
import { Facts } from '../../components/Page';
import { SavedViews } from '../../components/SavedViews';
import { RelativeTime } from '../../components/RelativeTime';
import { TextFilter } from '../../components/TextFilter';
import { RangeFilter } from '../../components/RangeFilter';
import { useSearchChange } from '../../components/use-search-change';
import { useTableRows } from '../../components/use-table-rows';
import { actorName, auditColumns } from './columns';
import { auditQuery, type AuditFilter, type AuditRecord, type AuditScope } from './queries';

interface AuditTableProps {
  scope: AuditScope;
  filter: AuditFilter;
}

function pageOf(scope: AuditScope): string {
  if (scope.kind === 'game') return `audit.${scope.tenantId}`;
  return scope.kind === 'workspace' ? `audit.${scope.workspaceId}` : 'audit.platform';
}

/** Who changed what: one table for a game, a workspace and the whole platform. */
export function AuditTable({ scope, filter }: AuditTableProps) {
  const records = useInfiniteQuery(auditQuery(scope, filter));
  const change = useSearchChange<AuditFilter>();
  const [open, setOpen] = useState<AuditRecord>();
  return (
    <>
      <DataTable
        label="Audit records"
        columns={auditColumns}
        {...useTableRows(records, ({ id }) => id)}
        onOpen={setOpen}
        selectedKey={open?.id}
        toolbar={
          <>
            <SavedViews page={pageOf(scope)} search={{ ...filter }} />
            <TextFilter
              label="Action, for example game_key.created"
              width={260}
              value={filter.action}
              onChange={(action) => change({ action })}
            />
            <TextFilter
              label="Author id"
              value={filter.actorId}
              onChange={(actorId) => change({ actorId })}
            />
            <TextFilter
              label="Target id"
              value={filter.targetId}
              onChange={(targetId) => change({ targetId })}
            />
            <RangeFilter value={filter.range} onChange={(range) => change({ range })} />
          </>
        }
        empty={
          Object.keys(filter).length > 0 ? (
            <NoResults title="No audit record fits the filters">
              Enter a whole action and a whole id, or choose a longer time.
            </NoResults>
          ) : (
            <EmptyState title="No audit records">
              Each change of keys, members, players and settings leaves a record here, with its author.
            </EmptyState>
          )
        }
      />
      <Drawer opened={open !== undefined} onClose={() => setOpen(undefined)} title={open?.action} size={520}>
        {open && <Details record={open} />}
      </Drawer>
    </>
  );
}

function Details({ record }: { record: AuditRecord }) {
  const id = (value: string | null) => (value === null ? '–' : <CopyableId id={value} />);
  return (
    <Stack gap="md">
      <Facts
        facts={[
          ['Time', <RelativeTime key="time" at={record.occurredAt} />],
          ['By', actorName(record.actor)],
          ['Author id', id(record.actor.id)],
          ['Target', id(record.targetId)],
          ['Game', id(record.tenantId)],
          ['Address', record.ipAddress ?? '–'],
          ['Request', id(record.requestId)],
        ]}
      />
      <JsonView value={record.details} name="Details" />
    </Stack>
  );
}
