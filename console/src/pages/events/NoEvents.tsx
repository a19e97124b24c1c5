import { Button, Group, Text, type GroupProps } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCanChangeGame, useGame } from '../../app/game';
import { EmptyState } from '../../components/EmptyState';
import { formatCount } from '../../components/format';
import { NoResults } from '../../components/NoResults';
import { TextLink } from '../../components/links';
import { isInterval } from '../../components/range';
import { useSearchChange } from '../../components/use-search-change';
import { definitionsQuery } from '../definitions/queries';
import { EventSnippet } from '../snippets/EventSnippet';
import { AutoCreateSwitch } from '../snippets/Prerequisites';
import { SignInLink } from '../snippets/SignInSnippet';
import { WholeKeyNote } from '../snippets/WholeKeyNote';
import { eventsQuery, leavesOut, type EventFilter, type EventRange } from './queries';

const route = getRouteApi('/app/games/$tenantId/events');

interface NoEventsProps {
  filter: EventFilter;
  range: EventRange;
}

/** What the page shows without an event: what to do next. */
export function NoEvents({ filter, range }: NoEventsProps) {
  const { id: tenantId } = useGame();
  const { scope } = filter;
  const search = route.useSearch();
  const keep = { scope, live: search.live, show: search.show };
  if (leavesOut(filter, range))
    return (
      <NoResults
        title="No event matches the filters"
        keep={isInterval(range) ? keep : { ...keep, range: search.range }}
        // Player events have no match.
        next={filter.matchSessionId === undefined && <ShowScope scope={otherScope(filter)} />}
      >
        Enter a whole key, value or id, or choose a longer time.
      </NoResults>
    );
  return (
    <>
      <OtherScope filter={filter} range={range} px="var(--gh-inset)" mt="md" />
      <EmptyState
        title="No events in this time range"
        next={
          <>
            <NewGameSwitch />
            <WholeKeyNote />
            <EventSnippet scope={scope} />
          </>
        }
      >
        Events appear here as soon as the game sends them. Run the{' '}
        {scope === 'match' ? (
          <>
            commands of <SignInLink /> and of{' '}
            <TextLink to="/games/$tenantId/matches" params={{ tenantId }} inherit underline="always">
              Matches
            </TextLink>
          </>
        ) : (
          <>
            command of <SignInLink />
          </>
        )}{' '}
        first, in the same terminal or file. Then run this one:
      </EmptyState>
    </>
  );
}

const otherScope = ({ scope }: EventFilter) => (scope === 'match' ? 'player' : 'match');

/** The number of events of the other scope, if there are some, and a button that shows them. */
function OtherScope({ filter, range, ...space }: NoEventsProps & Pick<GroupProps, 'px' | 'mt'>) {
  const { id } = useGame();
  const scope = otherScope(filter);
  const { data, isPlaceholderData } = useInfiniteQuery(eventsQuery(id, { ...filter, scope }, range));
  const page = isPlaceholderData ? undefined : data?.pages[0];
  if (!page?.items.length) return null;
  const count = formatCount(page.items.length, `${scope} event`);
  return (
    <Group gap="xs" {...space}>
      <Text>{page.hasMore ? `More than ${count}` : count} in this time range.</Text>
      <ShowScope scope={scope} />
    </Group>
  );
}

function ShowScope({ scope }: { scope: EventFilter['scope'] }) {
  const change = useSearchChange<{ scope: string }>();
  return (
    <Button variant="default" onClick={() => change({ scope })}>
      Show {scope} events
    </Button>
  );
}

/** A game with definitions has auto-create off for a reason, even in an hour without events. */
function NewGameSwitch() {
  const { id } = useGame();
  const canChange = useCanChangeGame();
  const { data } = useInfiniteQuery({ ...definitionsQuery(id, {}), enabled: canChange });
  return data?.pages[0]?.totalCount === 0 && <AutoCreateSwitch />;
}
