import { Snippets } from '../../components/Snippet';
import { useSnippetKey } from '../keys/queries';
import type { EventScope } from '../events/queries';

interface EventSnippetProps {
  scope: EventScope;
  playerId?: string | undefined;
}

/** The sending of a first event, with the address of this server and a key of the game. */
export function EventSnippet({ scope, playerId = '$PLAYER_ID' }: EventSnippetProps) {
  const gameKey = useSnippetKey();
  const { origin } = window.location;
  const isMatch = scope === 'match';
  // Two names, because auto-create makes a definition for the scope of its first event.
  const eventKey = isMatch ? 'round_won' : 'level_completed';
  const event = {
    ...(isMatch ? { matchSessionId: '$MATCH_ID', matchPlayerId: '$MATCH_PLAYER_ID' } : { playerId }),
    eventKey,
    value: 1,
    occurredAt: new Date().toISOString(),
    idempotencyKey: 'first-event',
  };
  const add = isMatch
    ? `await events.addMatchEvent({ matchSessionId, matchPlayerId, eventKey: '${eventKey}', value: 1 });`
    : `await events.addPlayerEvent({ eventKey: '${eventKey}', value: 1 });`;
  return (
    <Snippets
      name="Event"
      curl={`curl -sS ${origin}/api/game/${isMatch ? 'events' : 'player-events'} \\
  -H 'X-Game-Key: ${gameKey}' \\
  -H "Authorization: Bearer $ACCESS_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify({ events: [event] }).replaceAll(/\$\w+/g, `'"$&"'`)}'`}
      sdk={`import { createEventQueue, memoryStorage } from '@guildhall/client';

const events = createEventQueue(game, { storage: memoryStorage() });
${add}
await events.flush();`}
    />
  );
}
