import { Button, Group, Switch } from '@mantine/core';
import { useInfiniteQuery, useQuery, type QueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useCanChangeGame, useGame } from '../../app/game';
import { NotAllowedPage } from '../../app/RouteErrorPage';
import { CopyableId } from '../../components/CopyableId';
import { DataTable, type Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { NoResults } from '../../components/NoResults';
import { ErrorText } from '../../components/ErrorState';
import { FilterSelect } from '../../components/FilterSelect';
import { formatCount } from '../../components/format';
import { Page } from '../../components/Page';
import { RelativeTime } from '../../components/RelativeTime';
import { SearchInput } from '../../components/SearchInput';
import { useSearchChange } from '../../components/use-search-change';
import { useTableRows } from '../../components/use-table-rows';
import { startDownload } from '../../components/downloads';
import { definitionName } from './definition-name';
import { CreateDefinitionDialog, EditDefinitionDialog } from './DefinitionDialogs';
import { ImportDialog } from './ImportDialog';
import {
  definitionSettingsQuery,
  definitionsQuery,
  requestExport,
  scopeChoices,
  scopeNames,
  useSetActive,
  useSetAutoCreate,
  type Definition,
  type DefinitionFilter,
} from './queries';
import { useDroppedFile } from './use-dropped-file';
import classes from './DefinitionsPage.module.css';

const route = getRouteApi('/app/games/$tenantId/definitions');

export const preload = (
  queryClient: QueryClient,
  { tenantId }: { tenantId: string },
  filter: DefinitionFilter,
) =>
  Promise.all([
    queryClient.ensureInfiniteQueryData(definitionsQuery(tenantId, filter)),
    queryClient.prefetchQuery(definitionSettingsQuery(tenantId)),
  ]);

type OpenDialog =
  | { kind: 'new' }
  | { kind: 'edit'; definition: Definition }
  | { kind: 'import'; file: File | undefined };

export function DefinitionsPage() {
  if (useCanChangeGame()) return <Definitions />;
  return (
    <NotAllowedPage>
      Only owners and admins of the workspace see the definitions of its games. You are a viewer. An owner or
      admin can change your role.
    </NotAllowedPage>
  );
}

function Definitions() {
  const game = useGame();
  const filter = route.useSearch();
  const definitions = useInfiniteQuery(definitionsQuery(game.id, filter));
  const [dialog, setDialog] = useState<OpenDialog>();
  const setActive = useSetActive(game.id);
  const importFile = (file?: File): void => setDialog({ kind: 'import', file });
  // A dialog that is open decides itself: a definition that is being typed would be lost.
  const isDragging = useDroppedFile(dialog === undefined ? importFile : undefined);
  const change = useSearchChange<typeof filter>();
  const total = definitions.data?.pages[0]?.totalCount;
  const isFiltered = Object.keys(filter).length > 0;
  const close = (): void => setDialog(undefined);

  return (
    <Page
      title="Definitions"
      subtitle={
        total === undefined
          ? 'The events that this game accepts'
          : definitions.isPlaceholderData
            ? 'Loading…'
            : formatCount(total, 'event definition', isFiltered)
      }
      actions={
        <>
          <AutoCreate tenantId={game.id} />
          <Button
            variant="default"
            onClick={() => startDownload('event-definitions.csv', (signal) => requestExport(game.id, signal))}
          >
            Export CSV
          </Button>
          <Button variant="default" onClick={() => importFile()}>
            Import CSV
          </Button>
          <Button onClick={() => setDialog({ kind: 'new' })}>Create a definition</Button>
        </>
      }
      fill
    >
      {setActive.error && <ErrorText error={setActive.error} />}
      <DataTable
        label="Definitions"
        columns={columns(setActive.mutate)}
        {...useTableRows(definitions, ({ id }) => id)}
        onOpen={(definition) => setDialog({ kind: 'edit', definition })}
        toolbar={
          <>
            <SearchInput
              label="Key, value, category or text"
              value={filter.search}
              onChange={(search) => change({ search })}
            />
            <FilterSelect
              label="Scope"
              value={filter.scope}
              choices={scopeChoices}
              onChange={(scope) => change({ scope })}
            />
            <FilterSelect
              label="State"
              value={filter.inactive}
              choices={[
                { value: 'false', label: 'Active' },
                { value: 'true', label: 'Inactive' },
              ]}
              onChange={(inactive) => change({ inactive })}
              width={120}
            />
          </>
        }
        isFiltered={isFiltered}
        noResults={
          <NoResults title="No definition matches">
            Search for a part of a key, value, category or description.
          </NoResults>
        }
        empty={
          <EmptyState
            title="No definitions yet"
            next={
              <Button w="fit-content" onClick={() => setDialog({ kind: 'new' })}>
                Create a definition
              </Button>
            }
          >
            A definition names an event that the game may send, such as level_completed. With auto-create, the
            first event of a new name creates its definition. A CSV file can be dropped on this page.
          </EmptyState>
        }
      />
      {dialog?.kind === 'new' && <CreateDefinitionDialog tenantId={game.id} onClose={close} />}
      {dialog?.kind === 'edit' && (
        <EditDefinitionDialog tenantId={game.id} onClose={close} current={dialog.definition} />
      )}
      {isDragging && (
        <div className={classes.drop} role="status">
          Drop the CSV file to import it
        </div>
      )}
      {dialog?.kind === 'import' && <ImportDialog tenantId={game.id} onClose={close} dropped={dialog.file} />}
    </Page>
  );
}

function AutoCreate({ tenantId }: { tenantId: string }) {
  const { data, error, refetch } = useQuery(definitionSettingsQuery(tenantId));
  const set = useSetAutoCreate(tenantId);
  const failure = set.error ?? error;
  return (
    <Group gap="xs">
      {failure && <ErrorText error={failure} />}
      {error && !data && (
        <Button
          variant="default"
          aria-label="Try again to read the state of auto-create"
          onClick={() => void refetch()}
        >
          Try again
        </Button>
      )}
      <Switch
        label="Auto-create"
        title="The first event of a new name creates its definition."
        checked={data?.autoCreate ?? false}
        disabled={!data}
        onChange={({ currentTarget: { checked } }) => set.mutate(checked)}
      />
    </Group>
  );
}

const columns = (
  setActive: (change: { definitionId: string; isActive: boolean }) => void,
): Column<Definition>[] => [
  { id: 'key', header: 'Event key', width: 190, narrowWidth: 122, cell: ({ eventKey }) => eventKey },
  {
    id: 'value',
    header: 'Event value',
    width: 170,
    narrowWidth: 90,
    cell: ({ eventValue }) => eventValue ?? '–',
  },
  {
    id: 'scope',
    header: 'Scope',
    width: 120,
    narrowWidth: 100,
    cell: ({ eventScope }) => scopeNames[eventScope],
  },
  { id: 'category', header: 'Category', width: 110, cell: ({ eventCategory }) => eventCategory ?? '–' },
  { id: 'text', header: 'Description', cell: ({ eventDescription }) => eventDescription ?? '–' },
  {
    id: 'active',
    header: 'Active',
    width: 80,
    narrowWidth: 54,
    cell: (definition) => (
      <Switch
        size="xs"
        aria-label={`${definitionName(definition)} is active`}
        checked={definition.isActive}
        onChange={({ currentTarget: { checked } }) =>
          setActive({ definitionId: definition.id, isActive: checked })
        }
      />
    ),
  },
  { id: 'updated', header: 'Changed', width: 120, cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
  { id: 'id', header: 'Definition id', width: 150, hidden: true, cell: ({ id }) => <CopyableId id={id} /> },
];
