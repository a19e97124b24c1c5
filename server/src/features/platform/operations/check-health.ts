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
  const found = await Promise.all(
    components.map(async (component) => ({
      component,
      latencyMs: null,
      since: null,
      ...(await checks[component](services)),
    })),
  );
  return { version, components: found };
}

type Finding = Pick<ComponentHealth, 'status' | 'detail'> &
  Partial<Pick<ComponentHealth, 'latencyMs' | 'since'>>;

const checks: Record<(typeof components)[number], (services: HealthServices) => Promise<Finding>> = {
  async database({ database }) {
    const start = performance.now();
    const { version: postgres, bytes } = await database.one<{ version: string; bytes: number }>(sql`
      SELECT current_setting('server_version') AS version, pg_database_size(current_database())::float8 AS bytes`);
    const mebibytes = Math.ceil(bytes / 2 ** 20).toLocaleString('en-US');
    return {
      status: 'ok',
      detail: `PostgreSQL ${postgres}, ${mebibytes} MiB.`,
      latencyMs: elapsedSince(start),
    };
  },

  async worker({ database }) {
    const queues = await readQueueStatistics(database);
    const silentSeconds = secondsSinceWorker(queues);
    if (silentSeconds !== undefined && silentSeconds < WORKER_SILENCE_SECONDS)
      return { status: 'ok', detail: `A worker runs the jobs of ${queues.length} queues.` };
    return {
      status: 'failing',
      detail:
        'No worker has reported. Start one with `guildhall worker`, or `guildhall serve` without --no-worker.',
      since: silentSeconds === undefined ? null : new Date(Date.now() - silentSeconds * 1_000).toISOString(),
    };
  },

  async mail({ database, config }) {
    if (config.smtpUrl === undefined)
      return { status: 'off', detail: 'No mail server is configured. Emails stay in the outbox.' };
    const failing = await findFailingMail(database);
    if (!failing) return { status: 'ok', detail: 'No email waits for another attempt.' };
    return {
      status: 'failing',
      detail: `An email could not be delivered: ${failing.failure}`,
      since: failing.createdAt,
    };
  },

  async redis({ redis }) {
    if (!redis) return { status: 'off', detail: 'No Redis is configured. Each server counts on its own.' };
    const start = performance.now();
    try {
      await requireWritable(redis);
      return { status: 'ok', detail: 'All servers count together.', latencyMs: elapsedSince(start) };
    } catch {
      return {
        status: 'failing',
        detail: 'Redis does not answer, or refuses writes. Each server counts on its own until it is back.',
      };
    }
  },

  async chain({ database, chain }) {
    if (!chain)
      return { status: 'off', detail: 'No EVM chain is configured. Ledgers are chained only by hashes.' };
    const { waiting, mined, problem, problemSince } = await readWriterStatus(database, chain.writer.id);
    if (problem !== null) return { status: 'failing', detail: problem, since: problemSince };
    return {
      status: 'ok',
      detail: `Chain ${chain.writer.chainId}: ${waiting} transactions wait, ${mined} are not final yet.`,
    };
  },
};

const elapsedSince = (start: number): number => Math.round((performance.now() - start) * 10) / 10;
