import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CopyableId } from '../../components/CopyableId';
import { JsonView } from '../../components/JsonView';
import { TextLink } from '../../components/links';
import { Facts } from '../../components/Page';
import { playerName } from '../../components/player-name';
import { RelativeTime } from '../../components/RelativeTime';
import { definitionName } from '../definitions/definition-name';
import { playerQuery } from '../players/queries';
import type { StoredEvent } from './queries';

/** One event, with links to its player and its match. */
export function EventDetails({ tenantId, event }: { tenantId: string; event: StoredEvent }) {
  const player = useQuery(playerQuery(tenantId, event.playerId)).data;
  return (
    <Stack gap="md">
      <Facts
        facts={{
          Event: definitionName(event),
          Value: event.value === null ? '–' : String(event.value),
          Occurred: <RelativeTime at={event.occurredAt} />,
          Received: <RelativeTime at={event.receivedAt} />,
          Player: (
            <TextLink to="/games/$tenantId/players/$playerId" params={{ tenantId, playerId: event.playerId }}>
              {player ? playerName(player) : 'Open the player'}
            </TextLink>
          ),
          ...(event.matchSessionId !== undefined && {
            Match: (
              <TextLink
                to="/games/$tenantId/matches/$matchSessionId"
                params={{ tenantId, matchSessionId: event.matchSessionId }}
              >
                Open the match
              </TextLink>
            ),
          }),
          'Idempotency key': <CopyableId id={event.idempotencyKey} />,
        }}
      />
      <JsonView value={event} name="Event" />
    </Stack>
  );
}
