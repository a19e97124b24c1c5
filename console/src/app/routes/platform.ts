import { createRoute } from '@tanstack/react-router';
import { textParams } from '../search-params';
import { lazyPage, preloadedPage } from './lazy-page';
import { appRoute } from './root';

const allWorkspacesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/workspaces',
  validateSearch: textParams('search'),
  ...lazyPage(() => import('../../pages/platform/AllWorkspacesPage'), 'AllWorkspacesPage'),
});

const anyWorkspaceRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/workspaces/$workspaceId',
  ...lazyPage(() => import('../../pages/platform/AnyWorkspacePage'), 'AnyWorkspacePage'),
});

const findPlayersRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/players',
  validateSearch: textParams('search'),
  ...lazyPage(() => import('../../pages/platform/FindPlayersPage'), 'FindPlayersPage'),
});

const platformWebhooksRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/webhooks',
  ...preloadedPage(() => import('../../pages/webhooks/WebhooksPage'), 'WebhooksPage'),
});

const platformWebhookRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/webhooks/$webhookId',
  validateSearch: textParams('status', 'eventType', 'range', 'delivery'),
  ...preloadedPage(() => import('../../pages/webhooks/WebhookPage'), 'WebhookPage'),
});

const deletionReceiptsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/deletion-receipts',
  ...lazyPage(() => import('../../pages/platform/DeletionReceiptsPage'), 'DeletionReceiptsPage'),
});

const signingKeysRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/signing-keys',
  ...lazyPage(() => import('../../pages/platform/SigningKeysPage'), 'SigningKeysPage'),
});

const healthRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/health',
  ...lazyPage(() => import('../../pages/platform/HealthPage'), 'HealthPage'),
});

const outboxRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/outbox',
  validateSearch: textParams('mail'),
  ...lazyPage(() => import('../../pages/platform/OutboxPage'), 'OutboxPage'),
});

const platformAuditRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/platform/audit',
  validateSearch: textParams('action', 'actorId', 'targetId', 'range'),
  ...lazyPage(() => import('../../pages/audit/PlatformAuditPage'), 'PlatformAuditPage'),
});

/** The pages of platform administrators. */
export const platformRoutes = [
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
];
