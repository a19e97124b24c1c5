import type { QueryClient } from '@tanstack/react-query';
import { meQuery } from './account';
import { client } from './client';
import { dropCreatedKeys } from './created-keys';
import { dropDraftsOfOthers, keepDrafts } from './drafts';
import type { ConsoleRouter } from './router';

/**
 * Leaves the pages of an account as soon as its session ends: here, in another tab of this browser, or on the server. The sign-in page
 * says so, and leads back to the same page.
 */
export function leaveAtSessionEnd(router: ConsoleRouter, queryClient: QueryClient): void {
  let accountId: string | undefined;
  client.session.subscribe((account) => {
    const before = accountId;
    accountId = account?.id;
    if (accountId !== undefined) dropDraftsOfOthers(accountId);
    if (before !== undefined && accountId !== before) void leave(router, queryClient);
  });
}

/** Opens the sign-in page, and removes all data of the account from memory but what was typed. */
export async function leave(router: ConsoleRouter, queryClient: QueryClient): Promise<void> {
  dropCreatedKeys();
  const { matches, location } = router.state;
  const isLeaving = location.pathname === '/sign-in';
  if (!isLeaving && matches.every(({ routeId }) => routeId !== '/app')) {
    // A page without a session, such as that of an invitation, still shows what it has read.
    queryClient.removeQueries({ type: 'inactive' });
    return;
  }
  if (!isLeaving) {
    const account = queryClient.getQueryData(meQuery.queryKey)?.user;
    if (account) keepDrafts(account.id);
    await router.navigate({
      to: '/sign-in',
      search: { next: location.href, ended: 'true' },
      replace: true,
      ignoreBlocker: true,
    });
  }
  queryClient.clear();
}
