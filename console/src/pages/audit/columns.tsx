import { Code } from '@mantine/core';
import { CopyableId } from '../../components/CopyableId';
import type { Column } from '../../components/DataTable';
import { RelativeTime } from '../../components/RelativeTime';
import type { AuditRecord } from './queries';

const ACTORS = { account: 'Account', player: 'Player', key: 'Key', system: 'System' };

export const auditColumns: Column<AuditRecord>[] = [
  { id: 'at', header: 'Time', width: 120, cell: ({ occurredAt }) => <RelativeTime at={occurredAt} /> },
  { id: 'action', header: 'Action', width: 220, cell: ({ action }) => <Code>{action}</Code> },
  {
    id: 'actor',
    header: 'By',
    width: 220,
    cell: ({ actor }) => actor.email ?? (actor.id ? <CopyableId id={actor.id} /> : ACTORS[actor.kind]),
  },
  {
    id: 'target',
    header: 'Target',
    width: 150,
    cell: ({ targetId }) => (targetId === null ? '–' : <CopyableId id={targetId} />),
  },
  { id: 'details', header: 'Details', cell: ({ details }) => summarise(details) },
  { id: 'ip', header: 'Address', width: 140, hidden: true, cell: ({ ipAddress }) => ipAddress ?? '–' },
  {
    id: 'request',
    header: 'Request',
    width: 150,
    hidden: true,
    cell: ({ requestId }) => (requestId === null ? '–' : <CopyableId id={requestId} />),
  },
];

const LONGEST_SUMMARY = 160;

/** The details on one line. The row opens all of them. */
function summarise(details: object): string {
  const text = Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(' · ');
  return text.length > LONGEST_SUMMARY ? `${text.slice(0, LONGEST_SUMMARY)}…` : text;
}
