import { TextLink } from '../../components/links';
import { NoRows } from '../../components/NoRows';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { CopyableId } from '../../components/CopyableId';
import { DataTable, type Column } from '../../components/DataTable';
import { MaybeTime, RelativeTime } from '../../components/RelativeTime';
import { State } from '../../components/State';
import { formatNumber } from '../../components/format';
import { useTableRows } from '../../components/use-table-rows';
import { auditQuery } from '../audit/queries';
import { auditColumns } from '../audit/columns';
import { eventColumns } from '../events/columns';
import { recentEventsQuery } from '../events/queries';
import { matchColumns } from '../matches/columns';
import { matchesQuery } from '../matches/queries';
import { ledgerProviderName, providerNames } from '../providers/provider-names';
import {
  playerBansQuery,
  playerDevicesQuery,
  playerSessionsQuery,
  type Player,
  type PlayerBan,
  type PlayerDevice,
  type PlayerPath,
  type PlayerSession,
} from './queries';

export function PlayerMethods({ player }: { player: Player }) {
  return (
    <DataTable
      inline
      label="Sign-in methods"
      columns={methodColumns}
      rows={player.authMethods}
      rowKey={({ id }) => id}
      empty={<NoRows>This player has no sign-in method in this game.</NoRows>}
    />
  );
}

const methodColumns: Column<Player['authMethods'][number]>[] = [
  {
    id: 'provider',
    header: 'Provider',
    width: 180,
    narrowWidth: 110,
    cell: ({ authProvider }) => providerNames[authProvider],
  },
  {
    id: 'id',
    header: 'Provider id',
    narrowWidth: 124,
    cell: ({ providerUserId }) => <CopyableId id={providerUserId} />,
  },
  {
    id: 'name',
    header: 'Name or address',
    narrowWidth: 132,
    cell: ({ email, username }) => email ?? username ?? '–',
  },
  {
    id: 'first',
    header: 'First used',
    width: 140,
    cell: ({ firstUsedAt }) => <RelativeTime at={firstUsedAt} />,
  },
];

export function PlayerSessions(path: PlayerPath) {
  const sessions = useInfiniteQuery(playerSessionsQuery(path));
  return (
    <DataTable
      inline
      label="Sessions"
      columns={sessionColumns}
      {...useTableRows(sessions, ({ sessionId }) => sessionId)}
      empty={<NoRows>This player has no session in this game.</NoRows>}
    />
  );
}

/** A session that was last seen earlier is expired, and matches refuse it: see docs/sessions.md. */
const SESSION_MS = 2 * 60 * 60 * 1000;

/** The reasons that this server writes. docs/sessions.md lists the causes of each. */
const END_REASONS: Partial<Record<NonNullable<PlayerSession['endReason']>, string>> = {
  user_logout: 'Logged out',
  kicked: 'Kicked',
  device_blocked: 'Device blocked',
  account_suspended: 'Banned',
};

function SessionState({ endReason, lastSeenAt }: Pick<PlayerSession, 'endReason' | 'lastSeenAt'>) {
  if (endReason !== null) return <State>{END_REASONS[endReason] ?? 'Ended'}</State>;
  if (Date.now() - Date.parse(lastSeenAt) > SESSION_MS) return <State tone="warn">Expired</State>;
  return <State tone="good">Open</State>;
}

const sessionColumns: Column<PlayerSession>[] = [
  { id: 'session', header: 'Session', width: 150, cell: ({ sessionId }) => <CopyableId id={sessionId} /> },
  {
    id: 'state',
    header: 'State',
    width: 130,
    narrowWidth: 122,
    cell: (session) => <SessionState {...session} />,
  },
  {
    id: 'platform',
    header: 'Platform',
    narrowWidth: 148,
    cell: ({ platformDisplayName }) => platformDisplayName,
  },
  {
    id: 'provider',
    header: 'Provider',
    width: 140,
    cell: ({ authProvider }) => ledgerProviderName(authProvider),
  },
  { id: 'version', header: 'Version', width: 100, cell: ({ clientVersion }) => clientVersion ?? '–' },
  { id: 'ip', header: 'Address', width: 140, cell: ({ ipAddress }) => ipAddress ?? '–' },
  {
    id: 'started',
    header: 'Started',
    width: 130,
    narrowWidth: 96,
    cell: ({ startedAt }) => <RelativeTime at={startedAt} />,
  },
  { id: 'ended', header: 'Ended', width: 130, cell: ({ endedAt }) => <MaybeTime at={endedAt} /> },
];

