import { queryOptions, useQuery } from '@tanstack/react-query';
import { distinctNames } from '../components/format';
import { api, type Answer } from './client';

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => api.GET('/api/saas-auth/me'),
  staleTime: 60_000,
});

export type Me = Answer<'/api/saas-auth/me', 'get'>;
export type Role = Me['memberships'][number]['role'];

/** What the workspaces of the signed-in account are called, by id. */
export function useWorkspaceNames(): Map<string, string> {
  const memberships = useQuery(meQuery).data?.memberships ?? [];
  return distinctNames(memberships.map(({ workspaceId: id, workspaceName: name }) => ({ id, name })));
}

const RANK: Record<Role, number> = { viewer: 0, admin: 1, owner: 2 };

const roleIn = (me: Me | undefined, workspaceId: string | undefined): Role | undefined =>
  me?.memberships.find((membership) => membership.workspaceId === workspaceId)?.role;

/** The role of the signed-in account in the workspace. */
export function useRole(workspaceId: string | undefined): Role | undefined {
  return roleIn(useQuery(meQuery).data, workspaceId);
}

/** Whether an account has at least this role in the workspace. */
export function can(me: Me | undefined, workspaceId: string | undefined, needed: Role): boolean {
  const role = roleIn(me, workspaceId);
  return role !== undefined && RANK[role] >= RANK[needed];
}

/** The same for the signed-in account. Pages do not offer actions that the role does not allow. */
export function useCan(workspaceId: string | undefined, needed: Role): boolean {
  return can(useQuery(meQuery).data, workspaceId, needed);
}

export function useIsPlatformAdmin(): boolean {
  return useQuery(meQuery).data?.user.isPlatformAdmin ?? false;
}
