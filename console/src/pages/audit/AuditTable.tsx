import { useInfiniteQuery } from '@tanstack/react-query';
import { Drawer, Stack } from '@mantine/core';
import { CopyableId } from '../../components/CopyableId';
import { DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { FilterSelect } from '../../components/FilterSelect';
import { choicesOf, LOCALE } from '../../components/format';
import { NoResults } from '../../components/NoResults';
import { JsonView } from '../../components/JsonView';
import { Facts } from '../../components/Page';
import { SavedViews } from '../../components/SavedViews';
import { RelativeTime } from '../../components/RelativeTime';
import { TextFilter } from '../../components/TextFilter';
import { RangeFilter } from '../../components/RangeFilter';
import { useRowPanel } from '../../components/use-panel';
import { useSearchChange } from '../../components/use-search-change';
import { useTableRows } from '../../components/use-table-rows';
import { actionWords, describeAction } from './action-words';
import { Actor, auditColumns, Named, type NameOf } from './columns';
import { auditQuery, type AuditFilter, type AuditRecord, type AuditScope } from './queries';
import { useNameOf } from './use-name-of';

interface AuditTableProps {
  scope: AuditScope;
  /** The filters and the open record of the URL. */
  search: AuditFilter & { record?: string };
  /** What authors and targets are called, by id, beside what the records say themselves. */
  names?: Map<string, string>[];
}

function pageOf(scope: AuditScope): string {
  if (scope.kind === 'game') return `audit.${scope.tenantId}`;
  return scope.kind === 'workspace' ? `audit.${scope.workspaceId}` : 'audit.platform';
}

/** Who changed what: one table for a game, a workspace and the whole platform. */
export function AuditTable({ scope, search: { record: _, ...filter }, names = [] }: AuditTableProps) {
  const records = useInfiniteQuery(auditQuery(scope, filter));
  const change = useSearchChange<AuditFilter>();
  const table = useTableRows(records, ({ id }) => id);
  const nameOf = useNameOf(table.rows, names);
  const panel = useRowPanel('record', table.rows, table.rowKey);
  return (
    <>
      <DataTable
        label="Audit records"
        columns={auditColumns(nameOf).filter(({ id }) => scope.kind !== 'game' || id !== 'game')}
        {...table}
        onOpen={panel.open}
        selectedKey={panel.row?.id}
        toolbar={
          <>
            <SavedViews page={pageOf(scope)} search={{ ...filter }} />
            <FilterSelect
              label="Action"
              searchable
              width={260}
              value={filter.action}
              choices={choicesWith(filter.action)}
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
        isFiltered={Object.keys(filter).length > 0}
        noResults={
          <NoResults title="No audit record matches the filters">
            Choose another action, enter a whole id, or choose a longer time.
          </NoResults>
        }
        empty={
          <EmptyState title="No audit records">
            Each change of keys, members, players and settings leaves a record here, with its author.
          </EmptyState>
        }
      />
      <Drawer
        opened={panel.row !== undefined}
        onClose={panel.close}
        title={panel.row && describeAction(panel.row.action)}
        size={520}
      >
        {panel.row && <Details record={panel.row} nameOf={nameOf} />}
      </Drawer>
    </>
  );
}

const choices = choicesOf(Object.entries(actionWords)).toSorted((one, other) =>
  one.label.localeCompare(other.label, LOCALE),
);

/** The URL can name an action that is newer than this page. */
const choicesWith = (action: string | undefined) =>
  action === undefined || Object.hasOwn(actionWords, action)
    ? choices
    : [...choices, { value: action, label: describeAction(action) }];

function Details({ record, nameOf }: { record: AuditRecord; nameOf: NameOf }) {
  return (
    <Stack gap="md">
      <Facts
        facts={{
          Time: <RelativeTime at={record.occurredAt} />,
          By: <Actor actor={record.actor} nameOf={nameOf} />,
          Action: <CopyableId id={record.action} whole />,
          Target: <Named id={record.targetId} nameOf={nameOf} />,
          Game: <Named id={record.tenantId} nameOf={nameOf} />,
          Address: record.ipAddress ?? '–',
          Request: record.requestId === null ? '–' : <CopyableId id={record.requestId} />,
        }}
      />
      <JsonView value={record.details} name="Details" />
    </Stack>
  );
}
