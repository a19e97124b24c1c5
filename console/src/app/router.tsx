import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { meQuery } from './account';
import { gamesQuery, lastGameId, lastWorkspaceId } from './game';
import { NotFoundPage, RouteErrorPage } from './RouteErrorPage';
import { gameRoutes } from './routes/game';
import { lazyPage } from './routes/lazy-page';
import { platformRoutes } from './routes/platform';
import { appRoute, rootRoute } from './routes/root';
import { signInRoutes } from './routes/sign-in';
import { workspaceRoutes } from './routes/workspace';
import { PageSkeleton } from '../components/PageSkeleton';
import { plainSearch } from './search-params';

/** Opens the game of the last visit, or the first one. An account without a game goes to its workspaces. */
const indexRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  loader: async ({ context: { queryClient } }) => {
    const { memberships } = await queryClient.ensureQueryData(meQuery);
    const last = lastWorkspaceId();
    const workspace = memberships.find(({ workspaceId }) => workspaceId === last) ?? memberships[0];
    if (!workspace) throw redirect({ to: '/workspaces' });
    const { items } = await queryClient.ensureQueryData(gamesQuery(workspace.workspaceId));
    const game = items.find(({ id }) => id === lastGameId(workspace.workspaceId)) ?? items[0];
    if (!game) throw redirect({ to: '/workspaces/$workspaceId', params: workspace });
    throw redirect({ to: '/games/$tenantId', params: { tenantId: game.id } });
  },
});

const workspacesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/workspaces',
  ...lazyPage(() => import('../pages/workspaces/WorkspacesPage'), 'WorkspacesPage'),
});

const accountRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/account',
  ...lazyPage(() => import('../pages/account/AccountPage'), 'AccountPage'),
});

const unknownRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '$',
  component: NotFoundPage,
});

const routeTree = rootRoute.addChildren([
  ...signInRoutes,
  appRoute.addChildren([
    indexRoute,
    workspacesRoute,
    gameRoutes,
    workspaceRoutes,
    accountRoute,
    platformRoutes,
    unknownRoute,
  ]),
]);

export function createConsoleRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    ...plainSearch,
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultPendingComponent: () => <PageSkeleton title="Loading…" />,
    // Longer, the old page would look like that of the new URL.
    defaultPendingMs: 300,
    defaultPendingMinMs: 200,
    defaultErrorComponent: RouteErrorPage,
    scrollRestoration: true,
    // Another game or player is another page: nothing that was shown or typed stays.
    defaultRemountDeps: ({ params }) => params,
  });
}

export type ConsoleRouter = ReturnType<typeof createConsoleRouter>;

declare module '@tanstack/react-router' {
  interface Register {
    router: ConsoleRouter;
  }
}
