import { createRoute } from '@tanstack/react-router';
import { gamesQuery } from '../game';
import { WorkspacePages } from '../member-pages';
import { RouteErrorPage } from '../RouteErrorPage';
import { textParams } from '../search-params';
import { lazyPage, preloadedPage } from './lazy-page';
import { appRoute } from './root';

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
  ...lazyPage(() => import('../../pages/workspaces/GamesPage'), 'GamesPage'),
});

const membersRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/members',
  ...lazyPage(() => import('../../pages/members/MembersPage'), 'MembersPage'),
});

const usageRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/usage',
  validateSearch: textParams('range', 'groupBy', 'tenantId', 'keyId'),
  ...lazyPage(() => import('../../pages/usage/UsagePage'), 'UsagePage'),
});

const alertsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/alerts',
  validateSearch: textParams('type', 'tenantId', 'range'),
  ...lazyPage(() => import('../../pages/alerts/AlertsPage'), 'AlertsPage'),
});

const webhooksRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/webhooks',
  ...preloadedPage(() => import('../../pages/webhooks/WebhooksPage'), 'WebhooksPage'),
});

const webhookRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/webhooks/$webhookId',
  validateSearch: textParams('status', 'eventType', 'range', 'delivery'),
  ...preloadedPage(() => import('../../pages/webhooks/WebhookPage'), 'WebhookPage'),
});

const workspaceAuditRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/audit',
  validateSearch: textParams('action', 'actorId', 'targetId', 'range', 'record'),
  ...lazyPage(() => import('../../pages/audit/WorkspaceAuditPage'), 'WorkspaceAuditPage'),
});

export const workspaceRoutes = workspaceRoute.addChildren([
  workspaceGamesRoute,
  membersRoute,
  usageRoute,
  alertsRoute,
  webhooksRoute,
  webhookRoute,
  workspaceAuditRoute,
]);
