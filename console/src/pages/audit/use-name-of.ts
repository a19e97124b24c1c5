import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { meQuery } from '../../app/account';
import { providerNames } from '../providers/provider-names';
import { usePlayerNames } from '../players/names';
import type { NameOf } from './columns';
import { namesIn, playersIn } from './names';
import type { AuditRecord } from './queries';

/** The target of a changed provider is its name in the API. */
const providers = new Map<string, string>(Object.entries(providerNames));

/** What the authors and targets of records are called. `names` has more names than the records say themselves. */
export function useNameOf(records: AuditRecord[] | undefined, names: Map<string, string>[]): NameOf {
  const said = useMemo(() => namesIn(records ?? []), [records]);
  const players = usePlayersIn(records ?? []);
  return (id) => [providers, ...names, players, said].find((some) => some.has(id))?.get(id);
}

/** What the players in the records are called. Only the members of a workspace may read the players of its games. */
function usePlayersIn(records: AuditRecord[]): Map<string, string> {
  const memberships = useQuery(meQuery).data?.memberships ?? [];
  const own = new Set(memberships.map(({ workspaceId }) => workspaceId));
  return usePlayerNames(playersIn(records.filter(({ workspaceId }) => workspaceId && own.has(workspaceId))));
}
