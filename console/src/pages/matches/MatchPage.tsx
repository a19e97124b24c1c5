import { useQuery, type QueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useGame } from '../../app/game';
import { CopyableId, ShortId } from '../../components/CopyableId';
import type { Column } from '../../components/DataTable';
import { capitalize, formatNumber } from '../../components/format';
import { NoRows } from '../../components/NoRows';
import { JsonView } from '../../components/JsonView';
import { ButtonLink, TextLink } from '../../components/links';
import { Facts, Page, Panel } from '../../components/Page';
import { RecordPage } from '../../components/RecordPage';
import { MaybeTime, RelativeTime } from '../../components/RelativeTime';
import { State } from '../../components/State';
import { TablePanel } from '../../components/TablePanel';
import { recentEventsQuery } from '../events/queries';
import { eventColumns } from '../events/columns';
import { usePlayerNames } from '../players/names';
import { MatchState } from './MatchState';
import { matchQuery, readAgainEvery, type Match } from './queries';
import { formatDuration, timeLineOf, type Moment } from './time-line';
import classes from './MatchPage.module.css';

const route = getRouteApi('/app/games/$tenantId/matches/$matchSessionId');

const matchEventsQuery = (tenantId: string, matchSessionId: string) =>
  recentEventsQuery(tenantId, { scope: 'match', matchSessionId });

export const preload = (
  queryClient: QueryClient,
  { tenantId, matchSessionId }: { tenantId: string; matchSessionId: string },
) =>
  Promise.all([
    queryClient.prefetchQuery(matchQuery(tenantId, matchSessionId)),
    queryClient.prefetchQuery(matchEventsQuery(tenantId, matchSessionId)),
  ]);

export function MatchPage() {
  const game = useGame();
  const { matchSessionId } = route.useParams();
  const match = useQuery(matchQuery(game.id, matchSessionId));
  return (
    <RecordPage
      title="Match"
      query={match}
      list={
        <ButtonLink to="/games/$tenantId/matches" params={{ tenantId: game.id }}>
          Open the matches
        </ButtonLink>
      }
    >
      {(data) => <LoadedMatch tenantId={game.id} match={data} />}
    </RecordPage>
  );
}

function LoadedMatch({ tenantId, match }: { tenantId: string; match: Match }) {
  const events = useQuery({
    ...matchEventsQuery(tenantId, match.matchSessionId),
    refetchInterval: readAgainEvery(match),
  });
  const playerNames = usePlayerNames(
    [...match.players, ...(events.data?.items ?? [])].map(({ playerId }) => ({ tenantId, playerId })),
  );
  return (
    <Page
      title={match.mode === null ? 'Match' : `Match · ${match.mode}`}
      state={<MatchState match={match} />}
      subtitle={<CopyableId id={match.matchSessionId} whole />}
    >
      <div className={classes.columns}>
        <div className={classes.stack}>
          <Panel title="Match">
            <Facts
              facts={{
                Started: <RelativeTime at={match.startedAt} />,
                Ended: <MaybeTime at={match.endedAt} />,
                Duration: match.endedAt === null ? '–' : formatDuration(match.startedAt, match.endedAt),
                Players: formatNumber(match.players.length),
              }}
            />
          </Panel>
          <TablePanel
            title="Roster"
            columns={rosterColumns(tenantId, match.endedAt !== null, playerNames)}
            rows={match.players}
            rowKey={({ matchPlayerId }) => matchPlayerId}
            empty={null}
          />
          <TablePanel
            title="Latest events"
            columns={eventColumns(playerNames).filter(({ id }) => id !== 'match')}
            rows={events.data?.items}
            rowKey={({ eventRecordId }) => eventRecordId}
            query={events}
            empty={<NoRows>No player of this match has sent a match event.</NoRows>}
          />
          <TextLink
            to="/games/$tenantId/events"
            params={{ tenantId }}
            search={{ matchSessionId: match.matchSessionId, range: 'any' }}
          >
            Open all match events
          </TextLink>
        </div>
        <div className={classes.stack}>
          <Panel title="Timeline">
            <TimeLine startedAt={match.startedAt} moments={timeLineOf(match)} playerNames={playerNames} />
          </Panel>
          <Panel title="Metadata">
            <JsonView value={match.metadata} name="Metadata" />
          </Panel>
        </div>
      </div>
    </Page>
  );
}

/** The times count from the start of the match. The exact ones show on hover (TipLayer). */
function TimeLine({
  startedAt,
  moments,
  playerNames,
}: {
  startedAt: string;
  moments: Moment[];
  playerNames: Map<string, string>;
}) {
  return (
    <ol className={classes.timeLine}>
      {moments.map(({ at, text, playerId }, index) => (
        <li key={index}>
          <span>
            {text} {playerId && <CopyableId id={playerId} name={playerNames.get(playerId)} />}
          </span>
          <time dateTime={at} tabIndex={0} className={classes.when}>
            +{formatDuration(startedAt, at)}
          </time>
        </li>
      ))}
    </ol>
  );
}

const rosterColumns = (
  tenantId: string,
  hasEnded: boolean,
  playerNames: Map<string, string>,
): Column<Match['players'][number]>[] => [
  {
    id: 'player',
    header: 'Player',
    width: 150,
    narrowWidth: 130,
    cell: ({ playerId }) => (
      <Link to="/games/$tenantId/players/$playerId" params={{ tenantId, playerId }}>
        <ShortId id={playerId} name={playerNames.get(playerId)} />
      </Link>
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: 90,
    narrowWidth: 82,
    cell: ({ leftAt }) =>
      leftAt !== null ? (
        <State>Left</State>
      ) : hasEnded ? (
        <State>Played</State>
      ) : (
        <State tone="good">Playing</State>
      ),
  },
  {
    id: 'placement',
    header: 'Place',
    width: 70,
    narrowWidth: 60,
    align: 'right',
    cell: ({ placement }) => placement ?? '–',
  },
  {
    id: 'score',
    header: 'Score',
    width: 100,
    narrowWidth: 78,
    align: 'right',
    cell: ({ score }) => (score === null ? '–' : formatNumber(score)),
  },
  {
    id: 'outcome',
    header: 'Outcome',
    width: 90,
    cell: ({ outcome }) => (outcome === null ? '–' : capitalize(outcome)),
  },
  { id: 'joined', header: 'Joined', width: 120, cell: ({ joinedAt }) => <RelativeTime at={joinedAt} /> },
];
