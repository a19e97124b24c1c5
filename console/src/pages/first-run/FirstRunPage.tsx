import { Group, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { createdKey } from '../../app/created-keys';
import { useCanChangeGame, useGame } from '../../app/game';
import { TextLink, ButtonLink } from '../../components/links';
import { Page } from '../../components/Page';
import { Pending } from '../../components/Pending';
import { playerName } from '../../components/player-name';
import { rejectedEventsQuery, type StoredEvent } from '../events/queries';
import { keysQuery, useSnippetKey } from '../keys/queries';
import type { ListedPlayer } from '../players/queries';
import { CreateKey } from '../snippets/CreateKey';
import { EventSnippet } from '../snippets/EventSnippet';
import { AutoCreateSwitch, MockSwitch } from '../snippets/Prerequisites';
import { SignInSnippet } from '../snippets/SignInSnippet';
import { firstEventQuery, firstPlayersQuery } from './queries';
import classes from './FirstRunPage.module.css';

/** Three steps that tick themselves off as they happen. */
export function FirstRunPage() {
  const game = useGame();
  const keys = useInfiniteQuery(keysQuery(game.id, 'game'));
  const players = useQuery(firstPlayersQuery(game.id));
  const event = useQuery(firstEventQuery(game.id));
  const player = players.data?.items[0];
  const page = { title: 'First steps', subtitle: `From an empty game to live events in ${game.name}` };
  const unanswered = [keys, players, event].filter(({ data }) => data === undefined);
  const query = unanswered.find(({ error }) => error) ?? unanswered[0];
  if (query)
    return (
      <Page {...page}>
        <Pending query={query} failure="The steps could not be loaded" height={480} />
      </Page>
    );
  return (
    <Page {...page}>
      <ol className={classes.steps}>
        <KeyStep hasKey={(keys.data?.pages[0]?.items.length ?? 0) > 0} />
        <PlayerStep player={player} />
        <EventStep event={event.data} playerId={player?.playerId} />
      </ol>
      <ButtonLink
        to="/games/$tenantId"
        params={{ tenantId: game.id }}
        variant={event.data ? 'filled' : 'default'}
      >
        Open the overview
      </ButtonLink>
    </Page>
  );
}

function KeyStep({ hasKey }: { hasKey: boolean }) {
  const { id: tenantId, isDemo } = useGame();
  const canChange = useCanChangeGame();
  return (
    <Step isDone={hasKey} title="Create a game key">
      <Text c="dimmed">
        {isDemo
          ? 'The terminal printed a key at the first start. A key is shown once: if it is lost, create another.'
          : 'The game sends its key with each request. The key is shown once, when you create it.'}
      </Text>
      <Group gap="xs">
        {canChange && <CreateKey isFirst={!hasKey} />}
        <ButtonLink to="/games/$tenantId/keys" params={{ tenantId }}>
          Open the keys
        </ButtonLink>
      </Group>
    </Step>
  );
}

function PlayerStep({ player }: { player: ListedPlayer | undefined }) {
  const { id: tenantId } = useGame();
  const snippetKey = useSnippetKey();
  return (
    <Step isDone={player !== undefined} title="Sign in a first player">
      {player ? (
        <Text>
          {playerName(player)} signed in.{' '}
          <TextLink
            to="/games/$tenantId/players/$playerId"
            params={{ tenantId, playerId: player.playerId }}
            inherit
            underline="always"
          >
            Open the player
          </TextLink>
        </Text>
      ) : (
        <>
          <Text c="dimmed">
            Run the command in a terminal, or the code in Node.{' '}
            {createdKey(tenantId, 'game') === undefined && (
              <>
                Replace <code>{snippetKey}</code> with your whole key.{' '}
              </>
            )}
            The sign-in appears here.
          </Text>
          <MockSwitch />
          <SignInSnippet />
        </>
      )}
    </Step>
  );
}

interface EventStepProps {
  event: StoredEvent | null | undefined;
  playerId: string | undefined;
}

function EventStep({ event, playerId }: EventStepProps) {
  const { id: tenantId } = useGame();
  return (
    <Step isDone={event != null} title="Send a first event">
      {event ? (
        <Text>
          The event {event.eventKey} arrived.{' '}
          <TextLink
            to="/games/$tenantId/events"
            params={{ tenantId }}
            search={{
              scope: event.matchSessionId === undefined ? 'player' : 'match',
              range: 'any',
              event: event.eventRecordId,
            }}
            inherit
            underline="always"
          >
            Open the event
          </TextLink>
        </Text>
      ) : (
        <>
          <Text c="dimmed">
            Run the command in the same terminal, because it uses the access token of the sign-in. Append the
            code to the sign-in code.
          </Text>
          <RejectedNotice />
          <AutoCreateSwitch />
          <EventSnippet scope="player" playerId={playerId} />
        </>
      )}
    </Step>
  );
}

/** A game that ignores the answers does not know that its events are refused. */
function RejectedNotice() {
  const { id: tenantId } = useGame();
  const { data } = useQuery(rejectedEventsQuery(tenantId));
  if (!data?.items.length) return null;
  return (
    <Text>
      The game has sent events, but all were refused.{' '}
      <TextLink to="/games/$tenantId/events/rejected" params={{ tenantId }} inherit underline="always">
        See the reasons
      </TextLink>
    </Text>
  );
}

function Step({ isDone, title, children }: { isDone: boolean; title: string; children: ReactNode }) {
  return (
    <li className={classes.step} data-done={isDone || undefined}>
      <span className={classes.mark}>{isDone && <Check size={14} aria-label="Done" />}</span>
      <div className={classes.body}>
        <h2>{title}</h2>
        {children}
      </div>
    </li>
  );
}
