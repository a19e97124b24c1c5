import type { FastifyBaseLogger } from 'fastify';
import { Registry } from 'prom-client';
import { issuerOf, type Config } from './config.ts';
import { openChangeFeed } from '../database/change-feed.ts';
import { openDatabase, type Database } from '../database/database.ts';
import { measureDisk } from '../database/disk-metrics.ts';
import { measurePartitions } from '../database/partitions/partition-metrics.ts';
import { measurePools } from '../database/pool-metrics.ts';
import type { BaseServices, CloseLater } from '../features/base-services.ts';
import { openGameplayServices } from '../features/gameplay/services.ts';
import type { MailServer } from '../features/messages/mail/index.ts';
import { openMessageServices } from '../features/messages/services.ts';
import { openPlatformServices } from '../features/platform/services.ts';
import { openPlayerServices } from '../features/players/services.ts';
import { openSignInServices } from '../features/sign-in/services.ts';
import { openStudioServices } from '../features/studio/services.ts';
import { openTrafficServices } from '../features/traffic/services.ts';
import { openWalletServices } from '../features/wallet/services.ts';
import { createExports } from '../http/exports.ts';
import { measureQueues } from '../jobs/measure-queues.ts';
import { openJobs, type Jobs } from '../jobs/queue.ts';
import { openOutboundClient, type OutboundClient } from '../outbound/http-client.ts';
import type { Channel } from '../processes/channel.ts';
import { createAcquireSlots } from '../processes/concurrency-slots.ts';
import { measureRedis, openRedis } from '../redis/redis.ts';
import { createAttemptBudgets } from '../security/attempt-budget.ts';
import type { Vault } from '../security/vault.ts';
import { createVerifiers } from './verifiers.ts';

export interface ServiceOptions {
  config: Config;
  /** The connection string of the database's owner. */
  databaseUrl: string;
  vault: Vault;
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

/** Opens the services. If one of them fails, it closes the open ones in reverse order. */
export async function openServices(options: ServiceOptions, logger: FastifyBaseLogger) {
  const { config, databaseUrl } = options;
  await using opened = new AsyncDisposableStack();
  const closeLater: CloseLater = (service) => opened.adopt(service, (it) => it.close());

  const base = await openBaseServices(options, logger, closeLater);
  const platform = await openPlatformServices(base, closeLater);
  const studio = openStudioServices(base, config, closeLater);
  const signIn = openSignInServices({ ...base, ...studio }, config, closeLater);
  const players = await openPlayerServices(base, config, closeLater);
  const gameplay = await openGameplayServices(base, databaseUrl, config, closeLater);
  const wallet = await openWalletServices(base, config, closeLater);
  const traffic = openTrafficServices(base, config, closeLater);
  const messages = openMessageServices({ ...base, ...studio });
  const verifiers = createVerifiers({ ...base, ...platform, ...studio, ...traffic, config });
  /** The downloads of studios and integrations. A piece is read in 10 to 50 ms. */
  const exports = createExports(base.acquireSlots, 'exports', {
    perCaller: 4,
    perTenant: 8,
    perNetwork: 8,
    inAll: 32,
    reading: 2,
  });

  const resources = opened.move();
  return {
    config,
    ...base,
    ...platform,
    ...studio,
    ...signIn,
    ...players,
    ...gameplay,
    ...wallet,
    ...traffic,
    ...messages,
    verifiers,
    exports,
    close: () => resources.disposeAsync(),
  };
}

async function openBaseServices(
  { config, databaseUrl, vault, processes = 1, primary, metrics = new Registry() }: ServiceOptions,
  logger: FastifyBaseLogger,
  closeLater: CloseLater,
): Promise<BaseServices> {
  const database: Database = closeLater(openDatabase(databaseUrl, { processes }));
  const changes = closeLater(await openChangeFeed(databaseUrl, logger));
  const jobs = closeLater(await openJobs(database));
  const redis = config.redisUrl ? await openRedis(config.redisUrl, logger) : undefined;
  if (redis) closeLater({ close: () => redis.disconnect() });
  measurePools(metrics);
  measurePartitions(metrics, database);
  measureDisk(metrics, database, config.databaseUrl ? undefined : config.dataDir);
  measureQueues(metrics, database);
  if (redis) measureRedis(redis, metrics);
  return {
    database,
    changes,
    jobs,
    redis,
    primary,
    vault,
    issuer: issuerOf(config),
    outbound: {
      operator: closeLater(openOutboundClient({ publicOnly: false })),
      tenant: closeLater(openOutboundClient({ publicOnly: !config.allowPrivateAddresses })),
    },
    createBudget: createAttemptBudgets({ redis, primary }),
    acquireSlots: createAcquireSlots(primary),
    processes,
    metrics,
    logger,
  };
}
