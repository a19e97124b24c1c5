import type { FastifyBaseLogger } from 'fastify';
import { Registry } from 'prom-client';
import { issuerOf, type Config } from './config.ts';
import { openChangeFeed } from '../database/change-feed.ts';
import { openDatabase, type Database } from '../database/database.ts';
import { measurePartitions } from '../database/partition-metrics.ts';
import { measurePools } from '../database/pool-metrics.ts';
import { createAccountMailBudget, listEndedSessions } from '../features/studio/accounts/index.ts';
import { openAlerts } from '../features/traffic/alerts/index.ts';
import { measureChain, openConfiguredChain } from '../features/wallet/chain/index.ts';
import { createMailBudget } from '../features/sign-in/email/index.ts';
import { createDefinitionResolver } from '../features/gameplay/event-definitions/index.ts';
import type { MailServer } from '../features/messages/mail/index.ts';
import { openNotificationFeed } from '../features/messages/notifications/index.ts';
import { createLoginBatchers, createTokenVerifier } from '../features/sign-in/login/index.ts';
import { createProfileLookups } from '../features/players/lookup/index.ts';
import { openAvatarStore } from '../features/players/profiles/index.ts';
import { createRefreshBatcher } from '../features/sign-in/tokens/index.ts';
import { createStoreAOpenId } from '../features/sign-in/portal/index.ts';
import { createRosters, openArchive, openEventWriter } from '../features/gameplay/events/index.ts';
import { createRateLimits } from '../features/traffic/rate-limits/index.ts';
import { openTokenSigner } from '../features/platform/signing-keys/index.ts';
import { openKeyAuthenticator } from '../features/studio/tenant-keys/index.ts';
import { createActiveTenants, createProviderSettings } from '../features/studio/tenants/index.ts';
import { openUsageMeter } from '../features/traffic/usage/index.ts';
import { createChallengeThrottle, createContractWallets } from '../features/sign-in/wallet/index.ts';
import {
  createEvmRecorder,
  hashChainRecorder,
  createWalletLedger,
} from '../features/wallet/recording/index.ts';
import { createMemberships } from '../features/studio/workspaces/index.ts';
import { createExports } from '../http/exports.ts';
import { measureQueues } from '../jobs/measure-queues.ts';
import { openJobs, type Jobs } from '../jobs/queue.ts';
import { openOutboundClient, type OutboundClient } from '../outbound/http-client.ts';
import type { Channel } from '../processes/channel.ts';
import { createAcquireSlots } from '../processes/concurrency-slots.ts';
import { measureRedis, openRedis } from '../redis/redis.ts';
import { createAttemptBudgets } from '../security/attempt-budget.ts';
import {
  createCodeThrottle,
  createLoginThrottle,
  createOneTimeCodeThrottle,
} from '../security/guess-throttle.ts';
import { createSignUpThrottle } from '../security/sign-up-throttle.ts';
import { createVault, type Vault } from '../security/vault.ts';
import { deleteStaleCopiesHourly } from './stale-copies.ts';
import { createVerifiers } from './verifiers.ts';

export interface ServiceOptions {
  config: Config;
  /** The connection string of the database's owner. */
  databaseUrl: string;
  masterKey: Buffer;
  /** How many processes serve together, and divide what one server may use. Default: 1. */
  processes?: number;
  /** Counts for all of these processes. Undefined for a single one. */
  primary?: Channel | undefined;
  /** Receives the metrics. Default: a new registry. */
  metrics?: Registry;
}

/** The services of the jobs of all features. */
export interface WorkerServices {
  database: Database;
  vault: Vault;
  jobs: Jobs;
  /** The address of the deployment. */
  issuer: string;
  /** Undefined if no mail server is configured: mails then stay in the outbox. */
  mailServer: MailServer | undefined;
  /** Sends requests to servers that a tenant configures. */
  outbound: OutboundClient;
}

/** The services of the routes of all features: one instance of each, and the function that releases them all. */
export type Services = Awaited<ReturnType<typeof openServices>>;

