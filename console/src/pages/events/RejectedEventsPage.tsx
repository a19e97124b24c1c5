import { Button, Drawer, Stack, Text } from '@mantine/core';
import { useQuery, type QueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanChangeGame, useGame } from '../../app/game';
import { CopyableId } from '../../components/CopyableId';
import { DataTable, type Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { formatNumber } from '../../components/format';
import { ButtonLink } from '../../components/links';
import { Facts, Page } from '../../components/Page';
import { RelativeTime } from '../../components/RelativeTime';
import { useRowPanel } from '../../components/use-panel';
import { CreateDefinitionDialog } from '../definitions/DefinitionDialogs';
import { definitionName } from '../definitions/definition-name';
import { scopeNames } from '../definitions/queries';
import { useKeyNames } from '../usage/queries';
import { UsedUpNotice } from '../usage/UsedUpNotice';
import { rejectedEventsQuery, type RejectedEventGroup } from './queries';

export const preload = (queryClient: QueryClient, { tenantId }: { tenantId: string }): Promise<unknown> =>
  queryClient.ensureQueryData(rejectedEventsQuery(tenantId));

/** Why the server refused events of a game. */
export function RejectedEventsPage() {
  const game = useGame();
  const groups = useQuery(rejectedEventsQuery(game.id));
  const { row: open, ...panel } = useRowPanel('group', groups.data?.items, rowKey);
  const [missing, setMissing] = useState<RejectedEventGroup>();
  return (
    <Page
      title="Rejected events"
      subtitle="Events of the last 8 days that the server refused. Requests with a wrong key or on a used-up plan are not listed."
      actions={
        <ButtonLink to="/games/$tenantId/events" params={{ tenantId: game.id }}>
          Stored events
        </ButtonLink>
      }
      fill
    >
      <UsedUpNotice />
      <DataTable
        label="Rejected events"
        columns={columns}
        rows={groups.data?.items}
        rowKey={rowKey}
        error={groups.error}
        retry={() => void groups.refetch()}
        onOpen={panel.open}
        selectedKey={open?.id}
        empty={
          <EmptyState title="No event was refused">
            An event is refused if a field is wrong, or if it has no usable definition. The game gets the
            reason in the answer to its request. It appears here after some seconds, even if the game ignores
            the answer.
          </EmptyState>
        }
      />
      <Drawer opened={open !== undefined} onClose={panel.close} title="Rejected events" size={480}>
        {open && <GroupDetails group={open} onCreate={() => setMissing(open)} />}
      </Drawer>
      {/* Not in the panel: the back button closes the panel, and would discard what was typed. */}
      {missing && (
        <CreateDefinitionDialog
          tenantId={game.id}
          event={{
            eventKey: missing.eventKey ?? '',
            eventValue: missing.eventValue ?? '',
            eventScope: missing.scope,
          }}
          onClose={() => setMissing(undefined)}
        />
      )}
    </Page>
  );
}

const rowKey = ({ id }: RejectedEventGroup): string => id;

/** The key and value of the events, or the id of a definition that does not exist. */
const nameOf = ({ eventKey, eventValue, eventDefinitionId }: RejectedEventGroup): string =>
  eventKey === null ? (eventDefinitionId ?? '–') : definitionName({ eventKey, eventValue });

const columns: Column<RejectedEventGroup>[] = [
  {
    id: 'last',
    header: 'Last seen',
    width: 120,
    narrowWidth: 92,
    cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} />,
  },
  { id: 'event', header: 'Event', width: 200, cell: nameOf },
  { id: 'reason', header: 'Why they were refused', narrowWidth: 190, cell: ({ error }) => error },
  { id: 'scope', header: 'Scope', width: 110, cell: ({ scope }) => scopeNames[scope] },
  { id: 'status', header: 'Status', width: 70, align: 'right', cell: ({ statusCode }) => statusCode },
  {
    id: 'count',
    header: 'Events',
    width: 90,
    narrowWidth: 64,
    align: 'right',
    cell: ({ count }) => formatNumber(count),
  },
];

interface GroupDetailsProps {
  group: RejectedEventGroup;
  onCreate: () => void;
}

function GroupDetails({ group, onCreate }: GroupDetailsProps) {
  const game = useGame();
  const keyNames = useKeyNames(game.workspaceId);
  const { lastIdempotencyKey, lastKeyId } = group;
  return (
    <Stack gap="md">
      <Text>{group.error}</Text>
      <NextStep group={group} onCreate={onCreate} />
      <Facts
        facts={{
          Event: nameOf(group),
          Scope: scopeNames[group.scope],
          Status: group.statusCode,
          Events: formatNumber(group.count),
          'First seen': <RelativeTime at={group.firstSeenAt} />,
          'Last seen': <RelativeTime at={group.lastSeenAt} />,
          'Last idempotency key': lastIdempotencyKey === null ? '–' : <CopyableId id={lastIdempotencyKey} />,
          'Last game key': <CopyableId id={lastKeyId} name={keyNames.get(lastKeyId)} />,
        }}
      />
    </Stack>
  );
}

/** What an owner or admin can do about a definition. */
function NextStep({ group: { statusCode, eventKey }, onCreate }: GroupDetailsProps) {
  const { id: tenantId } = useGame();
  if (!useCanChangeGame() || eventKey === null) return null;
  if (statusCode === 409)
    return (
      <ButtonLink to="/games/$tenantId/definitions" params={{ tenantId }} search={{ search: eventKey }}>
        Open the definition
      </ButtonLink>
    );
  if (statusCode !== 422) return null;
  return (
    <Button w="fit-content" onClick={onCreate}>
      Create the definition
    </Button>
  );
}
