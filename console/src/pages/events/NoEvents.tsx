import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCanChangeGame } from '../../app/game';
import { EmptyState } from '../../components/EmptyState';
import { NoResults } from '../../components/NoResults';
import { TextLink } from '../../components/links';
import { isInterval } from '../../components/range';
import { definitionsQuery } from '../definitions/queries';
import { AutoCreateSwitch } from '../first-run/Prerequisites';
import { WholeKeyNote } from '../first-run/WholeKeyNote';
import { SignInLink } from '../players/SignInSnippet';
import { EventSnippet } from './EventSnippet';
import { leavesOut, type EventFilter, type EventRange } from './queries';

const route = getRouteApi('/app/games/$tenantId/events');

/** What the page shows without an event: what to do next. */
export function NoEvents({
  tenantId,
  filter,
  range,
}: {
  tenantId: string;
  filter: EventFilter;
  range: EventRange;
}) {
  const { scope } = filter;
  const search = route.useSearch();
  const keep = { scope, live: search.live, show: search.show };
  if (leavesOut(filter, range))
    return (
      <NoResults
        title="No event matches the filters"
        keep={isInterval(range) ? keep : { ...keep, range: search.range }}
      >
        Enter a whole key, value or id, or choose a longer time.
      </NoResults>
    );
  return (
    <EmptyState
      title="No events in this time range"
      next={
        <>
          <NewGameSwitch tenantId={tenantId} />
          <WholeKeyNote />
          <EventSnippet tenantId={tenantId} scope={scope} />
        </>
      }
    >
      Events appear here as soon as the game sends them. Run the{' '}
      {scope === 'match' ? (
        <>
          commands of <SignInLink tenantId={tenantId} /> and of{' '}
          <TextLink to="/games/$tenantId/matches" params={{ tenantId }} inherit underline="always">
            Matches
          </TextLink>
        </>
      ) : (
        <>
          command of <SignInLink tenantId={tenantId} />
        </>
      )}{' '}
      first, in the same terminal or file. Then run this one:
    </EmptyState>
  );
}

/** A game with definitions has auto-create off for a reason, even in an hour without events. */
function NewGameSwitch({ tenantId }: { tenantId: string }) {
  const canChange = useCanChangeGame();
  const { data } = useInfiniteQuery({ ...definitionsQuery(tenantId, {}), enabled: canChange });
  return data?.pages[0]?.totalCount === 0 && <AutoCreateSwitch tenantId={tenantId} />;
}