export function PlayerDevices(path: PlayerPath) {
  const devices = useInfiniteQuery(playerDevicesQuery(path));
  return (
    <DataTable
      inline
      label="Devices"
      columns={deviceColumns}
      {...useTableRows(devices, ({ id }) => id)}
      empty={<NoRows>The game sent no device information for this player.</NoRows>}
    />
  );
}

const deviceColumns: Column<PlayerDevice>[] = [
  {
    id: 'platform',
    header: 'Platform',
    narrowWidth: 178,
    cell: ({ platformDisplayName }) => platformDisplayName,
  },
  { id: 'model', header: 'Model', cell: ({ hardwareModel }) => hardwareModel ?? '–' },
  { id: 'os', header: 'System', width: 160, cell: ({ osVersion }) => osVersion ?? '–' },
  {
    id: 'state',
    header: 'State',
    width: 100,
    narrowWidth: 92,
    cell: ({ isBlocked }) =>
      isBlocked ? <State tone="bad">Blocked</State> : <State tone="good">Allowed</State>,
  },
  {
    id: 'logins',
    header: 'Sign-ins',
    width: 100,
    align: 'right',
    cell: ({ loginCount }) => formatNumber(loginCount),
  },
  {
    id: 'last',
    header: 'Last sign-in',
    width: 130,
    narrowWidth: 96,
    cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} />,
  },
];

export function PlayerBans(path: PlayerPath) {
  const bans = useInfiniteQuery(playerBansQuery(path));
  return (
    <DataTable
      inline
      label="Bans"
      columns={banColumns}
      {...useTableRows(bans, ({ id }) => id)}
      empty={<NoRows>This player was never banned from this game.</NoRows>}
    />
  );
}

const banColumns: Column<PlayerBan>[] = [
  { id: 'reason', header: 'Reason', narrowWidth: 130, cell: ({ reason }) => reason ?? '–' },
  { id: 'note', header: 'Note', width: 150, cell: ({ note }) => note ?? '–' },
  {
    id: 'by',
    header: 'Banned by',
    width: 160,
    narrowWidth: 140,
    cell: ({ bannedByEmail }) => bannedByEmail ?? 'A former member',
  },
  {
    id: 'at',
    header: 'Banned',
    width: 105,
    narrowWidth: 96,
    cell: ({ bannedAt }) => <RelativeTime at={bannedAt} />,
  },
  {
    id: 'until',
    header: 'Until',
    width: 110,
    cell: ({ until }) => <MaybeTime at={until} none="No end" />,
  },
  { id: 'lifted', header: 'Lifted', width: 105, cell: ({ liftedAt }) => <MaybeTime at={liftedAt} /> },
  {
    id: 'lifter',
    header: 'Lifted by',
    width: 160,
    cell: ({ liftedAt, liftedByEmail }) => (liftedAt ? (liftedByEmail ?? 'A former member') : '–'),
  },
];

/** The matches that the player was in, newest first. */
export function PlayerMatches({ tenantId, playerId }: PlayerPath) {
  const matches = useInfiniteQuery(matchesQuery(tenantId, { playerId }));
  return (
    <DataTable
      inline
      label="Matches"
      columns={matchColumns(tenantId)}
      {...useTableRows(matches, ({ matchSessionId }) => matchSessionId)}
      empty={<NoRows>This player was in no match of this game.</NoRows>}
    />
  );
}

/** The newest events. The explorer shows all of them. */
export function PlayerEvents({ tenantId, playerId }: PlayerPath) {
  const events = useQuery(recentEventsQuery(tenantId, { scope: 'player', playerId }));
  return (
    <>
      <DataTable
        inline
        label="Events"
        columns={eventColumns().filter(({ id }) => id !== 'player' && id !== 'match')}
        rows={events.data?.items}
        rowKey={({ eventRecordId }) => eventRecordId}
        error={events.error}
        retry={() => void events.refetch()}
        empty={<NoRows>This player has sent no player events.</NoRows>}
      />
      <TextLink
        mt="xs"
        display="inline-block"
        to="/games/$tenantId/events"
        params={{ tenantId }}
        search={{ scope: 'player', playerId, range: 'any' }}
      >
        Open all player events
      </TextLink>
    </>
  );
}

export function PlayerAudit({ tenantId, playerId }: PlayerPath) {
  const records = useInfiniteQuery(auditQuery({ kind: 'game', tenantId }, { targetId: playerId }));
  return (
    <DataTable
      inline
      label="Audit records"
      columns={auditColumns((id) => (id === playerId ? 'This player' : undefined)).filter(
        ({ id }) => id !== 'target',
      )}
      {...useTableRows(records, ({ id }) => id)}
      empty={<NoRows>Nobody has changed anything about this player.</NoRows>}
    />
  );
}
