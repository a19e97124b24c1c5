import type { FastifyBaseLogger } from 'fastify';
import { Registry } from 'prom-client';
import { issuerOf, type Config } from './config.ts';
import { openChangeFeed } from '../database/change-feed.ts';
import { openDatabase, type Database } from '../database/database.ts';
import { measurePartitions } from '../database/partition-metrics.ts';
import { measurePools } from '../database/pool-metrics.ts';
import {
  isPlatformAdmin,
  listEndedSessions,
  createAccountMailBudget,
} from '../features/studio/accounts/index.ts';
import { openAlerts } from '../features/traffic/alerts/index.ts';
import { identifyBearer } from '../features/sign-in/assertions/index.ts';
import { measureChain, openConfiguredChain } from '../features/wallet/chain/index.ts';
import { createMailBudget } from '../features/sign-in/email/index.ts';
import { createDefinitionResolver } from '../features/gameplay/event-definitions/index.ts';
import type { MailServer } from '../features/messages/mail/index.ts';
import { openNotificationFeed } from '../features/messages/notifications/index.ts';
import { createLoginBatchers, createTokenVerifier } from '../features/sign-in/login/index.ts';
import { createProfileLookups } from '../features/players/lookup/index.ts';
import { openAvatarStore, createProfileCheck } from '../features/players/profiles/index.ts';
import { createRefreshBatcher } from '../features/sign-in/tokens/index.ts';
import { createStoreAOpenId } from '../features/sign-in/portal/index.ts';
import {
  createRosters,
  deleteStaleCopies,
  openArchive,
  openEventWriter,
} from '../features/gameplay/events/index.ts';
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
import { repeat } from '../jobs/repeat.ts';
import { openOutboundClient, type OutboundClient } from '../outbound/http-client.ts';
import type { Channel } from '../processes/channel.ts';
import { createTakePlaces } from '../processes/occupancy.ts';
import { measureRedis, openRedis } from '../redis/redis.ts';
import { createAttemptBudgets } from '../security/attempt-budget.ts';
import { createCodeThrottle, createLoginThrottle } from '../security/login-throttle.ts';
import { createSignUpThrottle } from '../security/sign-up-throttle.ts';
import { createVault, type Vault } from '../security/vault.ts';

/** Each machine has copies of its own, so each server deletes those of months that retention has deleted. */
const DELETE_STALE_COPIES_EVERY_MS = 60 * 60_000;

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

/** What the jobs of all features need. */
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

/** What the routes of all features need: one instance of each service, and what releases them all. */
export type Services = Awaited<ReturnType<typeof openServices>>;

/** Opens the services. If one of them fails, those that are open already are closed again, in reverse order. */
export async function openServices(
  { config, databaseUrl, masterKey, processes = 1, primary, metrics = new Registry() }: ServiceOptions,
  logger: FastifyBaseLogger,
) {
  await using opened = new AsyncDisposableStack();
  const closing = <Resource extends { close(): Promise<unknown> }>(resource: Resource): Resource => {
    opened.defer(async () => void (await resource.close()));
    return resource;
  };

  const vault = createVault(masterKey);
  const database: Database = closing(openDatabase(databaseUrl, { processes }));
  const chain = await openConfiguredChain(database, config.chain);
  const recorder = chain ? createEvmRecorder(chain, vault) : hashChainRecorder;
  const changes = closing(await openChangeFeed(databaseUrl));
  const jobs = closing(await openJobs(database));
  measurePools(metrics);
  measurePartitions(metrics, database);
  measureQueues(metrics, database);
  const redis = config.redisUrl ? await openRedis(config.redisUrl, logger) : undefined;
  if (redis) {
    opened.defer(() => redis.disconnect());
    measureRedis(redis, metrics);
  }
  if (chain) measureChain(metrics, database, chain);
  const createBudget = createAttemptBudgets({ redis, primary });
  /** Separate clients for servers that the operator configures, and for those that a tenant configures. */
  const outbound = {
    operator: closing(openOutboundClient({ publicOnly: false })),
    tenant: closing(openOutboundClient({ publicOnly: !config.allowPrivateAddresses })),
  };
  const issuer = issuerOf(config);
  const signer = closing(await openTokenSigner(database, vault, changes, issuer));
  const memberships = createMemberships(database, changes);
  const keys = closing(openKeyAuthenticator(database, vault, changes, createBudget));
  const providerSettings = createProviderSettings(database, changes, vault, config);
  const openIdUrl = config.storeAOpenIdUrl;
  const portalUrl = config.portalUrl ?? issuer;
  const definitions = createDefinitionResolver(database, changes);
  const alerts = closing(
    openAlerts({
      database,
      jobs,
      redis,
      primary,
      suppressionSeconds: config.alertSuppressionSeconds,
      logger,
    }),
  );
  const endedSessions = (sessionIds: string[]) => listEndedSessions(database, sessionIds);
  const isActiveTenant = createActiveTenants(database, changes);
  const writer = closing(await openEventWriter(database, databaseUrl, processes));
  const logins = closing(createLoginBatchers(database, vault));
  const refreshes = closing(createRefreshBatcher(database));
  const profileLookups = closing(createProfileLookups(database));
  const ledger = closing(createWalletLedger(database, recorder));
  const avatars = await openAvatarStore(config.avatarStorage, issuer);
  const meter = closing(openUsageMeter(database, changes));

  const archive = openArchive(config);
  if (archive.bucket) {
    // If the database or the disk fails, the next run does the rest.
    const deletion = repeat(
      DELETE_STALE_COPIES_EVERY_MS,
      () => deleteStaleCopies(database, archive),
      () => {},
    );
    opened.defer(() => deletion.stop());
  }

  const takePlaces = createTakePlaces(primary);

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
    takePlaces,
    /** The events of months that are over. */
    archive,
    /** What studios and integrations download. A piece is read in 10 to 50 ms. */
    exports: createExports(takePlaces, 'exports', { perCaller: 4, perTenant: 8, inAll: 32, reading: 2 }),
    vault,
    outbound,
    issuer,
    signer,
    memberships,
    /** Limits the password attempts of dashboard accounts. */
    throttle: createLoginThrottle(createBudget, 'accounts'),
    /** Limits the sign-ups of dashboard accounts. */
    signUps: createSignUpThrottle(createBudget, 'accounts'),
    /** Limits the attempts at the second factor of dashboard accounts. */
    codeThrottle: createCodeThrottle(createBudget),
    keys,
    providerSettings,
    storeAOpenId: openIdUrl ? createStoreAOpenId(outbound.operator, { openIdUrl, portalUrl }) : undefined,
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
    notificationFeed: openNotificationFeed({ database, changes, takePlaces, endedSessions }),
    recorder,
    ledger,
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
        const sessionId = claims['sid'] as string;
        if ((await endedSessions([sessionId])).length > 0) return undefined;
        return { accountId, sessionId, expiresAtMs: exp * 1000 };
      },
      bearer: (token: string) => identifyBearer(signer, token),
      hasProfile: createProfileCheck(database),
      role: memberships.role,
      platformAdmin: (accountId: string) => isPlatformAdmin(database.forAccount(accountId), accountId),
    },
    close: () => resources.disposeAsync(),
  };
}
