import { useInfiniteQuery, type QueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useGame } from '../../app/game';
import { DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { NoResults } from '../../components/NoResults';
import { FilterSelect } from '../../components/FilterSelect';
import { Page } from '../../components/Page';
import { TextFilter } from '../../components/TextFilter';
import { RangeFilter } from '../../components/RangeFilter';
import { useSearchChange } from '../../components/use-search-change';
import { useTableRows } from '../../components/use-table-rows';
import { MatchSnippet } from '../snippets/MatchSnippet';
import { SignInLink } from '../snippets/SignInSnippet';
import { WholeKeyNote } from '../snippets/WholeKeyNote';
import { matchColumns } from './columns';
import { matchesQuery, type MatchFilter } from './queries';

const route = getRouteApi('/app/games/$tenantId/matches');

export const preload = (queryClient: QueryClient, { tenantId }: { tenantId: string }, filter: MatchFilter) =>
  queryClient.ensureInfiniteQueryData(matchesQuery(tenantId, filter));

export function MatchesPage() {
  const game = useGame();
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const matches = useInfiniteQuery(matchesQuery(game.id, filter));
  const change = useSearchChange<typeof filter>();
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Page title="Matches" subtitle="Every match that a game server has created, newest first" fill>
      <DataTable
        label="Matches"
        columns={matchColumns(game.id)}
        {...useTableRows(matches, ({ matchSessionId }) => matchSessionId)}
        onOpen={({ matchSessionId }) =>
          void navigate({
            to: '/games/$tenantId/matches/$matchSessionId',
            params: { tenantId: game.id, matchSessionId },
          })
        }
        toolbar={
          <>
            <FilterSelect
              label="State"
              value={filter.state}
              choices={[
                { value: 'running', label: 'Running' },
                { value: 'ended', label: 'Ended' },
              ]}
              onChange={(state) => change({ state })}
              width={130}
            />
            <RangeFilter value={filter.range} onChange={(range) => change({ range })} />
            <TextFilter
              label="Player id"
              value={filter.playerId}
              onChange={(playerId) => change({ playerId })}
            />
          </>
        }
        isFiltered={isFiltered}
        noResults={
          <NoResults title="No match matches the filters">
            Choose a longer time, or another state or player.
          </NoResults>
        }
        empty={
          <EmptyState
            title="No matches yet"
            next={
              <>
                <WholeKeyNote />
                <MatchSnippet />
              </>
            }
          >
            A game server creates a match for players who are signed in. Run the command of <SignInLink />{' '}
            first, in the same terminal or file. Then run this one:
          </EmptyState>
        }
      />
    </Page>
  );
}
