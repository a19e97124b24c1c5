import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, type Answer } from './client';

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => api.GET('/api/saas-auth/me'),
  staleTime: 60_000,
});

export type Me = Answer<'/api/saas-auth/me', 'get'>;
export type Role = Me['memberships'][number]['role'];

const RANK: Record<Role, number> = { viewer: 0, admin: 1, owner: 2 };

/** The role of the signed-in account in the workspace. */
export function useRole(workspaceId: string | undefined): Role | undefined {
  const { data } = useQuery(meQuery);
  return data?.memberships.find((membership) => membership.workspaceId === workspaceId)?.role;
}

/** Whether the signed-in account has at least this role in the workspace. Pages do not offer actions that the role does not allow. */
export function useCan(workspaceId: string | undefined, needed: Role): boolean {
  const role = useRole(workspaceId);
  return role !== undefined && RANK[role] >= RANK[needed];
}

export function useIsPlatformAdmin(): boolean {
  return useQuery(meQuery).data?.user.isPlatformAdmin ?? false;
}
