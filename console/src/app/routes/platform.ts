import type { QueryClient } from '@tanstack/react-query';
import { createRoute, redirect } from '@tanstack/react-router';
import { meQuery } from '../account';
import { PlatformPages } from '../member-pages';
import { textParams } from '../search-params';
import { lazyPage, preloadedPage } from './lazy-page';
import { appRoute } from './root';

const platformRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform',
  component: PlatformPages,
});

const isPlatformAdmin = async (queryClient: QueryClient): Promise<boolean> =>
  (await queryClient.ensureQueryData(meQuery)).user.isPlatformAdmin;

const platformIndexRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/platform/workspaces' });
  },
});

const allWorkspacesRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: '/workspaces',
  validateSearch: textParams('search'),
  ...lazyPage(() => import('../../pages/platform/AllWorkspacesPage'), 'AllWorkspacesPage'),
});

const anyWorkspaceRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: '/workspaces/$workspaceId',
  ...lazyPage(() => import('../../pages/platform/AnyWorkspacePage'), 'AnyWorkspacePage'),
});

const findPlayersRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: '/players',
  validateSearch: textParams('search'),
  ...lazyPage(() => import('../../pages/platform/FindPlayersPage'), 'FindPlayersPage'),
});

const platformWebhooksRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: '/webhooks',
  ...preloadedPage(() => import('../../pages/webhooks/WebhooksPage'), 'WebhooksPage', isPlatformAdmin),
});

const platformWebhookRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: '/webhooks/$webhookId',
  validateSearch: textParams('status', 'eventType', 'range', 'delivery'),
  ...preloadedPage(() => import('../../pages/webhooks/WebhookPage'), 'WebhookPage', isPlatformAdmin),
});

const deletionReceiptsRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: '/deletion-receipts',
  validateSearch: textParams('receipt'),
  ...lazyPage(() => import('../../pages/platform/DeletionReceiptsPage'), 'DeletionReceiptsPage'),
});

const signingKeysRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: '/signing-keys',
  ...lazyPage(() => import('../../pages/platform/SigningKeysPage'), 'SigningKeysPage'),
});

const healthRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: '/health',
  ...lazyPage(() => import('../../pages/platform/HealthPage'), 'HealthPage'),
});

const outboxRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: '/outbox',
  validateSearch: textParams('email'),
  ...lazyPage(() => import('../../pages/platform/OutboxPage'), 'OutboxPage'),
});

const platformAuditRoute = createRoute({
  getParentRoute: () => platformRoute,
  path: '/audit',
  validateSearch: textParams('action', 'actorId', 'targetId', 'range', 'record'),
  ...lazyPage(() => import('../../pages/audit/PlatformAuditPage'), 'PlatformAuditPage'),
});

/** The pages of platform administrators. */
export const platformRoutes = platformRoute.addChildren([
  platformIndexRoute,
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
]);
