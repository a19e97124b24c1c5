import { setTimeout as sleep } from 'node:timers/promises';
import type { Drain } from '../../http/draining.ts';
import type { Log } from '../../core/log.ts';
import { createRestartPauses } from '../../core/restart-pause.ts';
import type { ApiServerOptions } from '../api-server.ts';
import type { ServingProcess } from './launch-serving-process.ts';
import type { Ready } from './serving-process.ts';

/** A process that is replaced keeps the idle connections of its clients for this long. */
const RETIRE: Drain = { reason: 'retire', drainMs: 5_000 };

/** What differs between the processes that are launched. */
export type LaunchOptions = Pick<ApiServerOptions, 'prepare' | 'mayCreateDemo'>;

export interface ProcessTableOptions {
  processes: number;
  launch(number: number, options: LaunchOptions): ServingProcess;
  /** Called before each attempt to start a process that died. */
  onRestart(number: number): void;
  log: Log<'error'>;
}

/** The serving processes, by their numbers from 1. A process that dies is replaced. */
interface ProcessTable {
  /** The processes that get connections. */
  current: ReadonlyMap<number, ServingProcess>;
  /** Starts a process, and waits until it answers. Rejects if it ends before. */
  start(number: number, options: LaunchOptions): Promise<Ready>;
  /** Starts a process. If it ends before it answers, it is replaced like one that dies. */
  tryStart(number: number): Promise<void>;
  /** Replaces processes, one after the other. Each continues until its replacement answers. Returns false if one cannot start. */
  replace(numbers: number[]): Promise<boolean>;
  /** Ends all processes. From then on none is started. */
  stop(how: Drain): Promise<void>;
}

export function createProcessTable({ processes, launch, onRestart, log }: ProcessTableOptions): ProcessTable {
  const running = new Set<ServingProcess>();
  const current = new Map<number, ServingProcess>();
  const answeredAt = new Map<number, number>();
  const nextPauses = Array.from({ length: processes }, () => createRestartPauses());
  let isStopping = false;

  const launchOne = (number: number, options: LaunchOptions): ServingProcess => {
    const serving = launch(number, options);
    running.add(serving);
    void serving.ended.then(() => running.delete(serving));
    return serving;
  };

  /** Gives connections to a process that answers. From then on it is replaced if it dies. */
  const adopt = (number: number, serving: ServingProcess): void => {
    answeredAt.set(number, performance.now());
    current.set(number, serving);
    void serving.ended.then((reason) => {
      if (current.get(number) !== serving) return;
      current.delete(number);
      void restart(number, reason);
    });
  };

  /** Waits until a process answers, and adopts it, unless it was replaced while it started. */
  const adoptWhenReady = async (number: number, serving: ServingProcess): Promise<Ready> => {
    const answer = await serving.ready;
    if (current.has(number)) void serving.stop(RETIRE);
    else adopt(number, serving);
    return answer;
  };

  const restart = async (number: number, reason: string): Promise<void> => {
    let why = reason;
    while (!isStopping && !current.has(number)) {
      const pause = nextPauses[number - 1]!(answeredAt.get(number));
      answeredAt.delete(number);
      onRestart(number);
      log.error({ process: number, nextAttemptInSeconds: pause / 1000 }, `a serving process ${why}`);
      await sleep(pause, undefined, { ref: false });
      if (isStopping || current.has(number)) return;
      let serving: ServingProcess | undefined;
      try {
        // Throws if the system has no memory left.
        serving = launchOne(number, { prepare: false, mayCreateDemo: false });
        await adoptWhenReady(number, serving);
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
    const serving = launchOne(number, { prepare: number === 1, mayCreateDemo: false });
    await serving.ready;
    // The server stops: the old process drains for DRAIN_SECONDS. To retire it would kill it earlier.
    if (isStopping) return;
    // Read after the start: meanwhile the old process may have died, and another one may have replaced it.
    const old = current.get(number);
    adopt(number, serving);
    await old?.stop(RETIRE);
  };

  const replaceEach = async (numbers: number[]): Promise<boolean> => {
    try {
      for (const number of numbers) await replace(number);
      return true;
    } catch (error) {
      log.error(
        { reason: (error as Error).message },
        'a serving process cannot be replaced, the old one continues',
      );
      return false;
    }
  };

  let turn: Promise<unknown> = Promise.resolve();

  const start = async (number: number, options: LaunchOptions): Promise<Ready> =>
    adoptWhenReady(number, launchOne(number, options));

  return {
    current,
    start,
    tryStart: (number) =>
      start(number, { prepare: false, mayCreateDemo: false }).then(
        () => {},
        (error: Error) => void restart(number, `cannot start: ${error.message}`),
      ),
    replace(numbers) {
      const done = turn.then(() => replaceEach(numbers));
      turn = done;
      return done;
    },
    async stop(how) {
      isStopping = true;
      await Promise.all([...running].map((serving) => serving.stop(how)));
    },
  };
}
