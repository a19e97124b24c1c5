import { CopyableId } from '../../components/CopyableId';
import type { Column } from '../../components/DataTable';
import { ClockTime } from '../../components/RelativeTime';
import { formatNumber } from '../../components/format';
import { definitionName } from '../definitions/definition-name';
import type { StoredEvent } from './queries';

/** The columns of a list of events. Players without a known name are shown by their ids. */
export const eventColumns = (playerNames = new Map<string, string>()): Column<StoredEvent>[] => [
  {
    id: 'at',
    header: 'Occurred',
    width: 164,
    narrowWidth: 98,
    cell: ({ occurredAt }) => <ClockTime at={occurredAt} />,
  },
  { id: 'event', header: 'Event', narrowWidth: 116, cell: definitionName },
  {
    id: 'value',
    header: 'Value',
    width: 120,
    narrowWidth: 56,
    align: 'right',
    cell: ({ value }) => (value === null ? '–' : formatNumber(value)),
  },
  {
    id: 'player',
    header: 'Player',
    width: 150,
    narrowWidth: 96,
    cell: ({ playerId }) => <CopyableId id={playerId} name={playerNames.get(playerId)} />,
  },
  {
    id: 'match',
    header: 'Match',
    width: 150,
    cell: ({ matchSessionId }) => (matchSessionId === undefined ? '–' : <CopyableId id={matchSessionId} />),
  },
  {
    id: 'received',
    header: 'Received',
    width: 164,
    hidden: true,
    cell: ({ receivedAt }) => <ClockTime at={receivedAt} />,
  },
  {
    id: 'key',
    header: 'Idempotency key',
    width: 180,
    hidden: true,
    cell: ({ idempotencyKey }) => <CopyableId id={idempotencyKey} />,
  },
];
