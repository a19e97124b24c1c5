import type { Log } from '../core/log.ts';
import { issuerOf, type Config } from './config.ts';
import { within } from '../core/concurrency/within.ts';
import { requireWritableFolder } from '../core/writable-folder.ts';
import { openDatabase } from '../database/database.ts';
import { openOwnerPool } from '../database/pool.ts';
import type { CloseLater } from '../features/base-services.ts';
import { openConfiguredChain, startChainSender } from '../features/wallet/chain/index.ts';
import { openMailServer } from '../features/messages/mail/index.ts';
import { rollUpEvents } from '../features/gameplay/events/index.ts';
import { aggregateUsage } from '../features/traffic/usage/index.ts';
import { openJobs } from '../jobs/queue.ts';
import { repeat } from '../jobs/repeat.ts';
import { startWorker, type QueueHandler, type Worker } from '../jobs/worker.ts';
import { openOutboundClient } from '../outbound/http-client.ts';
import { groups } from './feature-groups.ts';
import type { WorkerServices } from './services.ts';
import { scheduledJobs } from './scheduled-jobs.ts';
import type { Vault } from '../security/vault.ts';

/** Connections of the worker: as the application, the same for scheduled jobs, and as the owner of the database. */
const POOL_SIZE = 4;
const SCHEDULED_POOL_SIZE = 2;
const OWNER_POOL_SIZE = 3;

/**
 * Queued jobs have 10 seconds to end. A scheduled job may take hours. It is cut off when the process ends, and runs again.
 */
const STOP_WITHIN_MS = 12_000;

/** Usage entries are moved into totals this often. The fewer entries wait, the less a check of the quota costs. */
const AGGREGATE_EVERY_MS = 2_000;

/** Deltas are moved into the roll-ups of events this often. The fewer deltas wait, the less a chart reads. */
const ROLL_UP_EVENTS_EVERY_MS = 2_000;

/** Starts the worker: everything that the deployment does without a request. */
export async function startBackgroundWork(
  { config, databaseUrl, vault }: { config: Config; databaseUrl: string; vault: Vault },
  logger: Log<'info' | 'warn' | 'error'>,
): Promise<Worker> {
  // Otherwise the job of the night would fail. A worker that archives nothing may have a folder that it can only read.
  if (config.archiveAfterMonths !== undefined) await requireWritableFolder('ARCHIVE_DIR', config.archiveDir);
  await using opened = new AsyncDisposableStack();
  const closeLater: CloseLater = (service) => opened.adopt(service, (it) => it.close());
  const database = closeLater(openDatabase(databaseUrl, { poolSize: POOL_SIZE, work: 'background' }));
  const scheduledDatabase = closeLater(
    openDatabase(databaseUrl, { poolSize: SCHEDULED_POOL_SIZE, work: 'job' }),
  );
  const owner = opened.adopt(openOwnerPool(databaseUrl, OWNER_POOL_SIZE), (it) => it.end());

  const chain = await openConfiguredChain(database, config.chain);
  if (chain) opened.adopt(startChainSender(databaseUrl, database, chain, logger), (it) => it.stop());
  const jobs = closeLater(await openJobs(database));
  const outbound = closeLater(openOutboundClient({ publicOnly: !config.allowPrivateAddresses }));
  const { smtpUrl, smtpTls: tls, mailFrom: from } = config;
  if (smtpUrl && /@localhost>?$/.test(from))
    logger.warn(
      {},
      `MAIL_FROM is ${from}, and most mail servers refuse emails from localhost. Set MAIL_FROM to an address of your own domain.`,
    );
  const services: WorkerServices = {
    database,
    vault,
    jobs,
    issuer: issuerOf(config),
    mailServer: smtpUrl ? await openMailServer({ smtpUrl, from, tls }) : undefined,
    outbound,
  };
  const work = {
    scheduled: scheduledJobs(owner, scheduledDatabase, config),
    queued: queueHandlers(services),
  };
  const parts = [
    await startWorker(databaseUrl, work, logger),
    repeat(
      AGGREGATE_EVERY_MS,
      () => aggregateUsage(services),
      (error) => logger.error({ err: error }, 'usage could not be aggregated'),
    ),
    repeat(
      ROLL_UP_EVENTS_EVERY_MS,
      () => rollUpEvents(database),
      (error) => logger.error({ err: error }, 'events could not be rolled up'),
    ),
  ];
  // In parallel: otherwise the others would begin new work while one of them stops.
  opened.defer(async () => void (await Promise.all(parts.map((part) => part.stop()))));
  const running = opened.move();
  return {
    stop: () => within(STOP_WITHIN_MS, running.disposeAsync()),
  };
}

const queuedJobs = groups.flatMap(({ jobs = [] }) => jobs);

/** Each queue of the deployment. */
export const queues = queuedJobs.map(({ queue }) => queue);

function queueHandlers(services: WorkerServices): QueueHandler[] {
  return queuedJobs.map(({ queue, run, ownersOf }) => ({
    queue,
    run: (data) => run(services, data),
    ownersOf: ownersOf?.(services),
  }));
}
