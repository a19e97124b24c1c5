import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { meQuery } from './account';
import { client } from './client';
import { gameQuery, gamesQuery, lastGameId, lastWorkspaceId, rememberGame } from './game';
import { GamePages, WorkspacePages } from './member-pages';
import { plainSearch, textParams } from './search-params';
import { Shell } from './shell/Shell';
import { NotFoundPage, RouteErrorPage } from './RouteErrorPage';

/**
 * Begins the requests of a page when its link is pointed at, or with the navigation, and not only after the first rendering of the
 * page. Nothing waits for them: the page shows its code and its data when they arrive, or why they could not be loaded.
 */
function begin<Params, Search>(
  page: Promise<{ preload: (queryClient: QueryClient, params: Params, search: Search) => Promise<unknown> }>,
  visit: { context: { queryClient: QueryClient }; params: Params; location: { search: Search } },
): void {
  page
    .then(({ preload }) => preload(visit.context.queryClient, visit.params, visit.location.search))
    .catch(() => {});
}

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
});

// Pages without a session

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: textParams('next', 'ended'),
  // So the page notices a sign-in in another tab, and takes no account that was signed in before for a new one.
  beforeLoad: () => client.session.load(),
  component: lazyRouteComponent(() => import('../pages/sign-in/SignInPage'), 'SignInPage'),
});

const signUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('../pages/sign-in/SignUpPage'), 'SignUpPage'),
});

const verifyEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/verify-email',
  component: lazyRouteComponent(() => import('../pages/sign-in/VerifyEmailPage'), 'VerifyEmailPage'),
});

const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset-password',
  component: lazyRouteComponent(() => import('../pages/sign-in/ResetPasswordPage'), 'ResetPasswordPage'),
});

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyRouteComponent(() => import('../pages/sign-in/InvitationPage'), 'InvitationPage'),
});

const welcomeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/welcome',
  component: lazyRouteComponent(() => import('../pages/sign-in/WelcomePage'), 'WelcomePage'),
});

// Pages of a signed-in account

const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  component: Shell,
  errorComponent: RouteErrorPage,
  beforeLoad: async ({ location }) => {
    if (!(await client.session.load())) throw redirect({ to: '/sign-in', search: { next: location.href } });
  },
  loader: ({ context }) => context.queryClient.ensureQueryData(meQuery),
});

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
  component: lazyRouteComponent(() => import('../pages/workspaces/WorkspacesPage'), 'WorkspacesPage'),
});

const gameRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/games/$tenantId',
  component: GamePages,
  errorComponent: (props) => <RouteErrorPage {...props} what="game" />,
  loader: async ({ context, params }) => {
    const game = await context.queryClient.ensureQueryData(gameQuery(params.tenantId));
    rememberGame(game);
  },
});

const overviewRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/',
  validateSearch: textParams('range'),
  loader: (visit) => begin(import('../pages/overview/OverviewPage'), visit),
  component: lazyRouteComponent(() => import('../pages/overview/OverviewPage'), 'OverviewPage'),
});

const firstRunRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/first-run',
  component: lazyRouteComponent(() => import('../pages/first-run/FirstRunPage'), 'FirstRunPage'),
});

const playersRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/players',
  validateSearch: textParams('search', 'sort', 'banned', 'hidden', 'provider'),
  loader: (visit) => begin(import('../pages/players/PlayersPage'), visit),
  component: lazyRouteComponent(() => import('../pages/players/PlayersPage'), 'PlayersPage'),
});

const playerRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/players/$playerId',
  validateSearch: textParams('tab'),
  loader: (visit) => begin(import('../pages/players/PlayerPage'), visit),
  component: lazyRouteComponent(() => import('../pages/players/PlayerPage'), 'PlayerPage'),
});

const eventsRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/events',
  validateSearch: textParams(
    'scope',
    'range',
    'from',
    'to',
    'eventKey',
    'eventValue',
    'playerId',
    'matchSessionId',
    'live',
  ),
  loader: (visit) => begin(import('../pages/events/EventsPage'), visit),
  component: lazyRouteComponent(() => import('../pages/events/EventsPage'), 'EventsPage'),
});

const definitionsRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/definitions',
  validateSearch: textParams('search', 'scope', 'inactive'),
  loader: (visit) => begin(import('../pages/definitions/DefinitionsPage'), visit),
  component: lazyRouteComponent(() => import('../pages/definitions/DefinitionsPage'), 'DefinitionsPage'),
});

const matchesRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/matches',
  validateSearch: textParams('state', 'range', 'playerId'),
  loader: (visit) => begin(import('../pages/matches/MatchesPage'), visit),
  component: lazyRouteComponent(() => import('../pages/matches/MatchesPage'), 'MatchesPage'),
});

const matchRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/matches/$matchSessionId',
  loader: (visit) => begin(import('../pages/matches/MatchPage'), visit),
  component: lazyRouteComponent(() => import('../pages/matches/MatchPage'), 'MatchPage'),
});

const walletRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/wallet',
  validateSearch: textParams('kind', 'player', 'transaction', 'entry'),
  component: lazyRouteComponent(() => import('../pages/wallet/WalletPage'), 'WalletPage'),
});

const keysRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/keys',
  validateSearch: textParams('revoked'),
  component: lazyRouteComponent(() => import('../pages/keys/KeysPage'), 'KeysPage'),
});

const providersRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/providers',
  component: lazyRouteComponent(() => import('../pages/providers/ProvidersPage'), 'ProvidersPage'),
});

const gameAuditRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/audit',
  validateSearch: textParams('action', 'actorId', 'targetId', 'range'),
  component: lazyRouteComponent(() => import('../pages/audit/GameAuditPage'), 'GameAuditPage'),
});

const gameSettingsRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('../pages/settings/GameSettingsPage'), 'GameSettingsPage'),
});

const workspaceRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/workspaces/$workspaceId',
  component: WorkspacePages,
  errorComponent: (props) => <RouteErrorPage {...props} what="workspace" />,
  loader: ({ context, params }) => context.queryClient.ensureQueryData(gamesQuery(params.workspaceId)),
});

const workspaceGamesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/workspaces/GamesPage'), 'GamesPage'),
});

const membersRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/members',
  component: lazyRouteComponent(() => import('../pages/members/MembersPage'), 'MembersPage'),
});

const usageRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/usage',
  validateSearch: textParams('range', 'groupBy'),
  component: lazyRouteComponent(() => import('../pages/usage/UsagePage'), 'UsagePage'),
});

const alertsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/alerts',
  validateSearch: textParams('type', 'tenantId', 'range'),
  component: lazyRouteComponent(() => import('../pages/alerts/AlertsPage'), 'AlertsPage'),
});

const webhooksRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/webhooks',
  loader: (visit) => begin(import('../pages/webhooks/WebhooksPage'), visit),
  component: lazyRouteComponent(() => import('../pages/webhooks/WebhooksPage'), 'WebhooksPage'),
});

const webhookRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/webhooks/$webhookId',
  validateSearch: textParams('status', 'eventType', 'range', 'delivery'),
  loader: (visit) => begin(import('../pages/webhooks/WebhookPage'), visit),
  component: lazyRouteComponent(() => import('../pages/webhooks/WebhookPage'), 'WebhookPage'),
});

const workspaceAuditRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/audit',
  validateSearch: textParams('action', 'actorId', 'targetId', 'range'),
  component: lazyRouteComponent(() => import('../pages/audit/WorkspaceAuditPage'), 'WorkspaceAuditPage'),
});

const accountRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('../pages/account/AccountPage'), 'AccountPage'),
});

const outboxRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/outbox',
  validateSearch: textParams('mail'),
  component: lazyRouteComponent(() => import('../pages/platform/OutboxPage'), 'OutboxPage'),
});

const platformAuditRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/audit',
  validateSearch: textParams('action', 'actorId', 'targetId', 'range'),
  component: lazyRouteComponent(() => import('../pages/audit/PlatformAuditPage'), 'PlatformAuditPage'),
});

const allWorkspacesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/workspaces',
  validateSearch: textParams('search'),
  component: lazyRouteComponent(() => import('../pages/platform/AllWorkspacesPage'), 'AllWorkspacesPage'),
});

const anyWorkspaceRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/workspaces/$workspaceId',
  component: lazyRouteComponent(() => import('../pages/platform/AnyWorkspacePage'), 'AnyWorkspacePage'),
});

const findPlayersRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/players',
  validateSearch: textParams('search'),
  component: lazyRouteComponent(() => import('../pages/platform/FindPlayersPage'), 'FindPlayersPage'),
});

const platformWebhooksRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/webhooks',
  loader: (visit) => begin(import('../pages/webhooks/WebhooksPage'), visit),
  component: lazyRouteComponent(() => import('../pages/webhooks/WebhooksPage'), 'WebhooksPage'),
});

const platformWebhookRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/webhooks/$webhookId',
  validateSearch: textParams('status', 'eventType', 'range', 'delivery'),
  loader: (visit) => begin(import('../pages/webhooks/WebhookPage'), visit),
  component: lazyRouteComponent(() => import('../pages/webhooks/WebhookPage'), 'WebhookPage'),
});

const deletionReceiptsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/deletion-receipts',
  component: lazyRouteComponent(
    () => import('../pages/platform/DeletionReceiptsPage'),
    'DeletionReceiptsPage',
  ),
});

const signingKeysRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/signing-keys',
  component: lazyRouteComponent(() => import('../pages/platform/SigningKeysPage'), 'SigningKeysPage'),
});

const healthRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/health',
  component: lazyRouteComponent(() => import('../pages/platform/HealthPage'), 'HealthPage'),
});

const unknownRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '$',
  component: NotFoundPage,
});

const routeTree = rootRoute.addChildren([
  signInRoute,
  signUpRoute,
  verifyEmailRoute,
  resetPasswordRoute,
  invitationRoute,
  welcomeRoute,
  appRoute.addChildren([
    indexRoute,
    workspacesRoute,
    gameRoute.addChildren([
      overviewRoute,
      firstRunRoute,
      playersRoute,
      playerRoute,
      eventsRoute,
      definitionsRoute,
      matchesRoute,
      matchRoute,
      walletRoute,
      keysRoute,
      providersRoute,
      gameAuditRoute,
      gameSettingsRoute,
    ]),
    workspaceRoute.addChildren([
      workspaceGamesRoute,
      membersRoute,
      usageRoute,
      alertsRoute,
      webhooksRoute,
      webhookRoute,
      workspaceAuditRoute,
    ]),
    accountRoute,
    allWorkspacesRoute,
    anyWorkspaceRoute,
    findPlayersRoute,
    platformWebhooksRoute,
    platformWebhookRoute,
    deletionReceiptsRoute,
    signingKeysRoute,
    healthRoute,
    outboxRoute,
    platformAuditRoute,
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
    defaultErrorComponent: RouteErrorPage,
    scrollRestoration: true,
  });
}

export type ConsoleRouter = ReturnType<typeof createConsoleRouter>;

declare module '@tanstack/react-router' {
  interface Register {
    router: ConsoleRouter;
  }
}