/** Opens the services. If one of them fails, those that are open already are closed again, in reverse order. */
export async function openServices(
  { config, databaseUrl, masterKey, processes = 1, primary, metrics = new Registry() }: ServiceOptions,
  logger: FastifyBaseLogger,
) {
  await using opened = new AsyncDisposableStack();
  const closeLater = <Service extends { close(): void | Promise<void> }>(service: Service): Service =>
    opened.adopt(service, (it) => it.close());

  const vault = createVault(masterKey);
  const database: Database = closeLater(openDatabase(databaseUrl, { processes }));
  const changes = closeLater(await openChangeFeed(databaseUrl));
  const jobs = closeLater(await openJobs(database));
  const redis = config.redisUrl ? await openRedis(config.redisUrl, logger) : undefined;
  if (redis) opened.defer(() => redis.disconnect());
  const createBudget = createAttemptBudgets({ redis, primary });
  const acquireSlots = createAcquireSlots(primary);
  /** Separate clients for servers that the operator configures, and for those that a tenant configures. */
  const outbound = {
    operator: closeLater(openOutboundClient({ publicOnly: false })),
    tenant: closeLater(openOutboundClient({ publicOnly: !config.allowPrivateAddresses })),
  };

  const issuer = issuerOf(config);
  const signer = closeLater(await openTokenSigner(database, vault, changes, issuer));
  const memberships = createMemberships(database, changes);
  const keys = closeLater(openKeyAuthenticator(database, vault, changes, createBudget));
  const providerSettings = createProviderSettings(database, changes, vault, config);
  const openIdUrl = config.storeAOpenIdUrl;
  const portalUrl = config.portalUrl ?? issuer;
  const endedSessions = (sessionIds: string[]) => listEndedSessions(database, sessionIds);
  const isActiveTenant = createActiveTenants(database, changes);
  const logins = closeLater(createLoginBatchers(database, vault, config));
  const refreshes = closeLater(createRefreshBatcher(database));
  const profileLookups = closeLater(createProfileLookups(database));
  const avatars = await openAvatarStore(config.avatarStorage, issuer);

  const definitions = createDefinitionResolver(database, changes);
  const writer = closeLater(await openEventWriter(database, databaseUrl, processes));
  const archive = openArchive(config);
  if (archive.bucket) opened.adopt(deleteStaleCopiesHourly(database, archive), (it) => it.stop());
  const chain = await openConfiguredChain(database, config.chain);
  const recorder = chain ? createEvmRecorder(chain, vault) : hashChainRecorder;
  const ledger = closeLater(createWalletLedger(database, recorder));

  const meter = closeLater(openUsageMeter(database, changes));
  const suppressionSeconds = config.alertSuppressionSeconds;
  const alerts = closeLater(openAlerts({ database, jobs, redis, primary, suppressionSeconds, logger }));
  measurePools(metrics);
  measurePartitions(metrics, database);
  measureQueues(metrics, database);
  if (redis) measureRedis(redis, metrics);
  if (chain) measureChain(metrics, database, chain);

  const resources = opened.move();
  return {
    config,
    database,
    chain,
    changes,
    jobs,
    metrics,
    /** Undefined if no Redis is configured: each server counts on its own. */
    redis,
    rateLimits: createRateLimits({ redis, primary, keyless: config.keylessLimits, metrics, logger }),
    createBudget,
    processes,
    acquireSlots,
    /** The events of months that are over. */
    archive,
    /** The downloads of studios and integrations. A piece is read in 10 to 50 ms. */
    exports: createExports(acquireSlots, 'exports', { perCaller: 4, perTenant: 8, inAll: 32, reading: 2 }),
    vault,
    outbound,
    issuer,
    signer,
    memberships,
    accountLoginThrottle: createLoginThrottle(createBudget, 'accounts'),
    accountSignUpThrottle: createSignUpThrottle(createBudget, 'accounts'),
    accountCodeThrottle: createCodeThrottle(createBudget),
    keys,
    providerSettings,
    storeAOpenId: openIdUrl ? createStoreAOpenId(outbound.operator, { openIdUrl, portalUrl }) : undefined,
    codeThrottle: createOneTimeCodeThrottle(createBudget),
    mailBudget: createMailBudget(createBudget),
    accountMailBudget: createAccountMailBudget(createBudget),
    definitions,
    meter,
    ingestion: { database, quotas: meter, writer, definitions, rosters: createRosters(database) },
    logins,
    refreshes,
    profileLookups,
    verifyToken: createTokenVerifier({ providerSettings, vault, outbound, config }),
    avatars,
    walletThrottle: createChallengeThrottle(createBudget),
    alerts,
    notificationFeed: openNotificationFeed({ database, changes, acquireSlots, endedSessions }),
    recorder,
    ledger,
    contractWallets: createContractWallets(config.walletRpcUrls, outbound.operator),
    verifiers: createVerifiers({ config, database, signer, keys, alerts, memberships, isActiveTenant }),
    close: () => resources.disposeAsync(),
  };
}
