import { Button, Group, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useCanChangeGame, useGame } from '../../app/game';
import { CopyableId } from '../../components/CopyableId';
import { DataTable, type Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { ErrorText } from '../../components/ErrorState';
import { FilterSelect } from '../../components/FilterSelect';
import { formatNumber } from '../../components/format';
import { Page } from '../../components/Page';
import { RelativeTime } from '../../components/RelativeTime';
import { SearchInput } from '../../components/SearchInput';
import { State } from '../../components/State';
import { saveBlob } from '../../components/save-file';
import { DefinitionDialog } from './DefinitionDialog';
import { ImportDialog } from './ImportDialog';
import {
  definitionSettingsQuery,
  definitionsQuery,
  useChangeDefinition,
  useExportDefinitions,
  useSetAutoCreate,
  type Definition,
} from './queries';
import { useDroppedFile } from './use-dropped-file';
import classes from './DefinitionsPage.module.css';

const route = getRouteApi('/app/games/$tenantId/definitions');

export const scopeNames = { match: 'Match events', player: 'Player events', both: 'Both' };

type OpenDialog =
  | { kind: 'new' }
  | { kind: 'edit'; definition: Definition }
  | { kind: 'import'; file?: File };

export function DefinitionsPage() {
  const game = useGame();
  const { search = '', scope, inactive } = route.useSearch();
  const navigate = useNavigate({ from: '/games/$tenantId/definitions' });
  const canChange = useCanChangeGame();
  const definitions = useQuery(definitionsQuery(game.id));
  const [dialog, setDialog] = useState<OpenDialog>();
  const exporting = useExportDefinitions(game.id);
  const isDragging = useDroppedFile((file) => canChange && setDialog({ kind: 'import', file }));
  const change = (changes: {
    search?: string;
    scope?: string | undefined;
    inactive?: string | undefined;
  }): void => void navigate({ search: (before) => ({ ...before, ...changes }), replace: true });

  const shown = useMemo(
    () => definitions.data?.filter((definition) => matches(definition, { search, scope, inactive })),
    [definitions.data, search, scope, inactive],
  );
  const close = (): void => setDialog(undefined);

  return (
    <Page
      title="Definitions"
      subtitle={
        definitions.data
          ? `${formatNumber(definitions.data.length)} event definitions`
          : 'The events that this game accepts'
      }
      actions={
        <>
          <AutoCreate tenantId={game.id} canChange={canChange} />
          <Button
            variant="default"
            loading={exporting.isPending}
            onClick={() =>
              exporting.mutate(undefined, { onSuccess: (blob) => saveBlob('event-definitions.csv', blob) })
            }
          >
            Export CSV
          </Button>
          {canChange && (
            <>
              <Button variant="default" onClick={() => setDialog({ kind: 'import' })}>
                Import CSV
              </Button>
              <Button onClick={() => setDialog({ kind: 'new' })}>Create a definition</Button>
            </>
          )}
        </>
      }
      fill
    >
      {exporting.error && <ErrorText error={exporting.error} />}
      <DataTable
        label="Definitions"
        columns={columns(game.id, canChange)}
        rows={shown}
        rowKey={({ id }) => id}
        error={definitions.error}
        isFetching={definitions.isFetching && !definitions.isPending}
        retry={() => void definitions.refetch()}
        {...(canChange && { onOpen: (definition: Definition) => setDialog({ kind: 'edit', definition }) })}
        toolbar={
          <>
            <SearchInput
              label="Key, value, category or text"
              value={search}
              onChange={(next) => change({ search: next })}
            />
            <FilterSelect
              label="Scope"
              value={scope}
              choices={Object.entries(scopeNames).map(([value, label]) => ({ value, label }))}
              onChange={(next) => change({ scope: next })}
            />
            <FilterSelect
              label="State"
              value={inactive}
              choices={[
                { value: 'false', label: 'Active' },
                { value: 'true', label: 'Inactive' },
              ]}
              onChange={(next) => change({ inactive: next })}
              width={120}
            />
          </>
        }
        empty={
          <EmptyState
            title={definitions.data?.length === 0 ? 'No definitions yet' : 'No definition matches'}
            next={
              canChange &&
              definitions.data?.length === 0 && (
                <Button w="fit-content" onClick={() => setDialog({ kind: 'new' })}>
                  Create a definition
                </Button>
              )
            }
          >
            A definition names an event that the game may send, such as level_completed. With auto-create, the
            first event of a new name creates its definition. A CSV file can be dropped on this page.
          </EmptyState>
        }
      />
      {dialog?.kind === 'new' && <DefinitionDialog tenantId={game.id} onClose={close} />}
      {dialog?.kind === 'edit' && (
        <DefinitionDialog tenantId={game.id} onClose={close} current={dialog.definition} />
      )}
      {isDragging && canChange && (
        <div className={classes.drop} role="status">
          Drop the CSV file to import it
        </div>
      )}
      {dialog?.kind === 'import' && <ImportDialog tenantId={game.id} onClose={close} dropped={dialog.file} />}
    </Page>
  );
}

function matches(
  { eventKey, eventValue, eventCategory, eventDescription, eventScope, isActive }: Definition,
  filter: { search: string; scope: string | undefined; inactive: string | undefined },
): boolean {
  if (filter.scope !== undefined && eventScope !== filter.scope) return false;
  if (filter.inactive !== undefined && isActive === (filter.inactive === 'true')) return false;
  const text = filter.search.toLowerCase();
  return [eventKey, eventValue, eventCategory, eventDescription].some((part) =>
    part?.toLowerCase().includes(text),
  );
}

function AutoCreate({ tenantId, canChange }: { tenantId: string; canChange: boolean }) {
  const { data } = useQuery(definitionSettingsQuery(tenantId));
  const set = useSetAutoCreate(tenantId);
  return (
    <Group gap="xs">
      {set.error && <ErrorText error={set.error} />}
      <Switch
        label="Auto-create"
        title="The first event of a new name creates its definition."
        checked={data?.autoCreate ?? false}
        disabled={!canChange || !data}
        onChange={({ currentTarget: { checked } }) => set.mutate(checked)}
      />
    </Group>
  );
}

function ActiveSwitch({ tenantId, definition }: { tenantId: string; definition: Definition }) {
  const change = useChangeDefinition(tenantId);
  return (
    <Switch
      size="xs"
      aria-label={`${definition.eventKey}${definition.eventValue === null ? '' : ` ${definition.eventValue}`} is active`}
      checked={change.isPending ? change.variables.isActive! : definition.isActive}
      onChange={({ currentTarget: { checked } }) =>
        change.mutate({ definitionId: definition.id, isActive: checked })
      }
    />
  );
}

const columns = (tenantId: string, canChange: boolean): Column<Definition>[] => [
  { id: 'key', header: 'Event key', width: 200, cell: ({ eventKey }) => eventKey },
  { id: 'value', header: 'Event value', width: 140, cell: ({ eventValue }) => eventValue ?? '–' },
  { id: 'scope', header: 'Scope', width: 120, cell: ({ eventScope }) => scopeNames[eventScope] },
  { id: 'category', header: 'Category', width: 120, cell: ({ eventCategory }) => eventCategory ?? '–' },
  { id: 'text', header: 'Description', cell: ({ eventDescription }) => eventDescription ?? '–' },
  {
    id: 'active',
    header: 'Active',
    width: 80,
    cell: (definition) =>
      canChange ? (
        <ActiveSwitch tenantId={tenantId} definition={definition} />
      ) : definition.isActive ? (
        <State tone="good">Active</State>
      ) : (
        <State>Inactive</State>
      ),
  },
  { id: 'updated', header: 'Changed', width: 120, cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
  { id: 'id', header: 'Definition id', width: 150, hidden: true, cell: ({ id }) => <CopyableId id={id} /> },
];
