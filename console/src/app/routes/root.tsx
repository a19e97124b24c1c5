import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { meQuery } from '../account';
import { client } from '../client';
import { RouteErrorPage } from '../RouteErrorPage';
import { Shell, ShellSkeleton } from '../shell/Shell';

export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
});

/** The parent of all pages of a signed-in account. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  component: Shell,
  pendingComponent: ShellSkeleton,
  errorComponent: RouteErrorPage,
  beforeLoad: async ({ location }) => {
    if (!(await client.session.load())) throw redirect({ to: '/sign-in', search: { next: location.href } });
  },
  loader: ({ context }) => context.queryClient.ensureQueryData(meQuery),
});
