import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { meQuery } from '../../app/account';
import { gamesQuery } from '../../app/game';
import { Pending } from '../../components/Pending';
import { NoRows } from '../../components/NoRows';
import { CopyableId } from '../../components/CopyableId';
import { DataTable, type Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { capitalize, formatNumber } from '../../components/format';
import { Facts, Page, Panel } from '../../components/Page';
import { playerName } from '../../components/player-name';
import { MaybeTime, RelativeTime } from '../../components/RelativeTime';
import { SearchInput } from '../../components/SearchInput';
import { State } from '../../components/State';
import { useSearchChange } from '../../components/use-search-change';
import { DeletePlayerDialog } from '../players/PlayerDialogs';
import { providerNames } from '../providers/provider-names';
import { DeletionReceiptPanel } from './DeletionReceipt';
import classes from './FindPlayersPage.module.css';
import { findPlayersQuery, type FoundPlayer } from './queries';

const route = getRouteApi('/app/platform/players');

export function FindPlayersPage() {
  const { search } = route.useSearch();
  const change = useSearchChange<{ search: string | undefined }>();
  return (
    <Page title="Find a player" subtitle="Find a person in all games, for example to answer a data request">
      <Panel>
        <Stack gap="xs" align="flex-start">
          <SearchInput
            label="Player id, email address or id at a provider"
            value={search}
            onChange={(next) => change({ search: next })}
            onEnterOnly
            width={420}
          />
          <Text c="dimmed" maw={720}>
            Type a whole player id, email address, wallet address or id at a store, and press Enter. Names are
            not searched, because many players share one. Each search leaves an audit record.
          </Text>
        </Stack>
      </Panel>
      {search !== undefined && <Results search={search} />}
    </Page>
  );
}

function Results({ search }: { search: string }) {
  const query = useQuery(findPlayersQuery(search));
  const change = useSearchChange<{ search: string | undefined }>();
  const { data } = query;
  if (!data) return <Pending query={query} failure="The search failed" height={220} />;
  if (data.items.length === 0)
    return (
      <Panel flush>
        <EmptyState title="Nobody has this id or address">
          Check it for mistakes. Ids of Mock and of wallet tokens belong to one studio: search for them in the
          players of its game.
        </EmptyState>
      </Panel>
    );
  return data.items.map((player) => (
    <Fragment key={player.id}>
      <PlayerPanel
        player={player}
        // The address no longer finds the player. The id does, and shows the receipt.
        onDeleted={() => (player.id === search ? void query.refetch() : change({ search: player.id }))}
      />
      {!player.isActive && <DeletionReceiptPanel playerId={player.id} />}
    </Fragment>
  ));
}

function PlayerPanel({ player, onDeleted }: { player: FoundPlayer; onDeleted: () => void }) {
  const [isDeleting, deleting] = useDisclosure();
  const name = playerName({ ...player, playerId: player.id });
  const games = useOwnGames();
  return (
    <Panel
      title={name}
      actions={
        player.isActive && (
          <Button variant="default" c="var(--gh-bad)" onClick={deleting.open}>
            Delete the player
          </Button>
        )
      }
      flush
    >
      <div className={classes.facts}>
        <Facts
          facts={{
            'Player id': <CopyableId id={player.id} />,
            Email: player.email ?? '–',
            State: player.isActive ? <State tone="good">Active</State> : <State>Deleted</State>,
            Created: <RelativeTime at={player.createdAt} />,
            'Merged profiles': formatNumber(player.mergedProfileIds.length),
            'Profile visibility': capitalize(player.profileVisibility),
          }}
        />
      </div>
      <DataTable
        inline
        label={`Sign-in methods of ${name}`}
        columns={methodColumns}
        rows={player.authMethods}
        rowKey={({ id }) => id}
        empty={<NoRows>No sign-in method.</NoRows>}
      />
      <DataTable
        inline
        label={`Games of ${name}`}
        columns={gameColumns(player.id, games)}
        rows={player.tenantAccess}
        rowKey={({ tenantId }) => tenantId}
        empty={<NoRows>This player has not signed in to a game.</NoRows>}
      />
      {isDeleting && (
        <DeletePlayerDialog
          playerId={player.id}
          name={name}
          onClose={deleting.close}
          onDone={() => {
            deleting.close();
            onDeleted();
          }}
        />
      )}
    </Panel>
  );
}

const methodColumns: Column<FoundPlayer['authMethods'][number]>[] = [
  {
    id: 'provider',
    header: 'Signs in with',
    width: 180,
    narrowWidth: 116,
    cell: ({ authProvider }) => providerNames[authProvider],
  },
  {
    id: 'id',
    header: 'Provider id',
    width: 180,
    cell: ({ providerUserId }) => <CopyableId id={providerUserId} />,
  },
  {
    id: 'name',
    header: 'Name or address',
    narrowWidth: 156,
    cell: ({ email, username }) => email ?? username ?? '–',
  },
  {
    id: 'used',
    header: 'Last used',
    width: 130,
    narrowWidth: 94,
    cell: ({ lastUsedAt }) => <MaybeTime at={lastUsedAt} />,
  },
];

/** What the games of the reader's own workspaces are called, by id. */
function useOwnGames(): Map<string, string> {
  const memberships = useQuery(meQuery).data?.memberships ?? [];
  return useQueries({
    queries: memberships.map(({ workspaceId }) => gamesQuery(workspaceId)),
    combine: (answers) =>
      new Map(answers.flatMap(({ data }) => data?.items.map(({ id, name }) => [id, name] as const) ?? [])),
  });
}

const gameColumns = (
  playerId: string,
  games: Map<string, string>,
): Column<FoundPlayer['tenantAccess'][number]>[] => [
  {
    id: 'game',
    header: 'Game',
    width: 180,
    narrowWidth: 126,
    cell: ({ tenantId }) => {
      const name = games.get(tenantId);
      return name === undefined ? (
        <CopyableId id={tenantId} />
      ) : (
        <Link to="/games/$tenantId/players/$playerId" params={{ tenantId, playerId }}>
          {name}
        </Link>
      );
    },
  },
  { id: 'role', header: 'Role', narrowWidth: 72, cell: ({ tenantRole }) => capitalize(tenantRole) },
  {
    id: 'logins',
    header: 'Sign-ins',
    width: 100,
    narrowWidth: 76,
    align: 'right',
    cell: ({ loginCount }) => formatNumber(loginCount),
  },
  {
    id: 'first',
    header: 'First sign-in',
    width: 130,
    cell: ({ firstSeenAt }) => <RelativeTime at={firstSeenAt} />,
  },
  {
    id: 'last',
    header: 'Last sign-in',
    width: 130,
    narrowWidth: 92,
    cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} />,
  },
];
