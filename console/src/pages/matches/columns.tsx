import { Link } from '@tanstack/react-router';
import { CopyableId, ShortId } from '../../components/CopyableId';
import type { Column } from '../../components/DataTable';
import { formatNumber } from '../../components/format';
import { MaybeTime, RelativeTime } from '../../components/RelativeTime';
import { MatchState } from './MatchState';
import type { ListedMatch } from './queries';

/** The columns of a list of matches. */
export const matchColumns = (tenantId: string): Column<ListedMatch>[] => [
  {
    id: 'match',
    header: 'Match',
    width: 170,
    narrowWidth: 122,
    cell: ({ matchSessionId }) => (
      <Link to="/games/$tenantId/matches/$matchSessionId" params={{ tenantId, matchSessionId }}>
        <ShortId id={matchSessionId} />
      </Link>
    ),
  },
  { id: 'mode', header: 'Mode', narrowWidth: 70, cell: ({ mode }) => mode ?? '–' },
  {
    id: 'state',
    header: 'State',
    width: 110,
    narrowWidth: 86,
    cell: (match) => <MatchState match={match} />,
  },
  {
    id: 'players',
    header: 'Players',
    width: 100,
    align: 'right',
    cell: ({ playerCount }) => formatNumber(playerCount),
  },
  {
    id: 'started',
    header: 'Started',
    width: 140,
    narrowWidth: 88,
    cell: ({ startedAt }) => <RelativeTime at={startedAt} />,
  },
  { id: 'ended', header: 'Ended', width: 140, cell: ({ endedAt }) => <MaybeTime at={endedAt} /> },
  {
    id: 'id',
    header: 'Match id',
    width: 160,
    hidden: true,
    cell: ({ matchSessionId }) => <CopyableId id={matchSessionId} />,
  },
];
