import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createRestartPause } from '../../core/restart-pause.ts';
import type { Storage } from '../../database/storage.ts';
import { createWindowSumHandler } from '../../features/traffic/alerts/index.ts';
import { createRateCounterHandler } from '../../features/traffic/rate-limits/index.ts';
import type { DrainReason } from '../../http/draining.ts';
import { createConcurrencySlots, createProcessSlots } from '../../processes/concurrency-slots.ts';
import { createLimiterHandler } from '../../security/primary-limiter.ts';
import type { Config } from '../config.ts';
import { loggerOptions } from '../logging.ts';
import { createProcessMetrics, type ProcessMetrics } from './process-metrics.ts';
import { launchServingProcess, type ServingProcess } from './launch-serving-process.ts';
import type { Ready, Stop } from './serving-process.ts';
import type { ApiServer, ApiServerOptions, ServerOptions } from '../api-server.ts';

/** A process that is replaced keeps the idle connections of its clients for this long. */
const RETIRE: Stop = { reason: 'retire', drainMs: 5_000 };

/**
 * Starts several processes that share a listening socket. This process accepts the connections and
 * distributes them in round-robin order. It keeps the shared counters (docs/decisions/0060-several-processes.md), replaces processes
 * that die, and does nothing else. The first process updates the database and does the background work.
 */
export async function startCluster(
  config: Config,
  storage: Storage,
  { worker, processes }: ServerOptions,
): Promise<ApiServer> {
  const log = pino(loggerOptions(config));
  storage.keepRunning(log);
  const concurrencySlots = createConcurrencySlots();
  const counters = {
    'count-request': createRateCounterHandler(),
    'sum-windows': createWindowSumHandler(),
    limit: createLimiterHandler(),
  };
  const running = new Set<ServingProcess>();
  /** The processes that get connections, by their number. */
  const current = new Map<number, ServingProcess>();
  const metrics: ProcessMetrics = createProcessMetrics(() =>
    [...current].map(([number, { channel }]) => ({ number, channel })),
  );
  const answeredAt = new Map<number, number>();
  let reference: Ready['reference'];
  let isStopping = false;

  const launch = (
    number: number,
    options: Pick<ApiServerOptions, 'prepare' | 'mayCreateDemo'>,
  ): ServingProcess => {
    const serving = launchServingProcess(
      { ...options, databaseUrl: storage.url, worker: worker && number === 1, reference, processes },
      createProcessSlots(concurrencySlots),
      { ...counters, leaving: () => void inTurn(() => replace(number)), metrics: () => metrics.read() },
    );
    running.add(serving);
    void serving.ended.then(() => running.delete(serving));
    return serving;
  };

  /** Waits until a process answers. From then on it is replaced if it dies. */
  const adopt = async (number: number, serving: ServingProcess): Promise<Ready> => {
    const answer = await serving.ready;
    answeredAt.set(number, performance.now());
    current.set(number, serving);
    void serving.ended.then((reason) => {
      if (isStopping || current.get(number) !== serving) return;
      current.delete(number);
      void restart(number, reason);
    });
    return answer;
  };

  const pauses = Array.from({ length: processes }, () => createRestartPause());
  const restart = async (number: number, reason: string): Promise<void> => {
    let why = reason;
    while (!isStopping && !current.has(number)) {
      const pause = pauses[number - 1]!.next(answeredAt.get(number));
      answeredAt.delete(number);
      metrics.countRestart(number);
      log.error({ process: number, nextAttemptInSeconds: pause / 1000 }, `a serving process ${why}`);
      await sleep(pause, undefined, { ref: false });
      if (isStopping || current.has(number)) return;
      let serving: ServingProcess | undefined;
      try {
        // Throws if the system has no memory left.
        serving = launch(number, { prepare: false, mayCreateDemo: false });
        await serving.ready;
        // The process died while it was replaced, and its replacement answers.
        if (current.has(number)) await serving.stop(RETIRE);
        else await adopt(number, serving);
        return;
      } catch (error) {
        await serving?.ended;
        why = `cannot start: ${(error as Error).message}`;
      }
    }
  };

  /** Starts a new process, and ends the old one when the new one answers. */
  const replace = async (number: number): Promise<void> => {
    if (isStopping) return;
    // The first process updates the database for the code that is new.
    const serving = launch(number, { prepare: number === 1, mayCreateDemo: false });
    await serving.ready;
    // The server stops: the old process drains for DRAIN_SECONDS. To retire it would kill it earlier.
    if (isStopping) return;
    // Read after the start: meanwhile the old process may have died, and another one may have replaced it.
    const old = current.get(number);
    await adopt(number, serving);
    await old?.stop(RETIRE);
  };

  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = turn.then(work).catch((error: Error) => {
      log.error({ reason: error.message }, 'a serving process cannot be replaced, the old one continues');
    });
    turn = done;
    return done;
  };

  const stop = async (reason: DrainReason, drainMs: number): Promise<void> => {
    isStopping = true;
    await Promise.all([...running].map((serving) => serving.stop({ reason, drainMs })));
  };

  try {
    const first = launch(1, { prepare: true, mayCreateDemo: storage.embedded && config.demo });
    const answer = await adopt(1, first);
    reference = answer.reference;
    const others = Array.from({ length: processes - 1 }, (_, index) => index + 2);
    await Promise.all(
      others.map((number) =>
        adopt(number, launch(number, { prepare: false, mayCreateDemo: false })).catch((error: Error) => {
          void restart(number, `cannot start: ${error.message}`);
        }),
      ),
    );
    return {
      url: answer.url,
      reference,
      log,
      reload: () =>
        inTurn(async () => {
          for (let number = 1; number <= processes; number++) await replace(number);
          log.info('all processes were replaced');
        }),
      stop,
    };
  } catch (error) {
    await stop('stop', config.drainSeconds * 1000);
    throw error;
  }
}
