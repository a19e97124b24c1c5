import type { FastifyBaseLogger } from 'fastify';
import { Registry } from 'prom-client';
import { issuerOf, type Config } from './config.ts';
import { openChangeFeed } from './database/change-feed.ts';
import { openDatabase, type Database } from './database/database.ts';
import { isPlatformAdmin, listEndedSessions, openAccountMailBudget } from './features/accounts/index.ts';
import { openAlerts } from './features/alerts/index.ts';
import { identifyBearer } from './features/assertions/index.ts';
import { measureChain, openConfiguredChain } from './features/chain-ledger/index.ts';
import { openMailBudget } from './features/email-login/index.ts';
import { openDefinitionResolver } from './features/event-definitions/index.ts';
import { openNotificationFeed } from './features/notifications/index.ts';
import { tokenVerifier } from './features/player-login/index.ts';
import { openAvatarStore, profileCheck } from './features/player-profiles/index.ts';
import { openStoreAOpenId } from './features/portal-login/index.ts';
import { openEventWriter, openRosters } from './features/gameplay-events/index.ts';
import { openRateLimits } from './features/rate-limits/index.ts';
import { openTokenSigner } from './features/signing-keys/index.ts';
import { openKeyAuthenticator } from './features/tenant-keys/index.ts';
import { openActiveTenants, openProviderSettings } from './features/tenants/index.ts';
import { openUsageMeter } from './features/usage/index.ts';
import { openChallengeThrottle, openContractWallets } from './features/wallet-login/index.ts';
import { evmRecorder, hashChain, openWalletLedger } from './features/wallet-recording/index.ts';
import { openMemberships } from './features/workspaces/index.ts';
import { limitExports } from './http/exports.ts';
import { openJobs } from './jobs/queue.ts';
import { openOutboundClient } from './outbound/http-client.ts';
import { measureRedis, openRedis } from './redis/redis.ts';
import { attemptBudgets } from './security/attempt-budget.ts';
import { openCodeThrottle, openLoginThrottle } from './security/login-throttle.ts';
import { openSignUpThrottle } from './security/sign-up-throttle.ts';
import { openVault } from './security/vault.ts';

export interface ServiceOptions {
  config: Config;
  /** The connection string of the database's owner. */
  databaseUrl: string;
  masterKey: Buffer;
}

/** What features need of one another and of the house: one of each. */
export async function openServices(
  { config, databaseUrl, masterKey }: ServiceOptions,
  logger: FastifyBaseLogger,
) {
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
  const issuer = issuerOf(config);
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
    /** What studios and integrations download. A piece is read in 10 to 50 ms. */
    exports: limitExports({ perCaller: 4, perTenant: 8, inAll: 32, reading: 2 }),
    vault,
    outbound,
    issuer,
    signer,
    memberships,
    /** Of the passwords of dashboard accounts. */
    throttle: openLoginThrottle(openBudget, 'accounts'),
    /** Of dashboard accounts. */
    signUps: openSignUpThrottle(openBudget, 'accounts'),
    /** Of the second factor of dashboard accounts. */
    codeThrottle: openCodeThrottle(openBudget),
    keys,
    providerSettings,
    storeAOpenId: openIdUrl ? openStoreAOpenId(outbound.operator, { openIdUrl, portalUrl }) : undefined,
    mailBudget: openMailBudget(openBudget),
    accountMailBudget: openAccountMailBudget(openBudget),
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
