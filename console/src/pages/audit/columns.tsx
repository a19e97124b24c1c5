import { CopyableId } from '../../components/CopyableId';
import type { Column } from '../../components/DataTable';
import { RelativeTime } from '../../components/RelativeTime';
import { describeAction } from './action-words';
import type { AuditRecord } from './queries';
import { summarise } from './summarise';

const ACTORS = { account: 'Account', player: 'Player', key: 'Key', system: 'Guildhall' };

/** Who did it, in words. */
export const actorName = ({ email, kind }: AuditRecord['actor']): string => email ?? ACTORS[kind];

/** What the author or target of a record is called, if that is known. */
export type NameOf = (id: string) => string | undefined;

export const Actor = ({ actor, nameOf }: { actor: AuditRecord['actor']; nameOf: NameOf }) =>
  actor.id === null ? actorName(actor) : <CopyableId id={actor.id} name={actor.email ?? nameOf(actor.id)} />;

export const Named = ({ id, nameOf }: { id: string | null; nameOf: NameOf }) =>
  id === null ? '–' : <CopyableId id={id} name={nameOf(id)} />;

/** The columns read as a sentence: what was done to which target, and by whom. */
export const auditColumns = (nameOf: NameOf): Column<AuditRecord>[] => [
  {
    id: 'at',
    header: 'Time',
    width: 120,
    narrowWidth: 92,
    cell: ({ occurredAt }) => <RelativeTime at={occurredAt} />,
  },
  {
    id: 'action',
    header: 'Action',
    width: 250,
    narrowWidth: 160,
    cell: ({ action }) => describeAction(action),
  },
  {
    id: 'target',
    header: 'Target',
    width: 190,
    narrowWidth: 114,
    cell: ({ targetId }) => <Named id={targetId} nameOf={nameOf} />,
  },
  { id: 'actor', header: 'By', width: 180, cell: ({ actor }) => <Actor actor={actor} nameOf={nameOf} /> },
  {
    id: 'details',
    header: 'Details',
    cell: ({ details, targetId }) => summarise(details, targetId === null ? undefined : nameOf(targetId)),
  },
  {
    id: 'game',
    header: 'Game',
    width: 150,
    hidden: true,
    cell: ({ tenantId }) => <Named id={tenantId} nameOf={nameOf} />,
  },
  { id: 'ip', header: 'Address', width: 140, hidden: true, cell: ({ ipAddress }) => ipAddress ?? '–' },
  {
    id: 'request',
    header: 'Request',
    width: 150,
    hidden: true,
    cell: ({ requestId }) => (requestId === null ? '–' : <CopyableId id={requestId} />),
  },
];
