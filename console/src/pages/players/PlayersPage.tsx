import { useInfiniteQuery, type QueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useGame } from '../../app/game';
import { CopyableId } from '../../components/CopyableId';
import { DataTable, type Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { NoResults } from '../../components/NoResults';
import { FilterSelect } from '../../components/FilterSelect';
import { capitalize, formatCount, formatNumber } from '../../components/format';
import { Page } from '../../components/Page';
import { playerName } from '../../components/player-name';
import { SavedViews } from '../../components/SavedViews';
import { RelativeTime } from '../../components/RelativeTime';
import { SearchInput } from '../../components/SearchInput';
import { useSearchChange } from '../../components/use-search-change';
import { useTableRows } from '../../components/use-table-rows';
import { providerChoices, providerNames } from '../providers/provider-names';
import { MockSwitch } from '../snippets/Prerequisites';
import { SignInSnippet } from '../snippets/SignInSnippet';
import { WholeKeyNote } from '../snippets/WholeKeyNote';
import { PlayerState } from './PlayerState';
import { playersQuery, type ListedPlayer, type PlayerFilter } from './queries';

const route = getRouteApi('/app/games/$tenantId/players');

export const preload = (queryClient: QueryClient, { tenantId }: { tenantId: string }, filter: PlayerFilter) =>
  queryClient.ensureInfiniteQueryData(playersQuery(tenantId, filter));

export function PlayersPage() {
  const game = useGame();
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const players = useInfiniteQuery(playersQuery(game.id, filter));
  const change = useSearchChange<typeof filter>();

  const total = players.data?.pages[0]?.totalCount;
  const isFiltered = Object.keys(filter).some((name) => name !== 'sort');
  return (
    <Page
      title="Players"
      subtitle={
        total === undefined
          ? 'Everyone who has signed in to this game'
          : players.isPlaceholderData
            ? 'Loading…'
            : formatCount(total, 'player', isFiltered)
      }
      fill
    >
      <DataTable
        label="Players"
        columns={columns(game.id)}
        {...useTableRows(players, ({ playerId }) => playerId)}
        sort={filter.sort ?? '-lastSeenAt'}
        onSort={(sort) => change({ sort })}
        onOpen={({ playerId }) =>
          void navigate({ to: '/games/$tenantId/players/$playerId', params: { tenantId: game.id, playerId } })
        }
        toolbar={
          <>
            <SavedViews page={`players.${game.id}`} search={filter} />
            <SearchInput
              label="Name, id, provider id or email"
              value={filter.search}
              onChange={(search) => change({ search })}
            />
            <FilterSelect
              label="Provider"
              value={filter.provider}
              choices={providerChoices}
              onChange={(provider) => change({ provider })}
            />
            <FilterSelect
              label="Ban"
              value={filter.banned}
              choices={[
                { value: 'true', label: 'Banned' },
                { value: 'false', label: 'Not banned' },
              ]}
              onChange={(banned) => change({ banned })}
              width={120}
            />
            <FilterSelect
              label="Discovery"
              value={filter.hidden}
              choices={[
                { value: 'true', label: 'Hidden' },
                { value: 'false', label: 'Visible' },
              ]}
              onChange={(hidden) => change({ hidden })}
              width={120}
            />
          </>
        }
        isFiltered={isFiltered}
        noResults={
          <NoResults title="No player matches">
            Search for the beginning of a name, or for a whole id, provider id or email address.
          </NoResults>
        }
        empty={
          <EmptyState
            title="No players yet"
            next={
              <>
                <MockSwitch />
                <WholeKeyNote />
                <SignInSnippet />
              </>
            }
          >
            A player appears here after the first sign-in. Sign one in:
          </EmptyState>
        }
      />
    </Page>
  );
}

const columns = (tenantId: string): Column<ListedPlayer>[] => [
  {
    id: 'name',
    header: 'Name',
    narrowWidth: 154,
    sort: 'displayName',
    cell: (player) => (
      <Link to="/games/$tenantId/players/$playerId" params={{ tenantId, playerId: player.playerId }}>
        {playerName(player)}
      </Link>
    ),
  },
  { id: 'id', header: 'Player id', width: 140, cell: ({ playerId }) => <CopyableId id={playerId} /> },
  {
    id: 'providers',
    header: 'Signs in with',
    width: 180,
    cell: ({ authMethods }) =>
      [...new Set(authMethods.map(({ authProvider }) => providerNames[authProvider]))].join(', '),
  },
  {
    id: 'state',
    header: 'State',
    width: 110,
    narrowWidth: 100,
    cell: (player) => <PlayerState player={player} />,
  },
  {
    id: 'logins',
    header: 'Sign-ins',
    width: 100,
    align: 'right',
    cell: ({ loginCount }) => formatNumber(loginCount),
  },
  {
    id: 'firstSeen',
    header: 'First sign-in',
    width: 130,
    sort: 'firstSeenAt',
    cell: ({ firstSeenAt }) => <RelativeTime at={firstSeenAt} />,
  },
  {
    id: 'lastSeen',
    header: 'Last sign-in',
    width: 130,
    narrowWidth: 112,
    sort: 'lastSeenAt',
    cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} />,
  },
  { id: 'role', header: 'Role', width: 110, hidden: true, cell: ({ tenantRole }) => capitalize(tenantRole) },
  {
    id: 'visibility',
    header: 'Profile',
    width: 100,
    hidden: true,
    cell: ({ profileVisibility }) => capitalize(profileVisibility),
  },
];
