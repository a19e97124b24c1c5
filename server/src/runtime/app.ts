import type { FastifyInstance } from 'fastify';
import {
  accountMailRoutes,
  accountSessionRoutes,
  ownAccountRoutes,
  secondFactorRoutes,
  totpRoutes,
} from '../features/studio/accounts/index.ts';
import { alertRoutes } from '../features/traffic/alerts/index.ts';
import { assertionExchangeRoutes, assertionValidationRoutes } from '../features/sign-in/assertions/index.ts';
import { auditRoutes, platformAuditRoutes } from '../features/platform/audit/index.ts';
import { deviceRoutes } from '../features/players/devices/index.ts';
import { emailCodeRoutes, emailPasswordRoutes, emailPortalRoutes } from '../features/sign-in/email/index.ts';
import { definitionCsvRoutes, eventDefinitionRoutes } from '../features/gameplay/event-definitions/index.ts';
import { logoutRoutes } from '../features/sign-in/sessions/index.ts';
import { outboxRoutes } from '../features/messages/mail/index.ts';
import { matchRoutes } from '../features/gameplay/matches/index.ts';
import { invitationRoutes, memberRoutes, ownInvitationRoutes } from '../features/studio/members/index.ts';
import { notificationRoutes } from '../features/messages/notifications/index.ts';
import { operationsRoutes } from '../features/platform/operations/index.ts';
import { playerLoginRoutes } from '../features/sign-in/login/index.ts';
import { paidKeyRoutes } from '../features/studio/paid-keys/index.ts';
import {
  authMethodRoutes,
  avatarRoutes,
  avatarUploadRoutes,
  playerDeletionRoutes,
  profileRoutes,
} from '../features/players/profiles/index.ts';
import { refreshRoutes } from '../features/sign-in/tokens/index.ts';
import { portalSessionRoutes, storeAPortalRoutes } from '../features/sign-in/portal/index.ts';
import { eventIngestionRoutes, eventReadingRoutes } from '../features/gameplay/events/index.ts';
import {
  bulkProfileLookupRoutes,
  profileLookupRoutes,
  publicProfileRoutes,
} from '../features/players/lookup/index.ts';
import { sessionAnalyticsRoutes } from '../features/gameplay/analytics/index.ts';
import { sessionHistoryRoutes } from '../features/players/history/index.ts';
import { signInChallengeRoutes } from '../features/sign-in/challenges/index.ts';
import { tenantKeyRoutes } from '../features/studio/tenant-keys/index.ts';
import { playerModerationRoutes, tenantPlayerRoutes } from '../features/players/administration/index.ts';
import { providerRoutes, tenantRoutes } from '../features/studio/tenants/index.ts';
import { usageRoutes } from '../features/traffic/usage/index.ts';
import { walletLoginRoutes, walletProofRoutes } from '../features/sign-in/wallet/index.ts';
import {
  walletLedgerRoutes,
  walletPlayerRoutes,
  walletRecordingRoutes,
} from '../features/wallet/recording/index.ts';
import { platformWebhookRoutes, webhookRoutes } from '../features/messages/webhooks/index.ts';
import { planRoutes, workspaceRoutes } from '../features/studio/workspaces/index.ts';
import { withCredential } from '../http/credential-scope.ts';
import { createCredentials } from '../http/credentials.ts';
import { measureRequests } from '../http/metrics.ts';
import { publishOpenApi } from '../http/openapi.ts';
import { createHttpServer, type App, type HttpOptions } from '../http/server.ts';
import { installTrafficPipeline } from '../http/traffic/index.ts';
import type { OnMischarged } from '../http/traffic/metering.ts';
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
  installTrafficPipeline(plain, {
    countBytes: services.alerts.countBytes,
    meter: services.meter,
    onMischarged: options.onMischarged,
  });
  await plain.register(operationsRoutes(services.database, services.signer));

  const auth = createCredentials(services.verifiers, services.rateLimits);
  await withCredential(plain, auth.gameKey, [
    playerLoginRoutes(services),
    walletLoginRoutes(services),
    emailCodeRoutes(services),
    emailPasswordRoutes(services),
    signInChallengeRoutes(services),
    refreshRoutes(services),
    walletPlayerRoutes(services),
  ]);
  await withCredential(plain, auth.walletPlayer, [walletRecordingRoutes(services)]);
  await withCredential(plain, auth.gameKeyOrWalletPlayer, [walletLedgerRoutes(services)]);
  await withCredential(plain, auth.gameKeyAndMaybePlayer, [
    logoutRoutes(services.database),
    matchRoutes(services.database),
  ]);
  await withCredential(plain, auth.exchangeableToken, [assertionExchangeRoutes(services)]);
  await withCredential(plain, auth.assertion, [assertionValidationRoutes(services.database)]);
  await plain.register(accountSessionRoutes(services));
  await plain.register(accountMailRoutes(services));
  await plain.register(secondFactorRoutes(services));
  await plain.register(invitationRoutes(services));
  await plain.register(storeAPortalRoutes(services));
  await plain.register(emailPortalRoutes(services));
  await plain.register(walletProofRoutes(services));
  await plain.register(portalSessionRoutes(services));
  await withCredential(plain, auth.account, [
    ownAccountRoutes(services),
    totpRoutes(services),
    ownInvitationRoutes(services),
    workspaceRoutes(services.database),
    memberRoutes(services),
    tenantRoutes(services),
    providerRoutes(services),
    tenantKeyRoutes(services),
    eventDefinitionRoutes(services),
    definitionCsvRoutes(services),
    tenantPlayerRoutes(services.database),
    playerModerationRoutes(services),
    auditRoutes(services.database),
    usageRoutes(services.database),
    paidKeyRoutes(services),
    alertRoutes(services),
    notificationRoutes(services),
    webhookRoutes(services),
  ]);
  await withCredential(plain, auth.platformAdmin, [
    planRoutes(services),
    platformAuditRoutes(services.database),
    playerDeletionRoutes(services),
    outboxRoutes(services),
    platformWebhookRoutes(services),
  ]);
  await withCredential(plain, auth.gameKeyAndPlayer, [eventIngestionRoutes(services.ingestion)]);
  await withCredential(plain, auth.accountOrApiKey, [
    eventReadingRoutes(services),
    sessionAnalyticsRoutes(services.database),
  ]);
  await withCredential(plain, auth.gameKeyOrDataKey, [profileLookupRoutes(services.database)]);
  await withCredential(plain, auth.dataKey, [bulkProfileLookupRoutes(services.database)]);
  await plain.register(publicProfileRoutes(services.database));
  await withCredential(plain, auth.player, [
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
