import { version } from '../../../core/version.ts';
import type { Database } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import { readQueueStatistics, secondsSinceWorker } from '../../../jobs/queue-statistics.ts';
import { requireWritable, type Redis } from '../../../redis/redis.ts';
import { findFailingMail } from '../../messages/mail/index.ts';
import { readWriterStatus, type Chain } from '../../wallet/chain/index.ts';

export const components = ['database', 'worker', 'mail', 'redis', 'chain'] as const;
export const healthStatuses = ['ok', 'off', 'failing'] as const;

/** The state of a part of the deployment. */
export interface ComponentHealth {
  component: (typeof components)[number];
  /** `off`: not configured. */
  status: (typeof healthStatuses)[number];
  /** One sentence for the operator. */
  detail: string;
  /** How long the check waited for an answer. Null if it sent no request. */
  latencyMs: number | null;
  /** The time of the first failure. Null if the component works, or if the time is unknown. */
  since: string | null;
}

export interface HealthServices {
  database: Database;
  redis: Redis | undefined;
  chain: Chain | undefined;
  config: { smtpUrl: string | undefined };
}

/** A worker counts jobs every 10 seconds. After this time without a count, no worker runs. */
const WORKER_SILENCE_SECONDS = 60;

/** Checks everything that this process depends on. Each check has a time limit of its own. */
export async function checkHealth(
  services: HealthServices,
): Promise<{ version: string; components: ComponentHealth[] }> {
  const found = await Promise.all([
    checkDatabaseHealth(services),
    checkWorker(services),
    checkMail(services),
    checkRedis(services),
    checkChain(services),
  ]);
  return { version, components: found };
}

type Check = (services: HealthServices) => Promise<ComponentHealth>;

const checkDatabaseHealth: Check = async ({ database }) => {
  const start = performance.now();
  const { version: postgres, bytes } = await database.one<{ version: string; bytes: number }>(sql`
    SELECT current_setting('server_version') AS version, pg_database_size(current_database())::float8 AS bytes`);
  const mebibytes = Math.ceil(bytes / 2 ** 20).toLocaleString('en-US');
  return {
    component: 'database',
    status: 'ok',
    detail: `PostgreSQL ${postgres}, ${mebibytes} MiB.`,
    latencyMs: elapsedSince(start),
    since: null,
  };
};

const checkWorker: Check = async ({ database }) => {
  const queues = await readQueueStatistics(database);
  const silentSeconds = secondsSinceWorker(queues);
  const isAlive = silentSeconds !== undefined && silentSeconds < WORKER_SILENCE_SECONDS;
  return {
    component: 'worker',
    status: isAlive ? 'ok' : 'failing',
    detail: isAlive
      ? `A worker runs the jobs of ${queues.length} queues.`
      : 'No worker has reported. Start one with `guildhall worker`, or `guildhall serve` without --no-worker.',
    latencyMs: null,
    since:
      isAlive || silentSeconds === undefined
        ? null
        : new Date(Date.now() - silentSeconds * 1_000).toISOString(),
  };
};

const checkMail: Check = async ({ database, config }) => {
  const result = { component: 'mail', latencyMs: null, since: null } as const;
  if (config.smtpUrl === undefined)
    return { ...result, status: 'off', detail: 'No mail server is configured. Emails stay in the outbox.' };
  const failing = await findFailingMail(database);
  return failing
    ? {
        ...result,
        status: 'failing',
        detail: `An email could not be delivered: ${failing.failure}`,
        since: failing.createdAt,
      }
    : { ...result, status: 'ok', detail: 'No email waits for another attempt.' };
};

const checkRedis: Check = async ({ redis }) => {
  const result = { component: 'redis', latencyMs: null, since: null } as const;
  if (!redis)
    return { ...result, status: 'off', detail: 'No Redis is configured. Each server counts on its own.' };
  const start = performance.now();
  try {
    await requireWritable(redis);
    return {
      ...result,
      status: 'ok',
      detail: 'All servers count together.',
      latencyMs: elapsedSince(start),
    };
  } catch {
    return {
      ...result,
      status: 'failing',
      detail: 'Redis does not answer, or refuses writes. Each server counts on its own until it is back.',
    };
  }
};

const checkChain: Check = async ({ database, chain }) => {
  const result = { component: 'chain', latencyMs: null, since: null } as const;
  if (!chain)
    return {
      ...result,
      status: 'off',
      detail: 'No EVM chain is configured. Ledgers are chained only by hashes.',
    };
  const { waiting, mined, problem, problemSince } = await readWriterStatus(database, chain.writer.id);
  return problem === null
    ? {
        ...result,
        status: 'ok',
        detail: `Chain ${chain.writer.chainId}: ${waiting} transactions wait, ${mined} are not final yet.`,
      }
    : { ...result, status: 'failing', detail: problem, since: problemSince };
};

const elapsedSince = (start: number): number => Math.round((performance.now() - start) * 10) / 10;
