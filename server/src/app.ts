import { isIPv6 } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import type { Config } from './config.ts';
import { openChangeFeed } from './database/change-feed.ts';
import { openDatabase, type Database } from './database/database.ts';
import {
  accountSessionRoutes,
  isPlatformAdmin,
  listEndedSessions,
  ownAccountRoutes,
} from './features/accounts/index.ts';
import { alertRoutes, openAlerts } from './features/alerts/index.ts';
import {
  assertionExchangeRoutes,
  assertionValidationRoutes,
  identifyBearer,
} from './features/assertions/index.ts';
import { auditRoutes } from './features/audit/index.ts';
import { measureChain, openConfiguredChain } from './features/chain-ledger/index.ts';
import { deviceRoutes } from './features/devices/index.ts';
import {
  emailCodeRoutes,
  emailPasswordRoutes,
  emailPortalRoutes,
  openMailBudget,
} from './features/email-login/index.ts';
import {
  definitionSheetRoutes,
  eventDefinitionRoutes,
  openDefinitionResolver,
} from './features/event-definitions/index.ts';
import { logoutRoutes } from './features/login-sessions/index.ts';
import { outboxRoutes } from './features/mail/index.ts';
import { matchRoutes } from './features/matches/index.ts';
import { invitationRoutes, memberRoutes, ownInvitationRoutes } from './features/members/index.ts';
import { notificationRoutes, openNotificationFeed } from './features/notifications/index.ts';
import { operationsRoutes } from './features/operations/index.ts';
import { playerLoginRoutes, tokenVerifier } from './features/player-login/index.ts';
import {
  authMethodRoutes,
  avatarRoutes,
  avatarUploadRoutes,
  openAvatarStore,
  playerDeletionRoutes,
  profileCheck,
  profileRoutes,
} from './features/player-profiles/index.ts';
import { refreshRoutes } from './features/player-tokens/index.ts';
import { openStoreAOpenId, portalSessionRoutes, storeAPortalRoutes } from './features/portal-login/index.ts';
import {
  eventIngestionRoutes,
  eventReadingRoutes,
  openEventWriter,
  openRosters,
} from './features/gameplay-events/index.ts';
import {
  bulkProfileLookupRoutes,
  profileLookupRoutes,
  publicProfileRoutes,
} from './features/profile-lookup/index.ts';
import { openRateLimits } from './features/rate-limits/index.ts';
import { sessionAnalyticsRoutes } from './features/session-analytics/index.ts';
import { sessionHistoryRoutes } from './features/session-history/index.ts';
import { signInChallengeRoutes } from './features/sign-in-challenges/index.ts';
import { openTokenSigner } from './features/signing-keys/index.ts';
import { openKeyAuthenticator, tenantKeyRoutes } from './features/tenant-keys/index.ts';
import { playerModerationRoutes, tenantPlayerRoutes } from './features/tenant-players/index.ts';
import {
  openActiveTenants,
  openProviderSettings,
  providerRoutes,
  tenantRoutes,
} from './features/tenants/index.ts';
import { openUsageMeter, usageRoutes } from './features/usage/index.ts';
import {
  openChallengeThrottle,
  openContractWallets,
  walletLoginRoutes,
} from './features/wallet-login/index.ts';
import {
  evmRecorder,
  hashChain,
  openWalletLedger,
  walletLedgerRoutes,
  walletPlayerRoutes,
  walletRecordingRoutes,
} from './features/wallet-recording/index.ts';
import { platformWebhookRoutes, webhookRoutes } from './features/webhooks/index.ts';
import { openMemberships, planRoutes, workspaceRoutes } from './features/workspaces/index.ts';
import { countBodies } from './http/body-size.ts';
import { withCredential } from './http/credential-scope.ts';
import { credentials } from './http/credentials.ts';
import { meterRequests, type OnMischarged } from './http/metering.ts';
import { measureRequests } from './http/metrics.ts';
import { publishOpenApi } from './http/openapi.ts';
import { createHttpServer, type App, type HttpOptions } from './http/server.ts';
import { openJobs } from './jobs/queue.ts';
import { openOutboundClient } from './outbound/http-client.ts';
import { measureRedis, openRedis } from './redis/redis.ts';
import { attemptBudgets } from './security/attempt-budget.ts';
import { openLoginThrottle } from './security/login-throttle.ts';
import { openVault } from './security/vault.ts';

export interface AppOptions {
  config: Config;
  /** The connection string of the database's owner. */
  databaseUrl: string;
  masterKey: Buffer;
  logger: HttpOptions['logger'];
  onUndeclaredStatus?: HttpOptions['onUndeclaredStatus'];
  onMischarged?: OnMischarged;
}

