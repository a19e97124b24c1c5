import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { api, type Answer } from '../../app/client';
import { byOffset, LARGEST_PAGE } from '../../components/paging';
import type { Role } from '../../app/account';
import { useChange } from '../../app/use-change';

export type Member = Answer<'/api/workspaces/{workspaceId}/members', 'get'>['items'][number];

export const membersQuery = (workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: ['members', workspaceId],
    queryFn: ({ pageParam: offset, signal }) =>
      api.GET('/api/workspaces/{workspaceId}/members', {
        params: { path: { workspaceId }, query: { limit: LARGEST_PAGE, offset } },
        signal,
      }),
    ...byOffset,
  });

/** The email addresses of the members, by their ids. */
export function useMemberNames(workspaceId: string): Map<string, string> {
  const { data } = useInfiniteQuery(membersQuery(workspaceId));
  const members = data?.pages.flatMap(({ items }) => items) ?? [];
  return new Map(members.flatMap(({ userId, email }) => (userId ? [[userId, email]] : [])));
}

const outdatedIn = (workspaceId: string) => ({ keys: [['members', workspaceId], ['me']] });

export const useInvite = (workspaceId: string) =>
  useChange(outdatedIn(workspaceId), (body: { email: string; role: Role }) =>
    api.POST('/api/workspaces/{workspaceId}/members', { params: { path: { workspaceId } }, body }),
  );

export const useChangeRole = (workspaceId: string) =>
  useChange(outdatedIn(workspaceId), ({ userId, role }: { userId: string; role: Role }) =>
    api.PATCH('/api/workspaces/{workspaceId}/members/{userId}', {
      params: { path: { workspaceId, userId } },
      body: { role },
    }),
  );

const removeMember = (workspaceId: string, userId: string) =>
  api.DELETE('/api/workspaces/{workspaceId}/members/{userId}', { params: { path: { workspaceId, userId } } });

/** Removes a member, or withdraws an invitation. */
export const useRemove = (workspaceId: string) =>
  useChange(outdatedIn(workspaceId), async ({ userId, invitationId }: Member) => {
    if (userId !== null) await removeMember(workspaceId, userId);
    else if (invitationId !== null)
      await api.DELETE('/api/workspaces/{workspaceId}/invitations/{invitationId}', {
        params: { path: { workspaceId, invitationId } },
      });
  });

/** Leaves the workspace, and then its pages before they notice that the account is no member any more. */
export const useLeave = (workspaceId: string, leavePages: () => Promise<void>) =>
  useChange({ keys: [['me']] }, async (userId: string) => {
    await removeMember(workspaceId, userId);
    await leavePages();
  });
