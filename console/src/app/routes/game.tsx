import { createRoute } from '@tanstack/react-router';
import { can, meQuery } from '../account';
import { gameQuery } from '../game';
import { GamePages } from '../member-pages';
import { RouteErrorPage } from '../RouteErrorPage';
import { textParams } from '../search-params';
import { lazyPage, preloadedPage } from './lazy-page';
import { appRoute } from './root';

const gameRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/games/$tenantId',
  component: GamePages,
  errorComponent: (props) => <RouteErrorPage {...props} what="game" />,
  loader: ({ context, params }) => context.queryClient.ensureQueryData(gameQuery(params.tenantId)),
});

const overviewRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/',
  validateSearch: textParams('range'),
  ...preloadedPage(() => import('../../pages/overview/OverviewPage'), 'OverviewPage'),
});

const firstRunRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/first-run',
  ...lazyPage(() => import('../../pages/first-run/FirstRunPage'), 'FirstRunPage'),
});

const playersRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/players',
  validateSearch: textParams('search', 'sort', 'banned', 'hidden', 'provider'),
  ...preloadedPage(() => import('../../pages/players/PlayersPage'), 'PlayersPage'),
});

const playerRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/players/$playerId',
  validateSearch: textParams('tab'),
  ...preloadedPage(() => import('../../pages/players/PlayerPage'), 'PlayerPage'),
});

const eventsRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/events',
  validateSearch: textParams(
    'scope',
    'range',
    'eventKey',
    'eventValue',
    'playerId',
    'matchSessionId',
    'live',
    'show',
    'event',
  ),
  ...preloadedPage(() => import('../../pages/events/EventsPage'), 'EventsPage'),
});

const rejectedEventsRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/events/rejected',
  validateSearch: textParams('group'),
  ...preloadedPage(() => import('../../pages/events/RejectedEventsPage'), 'RejectedEventsPage'),
});

const definitionsRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/definitions',
  validateSearch: textParams('search', 'scope', 'inactive'),
  ...preloadedPage(
    () => import('../../pages/definitions/DefinitionsPage'),
    'DefinitionsPage',
    async (queryClient, { tenantId }) => {
      const [me, { workspaceId }] = await Promise.all([
        queryClient.ensureQueryData(meQuery),
        queryClient.ensureQueryData(gameQuery(tenantId)),
      ]);
      return can(me, workspaceId, 'admin');
    },
  ),
});

const matchesRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/matches',
  validateSearch: textParams('state', 'range', 'playerId'),
  ...preloadedPage(() => import('../../pages/matches/MatchesPage'), 'MatchesPage'),
});

const matchRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/matches/$matchSessionId',
  ...preloadedPage(() => import('../../pages/matches/MatchPage'), 'MatchPage'),
});

const walletRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/wallet',
  validateSearch: textParams('kind', 'player', 'transaction', 'entry'),
  ...lazyPage(() => import('../../pages/wallet/WalletPage'), 'WalletPage'),
});

const keysRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/keys',
  validateSearch: textParams('revoked', 'key'),
  ...lazyPage(() => import('../../pages/keys/KeysPage'), 'KeysPage'),
});

const providersRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/providers',
  ...lazyPage(() => import('../../pages/providers/ProvidersPage'), 'ProvidersPage'),
});

const gameAuditRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/audit',
  validateSearch: textParams('action', 'actorId', 'targetId', 'range', 'record'),
  ...lazyPage(() => import('../../pages/audit/GameAuditPage'), 'GameAuditPage'),
});

const gameSettingsRoute = createRoute({
  getParentRoute: () => gameRoute,
  path: '/settings',
  ...lazyPage(() => import('../../pages/settings/GameSettingsPage'), 'GameSettingsPage'),
});

export const gameRoutes = gameRoute.addChildren([
  overviewRoute,
  firstRunRoute,
  playersRoute,
  playerRoute,
  eventsRoute,
  rejectedEventsRoute,
  definitionsRoute,
  matchesRoute,
  matchRoute,
  walletRoute,
  keysRoute,
  providersRoute,
  gameAuditRoute,
  gameSettingsRoute,
]);