/** The HTTP application: every feature wired together, not yet listening. Closing it releases all that it opened. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config } = options;
  const app = await createHttpServer({
    logger: options.logger,
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    ...(options.onUndeclaredStatus && { onUndeclaredStatus: options.onUndeclaredStatus }),
  });
  const services = await openServices(options, app.log);
  app.addHook('onClose', () => services.close());

  const plain = app as unknown as FastifyInstance;
  await publishOpenApi(plain, '0.1.0');
  measureRequests(plain, services.metrics);
  countBodies(plain, services.alerts.countBytes);
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
  await plain.register(invitationRoutes(services));
  await plain.register(storeAPortalRoutes(services));
  await plain.register(emailPortalRoutes(services));
  await plain.register(portalSessionRoutes(services));
  await withCredential(plain, behind.account, [
    ownAccountRoutes(services),
    ownInvitationRoutes(services),
    workspaceRoutes(services.database),
    memberRoutes(services),
    tenantRoutes(services),
    providerRoutes(services),
    tenantKeyRoutes(services),
    eventDefinitionRoutes(services),
    definitionSheetRoutes(services),
    tenantPlayerRoutes(services.database),
    playerModerationRoutes(services.database),
    auditRoutes(services.database),
    usageRoutes(services.database),
    alertRoutes(services),
    notificationRoutes(services),
    webhookRoutes(services),
  ]);
  await withCredential(plain, behind.platformAdmin, [
    planRoutes(services),
    playerDeletionRoutes(services),
    outboxRoutes(services),
    platformWebhookRoutes(services),
  ]);
  await withCredential(plain, behind.gameKeyAndPlayer, [eventIngestionRoutes(services.ingestion)]);
  await withCredential(plain, behind.accountOrApiKey, [
    eventReadingRoutes(services.database),
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

/** What features need of one another and of the house: one of each. */
async function openServices({ config, databaseUrl, masterKey }: AppOptions, logger: FastifyBaseLogger) {
  const vault = openVault(masterKey);
  const database: Database = openDatabase(databaseUrl);
  const chain = await openConfiguredChain(database, config.chain);
  const recorder = chain ? evmRecorder(chain, vault) : hashChain;
  const changes = await openChangeFeed(databaseUrl);
  const jobs = await openJobs(database);
  const metrics = new Registry();
  const redis = config.redisUrl ? openRedis(config.redisUrl, logger) : undefined;
  if (redis) measureRedis(redis, metrics);
  if (chain) measureChain(metrics, database, chain);
  const openBudget = attemptBudgets(redis);
  /** For servers that the operator names, and for those that a tenant names. */
  const outbound = {
    operator: openOutboundClient({ publicOnly: false }),
    tenant: openOutboundClient({ publicOnly: !config.allowPrivateAddresses }),
  };
  const host = isIPv6(config.host) ? `[${config.host}]` : config.host;
  const issuer = config.publicUrl ?? `http://${host}:${config.port}`;
  const signer = await openTokenSigner(database, vault, changes, issuer);
  const memberships = openMemberships(database, changes);
  const keys = openKeyAuthenticator(database, vault, changes, openBudget);
  const providerSettings = openProviderSettings(database, changes, vault, config);
  const openIdUrl = config.storeAOpenIdUrl;
  const portalUrl = config.portalUrl ?? issuer;
  const definitions = openDefinitionResolver(database, changes);
  const alerts = openAlerts({
    database,
    jobs,
    redis,
    suppressionSeconds: config.alertSuppressionSeconds,
    logger,
  });
  const endedSessions = (sessionIds: string[]) => listEndedSessions(database, sessionIds);
  const isActiveTenant = openActiveTenants(database, changes);
  const writer = await openEventWriter(database, databaseUrl);
  const meter = openUsageMeter(database, changes);

  return {
    config,
    database,
    chain,
    changes,
    jobs,
    metrics,
    rateLimits: openRateLimits({ redis, metrics, logger }),
    openBudget,
    vault,
    outbound,
    issuer,
    signer,
    memberships,
    /** Of the passwords of dashboard accounts. */
    throttle: openLoginThrottle(openBudget, 'accounts'),
    keys,
    providerSettings,
    storeAOpenId: openIdUrl ? openStoreAOpenId(outbound.operator, { openIdUrl, portalUrl }) : undefined,
    mailBudget: openMailBudget(openBudget),
    definitions,
    meter,
    ingestion: { database, quotas: meter, writer, definitions, rosters: openRosters(database) },
    verifyToken: tokenVerifier({ providerSettings, vault, outbound, config }),
    avatars: await openAvatarStore(config.avatarStorage, issuer),
    walletThrottle: openChallengeThrottle(openBudget),
    alerts,
    notificationFeed: openNotificationFeed({ database, changes, endedSessions }),
    recorder,
    ledger: openWalletLedger(database, recorder),
    contractWallets: openContractWallets(config.walletRpcUrls, outbound.operator),
    verifiers: {
      async key(...asked: Parameters<typeof keys.authenticate>) {
        const key = await keys.authenticate(...asked);
        if (key) alerts.countRequest(key);
        return key;
      },
      async player(token: string) {
        const claims = await signer.verify('player', token);
        if (!claims?.sub) return undefined;
        return {
          playerId: claims.sub,
          tenantId: claims['tid'] as string | null,
          sessionId: claims['sid'] as string | null,
        };
      },
      async wallet(token: string) {
        const claims = await signer.verify('wallet', token);
        if (!claims) return undefined;
        const tenantId = claims['tid'] as string;
        if (!(await isActiveTenant(tenantId))) return undefined;
        return {
          tenantId,
          playerIndex: claims['idx'] as number,
          isVerified: claims['verified'] as boolean,
        };
      },
      async account(token: string) {
        const claims = await signer.verify('saas', token);
        if (!claims) return undefined;
        const { sub: accountId, exp } = claims;
        return { accountId, sessionId: claims['sid'] as string, expiresAtMs: exp * 1000 };
      },
      bearer: (token: string) => identifyBearer(signer, token),
      hasProfile: profileCheck(database),
      role: memberships.role,
      platformAdmin: (accountId: string) => isPlatformAdmin(database, accountId),
    },
    async close() {
      await alerts.close();
      redis?.disconnect();
      await signer.close();
      await keys.close();
      await writer.close();
      await meter.close();
      await changes.close();
      await outbound.operator.close();
      await outbound.tenant.close();
      await jobs.close();
      await database.close();
    },
  };
}
