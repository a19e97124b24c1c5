import { Code } from '@mantine/core';
import { CopyableId } from '../../components/CopyableId';
import type { Column } from '../../components/DataTable';
import { RelativeTime } from '../../components/RelativeTime';
import type { AuditRecord } from './queries';

const ACTORS = { account: 'Account', player: 'Player', key: 'Key', system: 'System' };

/** Who did it, in words. */
export const actorName = ({ email, kind }: AuditRecord['actor']): string => email ?? ACTORS[kind];

export const auditColumns: Column<AuditRecord>[] = [
  { id: 'at', header: 'Time', width: 120, cell: ({ occurredAt }) => <RelativeTime at={occurredAt} /> },
  {
    id: 'action',
    header: 'Action',
    width: 250,
    cell: ({ action }) => (
      <Code bg="none" p={0}>
        {action}
      </Code>
    ),
  },
  {
    id: 'actor',
    header: 'By',
    width: 170,
    cell: ({ actor }) =>
      actor.email === null && actor.id !== null ? <CopyableId id={actor.id} /> : actorName(actor),
  },
  {
    id: 'target',
    header: 'Target',
    width: 140,
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

const show = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
const namedValues = (values: object): string[] =>
  Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${show(value)}`]));

/** The values of a record that was created or deleted, or the ones that changed: "name: Old → New", or "name: New" without an old one. */
function changesOf(before: unknown, after: unknown): string[] {
  const isRecord = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null;
  if (!isRecord(before) || !isRecord(after))
    return namedValues(isRecord(after) ? after : isRecord(before) ? before : {});
  return Object.entries(after).flatMap(([name, value]) => {
    if (show(before[name]) === show(value)) return [];
    return [`${name}: ${name in before ? `${show(before[name])} → ` : ''}${show(value)}`];
  });
}

/** The details on one line. The row opens all of them. */
function summarise(details: object): string {
  const { before, after, ...others } = details as Record<string, unknown>;
  const text = [...changesOf(before, after), ...namedValues(others)].join(' · ');
  return text.length > LONGEST_SUMMARY ? `${text.slice(0, LONGEST_SUMMARY)}…` : text;
}
