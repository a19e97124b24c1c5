import { pino } from 'pino';
import type { Storage } from '../../database/storage.ts';
import { createWindowSumHandler } from '../../features/traffic/alerts/index.ts';
import { createRateCounterHandler } from '../../features/traffic/rate-limits/index.ts';
import { createConcurrencySlots, createProcessSlots } from '../../processes/concurrency-slots.ts';
import { createLimiterHandler } from '../../security/primary-limiter.ts';
import type { Config } from '../config.ts';
import { loggerOptions } from '../logging.ts';
import { createProcessMetrics } from './process-metrics.ts';
import { createProcessTable } from './process-table.ts';
import { launchServingProcess } from './launch-serving-process.ts';
import type { Ready } from './serving-process.ts';
import type { ApiServer, ServerOptions } from '../api-server.ts';

/**
 * Starts several processes that share a listening socket. This process accepts the connections and
 * distributes them in round-robin order. It keeps the shared counters (docs/decisions/0060-several-processes.md), replaces processes
 * that die, and does nothing else. The first process updates the database and does the background work.
 */
export async function startCluster(
  config: Config,
  storage: Storage,
  { worker, processes }: ServerOptions,
  interrupted: AbortSignal,
): Promise<ApiServer> {
  const log = pino(loggerOptions(config));
  storage.keepRunning(log);
  const concurrencySlots = createConcurrencySlots();
  const counters = {
    'count-request': createRateCounterHandler(),
    'sum-windows': createWindowSumHandler(),
    limit: createLimiterHandler(),
  };
  let reference: Ready['reference'];
  const table = createProcessTable({
    processes,
    launch: (number, options) =>
      launchServingProcess(
        { ...options, databaseUrl: storage.url, worker: worker && number === 1, reference, processes },
        createProcessSlots(concurrencySlots),
        { ...counters, leaving: () => void table.replace([number]), metrics: () => metrics.read() },
        () => log.error({ process: number }, 'a serving process has not responded for 30 s'),
      ),
    onRestart: (number) => metrics.countRestart(number),
    log,
  });
  const metrics = createProcessMetrics(() =>
    [...table.current].map(([number, { channel }]) => ({ number, channel })),
  );
  const stop = { reason: 'stop', drainMs: config.drainSeconds * 1000 } as const;
  const interrupt = (): void => void table.stop(stop);
  interrupted.addEventListener('abort', interrupt);
  const numbers = Array.from({ length: processes }, (_, index) => index + 1);
  try {
    interrupted.throwIfAborted();
    const first = await table.start(1, { prepare: true, mayCreateDemo: storage.embedded && config.demo });
    reference = first.reference;
    await Promise.all(numbers.slice(1).map((number) => table.tryStart(number)));
    return {
      url: first.url,
      reference,
      log,
      async reload() {
        if (await table.replace(numbers)) log.info('all processes were replaced');
      },
      stop: (how) => table.stop(how),
    };
  } catch (error) {
    await table.stop(stop);
    interrupted.throwIfAborted();
    throw error;
  } finally {
    interrupted.removeEventListener('abort', interrupt);
  }
}
