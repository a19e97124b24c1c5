import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { linkOptions, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CopyableId } from '../../components/CopyableId';
import { JsonView } from '../../components/JsonView';
import { TextLink } from '../../components/links';
import { Facts } from '../../components/Page';
import { nameOf } from '../../components/player-name';
import { RelativeTime } from '../../components/RelativeTime';
import { definitionName } from '../definitions/definition-name';
import { playerQuery } from '../players/queries';
import type { StoredEvent } from './queries';

/** A fact that leads to the page of a record. */
const linked = (
  name: string,
  to: LinkProps,
  text = `Open the ${name.toLowerCase()}`,
): [string, ReactNode] => [
  name,
  <TextLink key={name} size="sm" {...to}>
    {text}
  </TextLink>,
];

/** One event, with links to its player and its match. */
export function EventDetails({ tenantId, event }: { tenantId: string; event: StoredEvent }) {
  const player = useQuery(playerQuery(tenantId, event.playerId)).data;
  return (
    <Stack gap="md">
      <Facts
        facts={[
          ['Event', definitionName(event)],
          ['Value', event.value === null ? '–' : String(event.value)],
          ['Occurred', <RelativeTime key="at" at={event.occurredAt} />],
          ['Received', <RelativeTime key="received" at={event.receivedAt} />],
          linked(
            'Player',
            linkOptions({
              to: '/games/$tenantId/players/$playerId',
              params: { tenantId, playerId: event.playerId },
            }),
            player && nameOf(player),
          ),
          ...(event.matchSessionId === undefined
            ? []
            : [
                linked(
                  'Match',
                  linkOptions({
                    to: '/games/$tenantId/matches/$matchSessionId',
                    params: { tenantId, matchSessionId: event.matchSessionId },
                  }),
                ),
              ]),
          ['Idempotency key', <CopyableId key="key" id={event.idempotencyKey} />],
        ]}
      />
      <JsonView value={event} name="Event" />
    </Stack>
  );
}
