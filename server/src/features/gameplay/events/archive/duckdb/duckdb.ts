import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../../../../../core/operator-error.ts';

/** A statement of DuckDB. Values are texts or lists of texts: the statement casts them. */
export interface DuckdbStatement {
  text: string;
  values?: (string | string[])[];
}

/** The statements of a job run in turn, in one database in memory. */
export interface DuckdbJob {
  /** The name of the library. */
  module: string;
  statements: DuckdbStatement[];
  /** The files that the statements may read. */
  reads: string[];
  /** The folders in which they may read and write. */
  writes: string[];
  /** A folder for what does not fit into the memory. Without one, such a job fails. */
  temporary?: string;
  memoryMegabytes: number;
  threads: number;
  /** The maximum number of rows that the job returns. */
  maxRows: number;
}

export type DuckdbAnswer = { rows: DuckdbRow[] } | { error: string } | { isMissing: true };

/** Numbers beyond 32 bits, UUIDs and times are texts. */
export type DuckdbRow = Record<string, unknown>;

/** Thrown if the optional library is not installed. */
export class DuckdbMissingError extends OperatorError {
  override name = 'DuckdbMissingError';
  constructor() {
    super(
      'The archive of events needs the npm package @duckdb/node-api, which is not installed. Install it: npm install --no-save ' +
        `--workspace server @duckdb/node-api@${DUCKDB_VERSION}`,
    );
  }
}

/** Thrown if DuckDB cannot run a statement, for example because a file is missing or damaged. */
export class DuckdbError extends Error {
  override name = 'DuckdbError';
}

/** Thrown if a job has no answer within its time. */
export class DuckdbTimeoutError extends Error {
  override name = 'DuckdbTimeoutError';
}

/** The version in package.json. */
const DUCKDB_VERSION = '1.5.5-r.5';

const PROGRAM = fileURLToPath(new URL('duckdb-process.ts', import.meta.url));
const HEAP_MEGABYTES = 256;
/** A start takes longer than many jobs, so a process waits this long for the next one. */
const IDLE_MS = 10_000;

/**
 * Runs a job and returns the rows of its last statement. The process of the job is killed at the time limit, and when `signal` is
 * aborted.
 */
export type Duckdb = (
  job: Pick<DuckdbJob, 'statements'> & Partial<DuckdbJob>,
  limits: { seconds: number; signal?: AbortSignal | undefined },
) => Promise<DuckdbRow[]>;

const DEFAULTS = { reads: [], writes: [], memoryMegabytes: 256, threads: 2, maxRows: 10_000 };

/**
 * Creates the means to run DuckDB. Jobs that run at the same time have processes of their own. An idle process does not keep this one
 * alive, and ends with it. Another `module` is for tests of a missing library.
 */
export function createDuckdb(module = '@duckdb/node-api'): Duckdb {
  let idle: { child: ChildProcess; stopWaiting: () => void } | undefined;

  const takeProcess = (): ChildProcess => {
    if (!idle) return startProcess();
    const { child, stopWaiting } = idle;
    stopWaiting();
    child.ref();
    child.channel?.ref();
    return child;
  };

  /** Keeps a process for the next job. */
  const keepProcess = (child: ChildProcess): void => {
    if (idle) {
      child.kill('SIGKILL');
      return;
    }
    child.unref();
    child.channel?.unref();
    const stopWaiting = (): void => {
      clearTimeout(end);
      child.off('exit', stopWaiting);
      idle = undefined;
    };
    const end = setTimeout(() => {
      // No job takes a process that is about to end.
      stopWaiting();
      child.kill('SIGKILL');
    }, IDLE_MS).unref();
    child.once('exit', stopWaiting);
    idle = { child, stopWaiting };
  };

  return async (job, { seconds, signal }) => {
    signal?.throwIfAborted();
    const child = takeProcess();
    const answered = Promise.withResolvers<DuckdbAnswer>();
    const receive = (answer: unknown): void => answered.resolve(answer as DuckdbAnswer);
    const fail = (error: Error): void => answered.reject(error);
    const end = (code: number | null, cause: string | null): void =>
      fail(new DuckdbError(`The process of DuckDB ended with ${cause ?? code}.`));
    const abort = (): void => fail(signal!.reason as Error);
    child.on('message', receive).on('exit', end);
    signal?.addEventListener('abort', abort);
    const timer = setTimeout(
      () => fail(new DuckdbTimeoutError(`DuckDB did not answer within ${seconds} seconds.`)),
      seconds * 1000,
    );
    let isReusable = false;
    try {
      child.send({ ...DEFAULTS, ...job, module } satisfies DuckdbJob, (cause) => {
        // The process has died, and its end was not seen yet.
        if (cause) fail(new DuckdbError('The process of DuckDB does not take a job.', { cause }));
      });
      const answer = await answered.promise;
      isReusable = true;
      if ('rows' in answer) return answer.rows;
      throw 'isMissing' in answer ? new DuckdbMissingError() : new DuckdbError(answer.error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      child.off('message', receive).off('exit', end);
      if (isReusable) keepProcess(child);
      else child.kill('SIGKILL');
    }
  };
}

function startProcess(): ChildProcess {
  const child = fork(PROGRAM, {
    execArgv: [`--max-old-space-size=${HEAP_MEGABYTES}`],
    // The process gets no environment variables of the server, because they can hold secrets.
    env: { TZ: 'UTC' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // A job fails when the process ends, or when its message cannot be sent. So this event needs no handler.
  child.on('error', () => {});
  return child;
}
