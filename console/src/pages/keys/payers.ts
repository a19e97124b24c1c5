import { useQuery } from '@tanstack/react-query';
import { meQuery, useWorkspaceNames } from '../../app/account';
import { useGame } from '../../app/game';
import type { AnyKey } from './queries';

export const OWN_WORKSPACE = 'The workspace of this game';

/** The workspaces that can pay for the reads of an API key of the game, and their names. */
export function usePayers() {
  const { workspaceId: own } = useGame();
  const others = useQuery(meQuery).data?.memberships.filter(({ workspaceId }) => workspaceId !== own) ?? [];
  const names = useWorkspaceNames();
  return {
    /** The payer of a key, or undefined if it is the workspace of the game. */
    of: ({ subscriberWorkspaceId: id }: AnyKey): string | undefined => (id && id !== own ? id : undefined),
    /** The workspaces that the reader can choose. */
    choices: others.filter(({ role }) => role !== 'viewer').map(({ workspaceId }) => workspaceId),
    nameOf: (id: string): string => names.get(id) ?? 'Another workspace',
  };
}
