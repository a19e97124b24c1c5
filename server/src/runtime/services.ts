import type { FastifyBaseLogger } from 'fastify';
import { Registry } from 'prom-client';
import { issuerOf, type Config } from './config.ts';
import { openChangeFeed } from '../database/change-feed.ts';
import { openDatabase, type Database } from '../database/database.ts';
import {
  isPlatformAdmin,
  listEndedSessions,
  openAccountMailBudget,
} from '../features/studio/accounts/index.ts';
import { openAlerts } from '../features/traffic/alerts/index.ts';
import { identifyBearer } from '../features/sign-in/assertions/index.ts';
import { measureChain, openConfiguredChain } from '../features/wallet/chain/index.ts';
import { createMailBudget } from '../features/sign-in/email/index.ts';
import { createDefinitionResolver } from '../features/gameplay/event-definitions/index.ts';
import { openNotificationFeed } from '../features/messages/notifications/index.ts';
import { tokenVerifier } from '../features/sign-in/login/index.ts';
import { openAvatarStore, profileCheck } from '../features/players/profiles/index.ts';
import { createStoreAOpenId } from '../features/sign-in/portal/index.ts';
import { openEventWriter, createRosters } from '../features/gameplay/events/index.ts';
import { createRateLimits } from '../features/traffic/rate-limits/index.ts';
import { openTokenSigner } from '../features/platform/signing-keys/index.ts';
import { openKeyAuthenticator } from '../features/studio/tenant-keys/index.ts';
import { createActiveTenants, createProviderSettings } from '../features/studio/tenants/index.ts';
import { openUsageMeter } from '../features/traffic/usage/index.ts';
import { createChallengeThrottle, createContractWallets } from '../features/sign-in/wallet/index.ts';
import { evmRecorder, hashChain, createWalletLedger } from '../features/wallet/recording/index.ts';
import { createMemberships } from '../features/studio/workspaces/index.ts';
import { createExports } from '../http/exports.ts';
import { openJobs } from '../jobs/queue.ts';
import { openOutboundClient } from '../outbound/http-client.ts';
import { measureRedis, openRedis } from '../redis/redis.ts';
import { createAttemptBudgets } from '../security/attempt-budget.ts';
import { createCodeThrottle, createLoginThrottle } from '../security/login-throttle.ts';
import { createSignUpThrottle } from '../security/sign-up-throttle.ts';
import { createVault } from '../security/vault.ts';

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
  const vault = createVault(masterKey);
  const database: Database = openDatabase(databaseUrl);
  const chain = await openConfiguredChain(database, config.chain);
  const recorder = chain ? evmRecorder(chain, vault) : hashChain;
  const changes = await openChangeFeed(databaseUrl);
  const jobs = await openJobs(database);
  const metrics = new Registry();
  const redis = config.redisUrl ? openRedis(config.redisUrl, logger) : undefined;
  if (redis) measureRedis(redis, metrics);
  if (chain) measureChain(metrics, database, chain);
  const createBudget = createAttemptBudgets(redis);
  /** For servers that the operator names, and for those that a tenant names. */
  const outbound = {
    operator: openOutboundClient({ publicOnly: false }),
    tenant: openOutboundClient({ publicOnly: !config.allowPrivateAddresses }),
  };
  const issuer = issuerOf(config);
  const signer = await openTokenSigner(database, vault, changes, issuer);
  const memberships = createMemberships(database, changes);
  const keys = openKeyAuthenticator(database, vault, changes, createBudget);
  const providerSettings = createProviderSettings(database, changes, vault, config);
  const openIdUrl = config.storeAOpenIdUrl;
  const portalUrl = config.portalUrl ?? issuer;
  const definitions = createDefinitionResolver(database, changes);
  const alerts = openAlerts({
    database,
    jobs,
    redis,
    suppressionSeconds: config.alertSuppressionSeconds,
    logger,
  });
  const endedSessions = (sessionIds: string[]) => listEndedSessions(database, sessionIds);
  const isActiveTenant = createActiveTenants(database, changes);
  const writer = await openEventWriter(database, databaseUrl);
  const meter = openUsageMeter(database, changes);

  return {
    config,
    database,
    chain,
    changes,
    jobs,
    metrics,
    rateLimits: createRateLimits({ redis, metrics, logger }),
    createBudget,
    /** What studios and integrations download. A piece is read in 10 to 50 ms. */
    exports: createExports({ perCaller: 4, perTenant: 8, inAll: 32, reading: 2 }),
    vault,
    outbound,
    issuer,
    signer,
    memberships,
    /** Of the passwords of dashboard accounts. */
    throttle: createLoginThrottle(createBudget, 'accounts'),
    /** Of dashboard accounts. */
    signUps: createSignUpThrottle(createBudget, 'accounts'),
    /** Of the second factor of dashboard accounts. */
    codeThrottle: createCodeThrottle(createBudget),
    keys,
    providerSettings,
    storeAOpenId: openIdUrl ? createStoreAOpenId(outbound.operator, { openIdUrl, portalUrl }) : undefined,
    mailBudget: createMailBudget(createBudget),
    accountMailBudget: openAccountMailBudget(createBudget),
    definitions,
    meter,
    ingestion: { database, quotas: meter, writer, definitions, rosters: createRosters(database) },
    verifyToken: tokenVerifier({ providerSettings, vault, outbound, config }),
    avatars: await openAvatarStore(config.avatarStorage, issuer),
    walletThrottle: createChallengeThrottle(createBudget),
    alerts,
    notificationFeed: openNotificationFeed({ database, changes, endedSessions }),
    recorder,
    ledger: createWalletLedger(database, recorder),
    contractWallets: createContractWallets(config.walletRpcUrls, outbound.operator),
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
