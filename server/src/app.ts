import type { FastifyInstance } from 'fastify';
import {
  accountMailRoutes,
  accountSessionRoutes,
  ownAccountRoutes,
  secondFactorRoutes,
  totpRoutes,
} from './features/accounts/index.ts';
import { alertRoutes } from './features/alerts/index.ts';
import { assertionExchangeRoutes, assertionValidationRoutes } from './features/assertions/index.ts';
import { auditRoutes, platformAuditRoutes } from './features/audit/index.ts';
import { deviceRoutes } from './features/devices/index.ts';
import { emailCodeRoutes, emailPasswordRoutes, emailPortalRoutes } from './features/email-login/index.ts';
import { definitionSheetRoutes, eventDefinitionRoutes } from './features/event-definitions/index.ts';
import { logoutRoutes } from './features/login-sessions/index.ts';
import { outboxRoutes } from './features/mail/index.ts';
import { matchRoutes } from './features/matches/index.ts';
import { invitationRoutes, memberRoutes, ownInvitationRoutes } from './features/members/index.ts';
import { notificationRoutes } from './features/notifications/index.ts';
import { operationsRoutes } from './features/operations/index.ts';
import { playerLoginRoutes } from './features/player-login/index.ts';
import { paidKeyRoutes } from './features/paid-keys/index.ts';
import {
  authMethodRoutes,
  avatarRoutes,
  avatarUploadRoutes,
  playerDeletionRoutes,
  profileRoutes,
} from './features/player-profiles/index.ts';
import { refreshRoutes } from './features/player-tokens/index.ts';
import { portalSessionRoutes, storeAPortalRoutes } from './features/portal-login/index.ts';
import { eventIngestionRoutes, eventReadingRoutes } from './features/gameplay-events/index.ts';
import {
  bulkProfileLookupRoutes,
  profileLookupRoutes,
  publicProfileRoutes,
} from './features/profile-lookup/index.ts';
import { sessionAnalyticsRoutes } from './features/session-analytics/index.ts';
import { sessionHistoryRoutes } from './features/session-history/index.ts';
import { signInChallengeRoutes } from './features/sign-in-challenges/index.ts';
import { tenantKeyRoutes } from './features/tenant-keys/index.ts';
import { playerModerationRoutes, tenantPlayerRoutes } from './features/tenant-players/index.ts';
import { providerRoutes, tenantRoutes } from './features/tenants/index.ts';
import { usageRoutes } from './features/usage/index.ts';
import { walletLoginRoutes, walletProofRoutes } from './features/wallet-login/index.ts';
import {
  walletLedgerRoutes,
  walletPlayerRoutes,
  walletRecordingRoutes,
} from './features/wallet-recording/index.ts';
import { platformWebhookRoutes, webhookRoutes } from './features/webhooks/index.ts';
import { planRoutes, workspaceRoutes } from './features/workspaces/index.ts';
import { guardIntake } from './http/body-intake.ts';
import { countBodies } from './http/body-size.ts';
import { withCredential } from './http/credential-scope.ts';
import { credentials } from './http/credentials.ts';
import { meterRequests, type OnMischarged } from './http/metering.ts';
import { measureRequests } from './http/metrics.ts';
import { publishOpenApi } from './http/openapi.ts';
import { createHttpServer, type App, type HttpOptions } from './http/server.ts';
import { openServices, type ServiceOptions } from './services.ts';

export interface AppOptions extends ServiceOptions {
  logger: HttpOptions['logger'];
  onUndeclaredAnswer?: HttpOptions['onUndeclaredAnswer'];
  onMischarged?: OnMischarged;
}

/** The HTTP application: every feature wired together, not yet listening. Closing it releases all that it opened. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config } = options;
  const app = await createHttpServer({
    logger: options.logger,
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    ...(options.onUndeclaredAnswer && { onUndeclaredAnswer: options.onUndeclaredAnswer }),
  });
  const services = await openServices(options, app.log);
  app.addHook('onClose', () => services.close());

  const plain = app as unknown as FastifyInstance;
  await publishOpenApi(plain, '0.1.0');
  measureRequests(plain, services.metrics, config.metricsAccess);
  countBodies(plain, services.alerts.countBytes);
  guardIntake(plain);
  meterRequests(plain, services.meter, options.onMischarged);
  await plain.register(operationsRoutes(services.database, services.signer));

  const behind = credentials(services.verifiers, services.rateLimits);
  await withCredential(plain, behind.gameKey, [
    playerLoginRoutes(services),
    walletLoginRoutes(services),
    emailCodeRoutes(services),
    emailPasswordRoutes(services),
    signInChallengeRoutes(services),
    refreshRoutes(services),
    walletPlayerRoutes(services),
  ]);
  await withCredential(plain, behind.walletPlayer, [walletRecordingRoutes(services)]);
  await withCredential(plain, behind.gameKeyOrWalletPlayer, [walletLedgerRoutes(services)]);
  await withCredential(plain, behind.gameKeyAndMaybePlayer, [
    logoutRoutes(services.database),
    matchRoutes(services.database),
  ]);
  await withCredential(plain, behind.exchangeableToken, [assertionExchangeRoutes(services)]);
  await withCredential(plain, behind.assertion, [assertionValidationRoutes(services.database)]);
  await plain.register(accountSessionRoutes(services));
  await plain.register(accountMailRoutes(services));
  await plain.register(secondFactorRoutes(services));
  await plain.register(invitationRoutes(services));
  await plain.register(storeAPortalRoutes(services));
  await plain.register(emailPortalRoutes(services));
  await plain.register(walletProofRoutes(services));
  await plain.register(portalSessionRoutes(services));
  await withCredential(plain, behind.account, [
    ownAccountRoutes(services),
    totpRoutes(services),
    ownInvitationRoutes(services),
    workspaceRoutes(services.database),
    memberRoutes(services),
    tenantRoutes(services),
    providerRoutes(services),
    tenantKeyRoutes(services),
    eventDefinitionRoutes(services),
    definitionSheetRoutes(services),
    tenantPlayerRoutes(services.database),
    playerModerationRoutes(services),
    auditRoutes(services.database),
    usageRoutes(services.database),
    paidKeyRoutes(services),
    alertRoutes(services),
    notificationRoutes(services),
    webhookRoutes(services),
  ]);
  await withCredential(plain, behind.platformAdmin, [
    planRoutes(services),
    platformAuditRoutes(services.database),
    playerDeletionRoutes(services),
    outboxRoutes(services),
    platformWebhookRoutes(services),
  ]);
  await withCredential(plain, behind.gameKeyAndPlayer, [eventIngestionRoutes(services.ingestion)]);
  await withCredential(plain, behind.accountOrApiKey, [
    eventReadingRoutes(services),
    sessionAnalyticsRoutes(services.database),
  ]);
  await withCredential(plain, behind.gameKeyOrDataKey, [profileLookupRoutes(services.database)]);
  await withCredential(plain, behind.dataKey, [bulkProfileLookupRoutes(services.database)]);
  await plain.register(publicProfileRoutes(services.database));
  await withCredential(plain, behind.player, [
    deviceRoutes(services.database),
    sessionHistoryRoutes(services.database),
    profileRoutes(services),
    avatarUploadRoutes(services),
    authMethodRoutes(services),
  ]);
  await plain.register(avatarRoutes(services.avatars));

  await app.ready();
  return app;
}
