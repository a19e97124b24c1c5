import { InvalidArgumentError } from 'commander';
import type pg from 'pg';
import { parseDuration } from '../core/durations.ts';
import { OperatorError } from '../core/operator-error.ts';
import { untilAborted } from '../core/concurrency/until-aborted.ts';
import { checkMigrations } from '../database/migrate.ts';
import { firstOfMonth } from '../database/partitions/partitioned-tables.ts';
import { openOwnerPool } from '../database/pool.ts';
import { openStorage } from '../database/storage.ts';
import { ConfigError, misspelledSettings, readConfig, type Config } from '../runtime/config.ts';
import { failureSentence } from '../runtime/failure-sentence.ts';

/** Thrown if a command was given an argument that it cannot use. The message says what to write instead. */
export class UsageError extends OperatorError {
  override name = 'UsageError';
}

/** Parses the integer of an option. */
export function integer(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be an integer from ${least} to ${most}.`);
  };
}

/** Parses the duration of an option into seconds. `most` is a number of days, in seconds. */
export function durationOption(least: number, most: number): (text: string) => number {
  return (text) => {
    const seconds = parseDuration(text);
    if (seconds !== undefined && seconds >= least && seconds <= most) return seconds;
    throw new InvalidArgumentError(`Write it as 90s, 10m or 2h, from ${least}s to ${most / 86_400}d.`);
  };
}

/** The first day of a month that has begun, such as `2026-01`. Throws {@link UsageError} for other texts. */
export function firstDayOf(month: string): string {
  const day = `${month}-01`;
  if (!/^[1-9]\d{3}-(0[1-9]|1[0-2])$/.test(month) || day > firstOfMonth(new Date()))
    throw new UsageError(
      `--before must be a month such as 2026-01, at most the current month, and not "${month}".`,
    );
  return day;
}

/** Prints why a command failed, and ends the process with exit code 1. */
export function fail(error: unknown): never {
  console.error(failureSentence(error) ?? error);
  process.exit(1);
}

/**
 * Reads the settings. Throws {@link ConfigError} for bad values, and for variables that look like a misspelled setting: a start
 * with DATABSE_URL would silently use the embedded database.
 */
export function readSettings(): Config {
  const config = readConfig();
  const misspelled = misspelledSettings();
  if (misspelled.length > 0) throw new ConfigError(misspelled.join('\n'));
  return config;
}

/**
 * Runs a command on the database that the settings name. A server may run on it at the same time. Throws {@link OperatorError} if
 * DATA_DIR has no database, because a command with a wrong DATA_DIR would otherwise work on a new one, and if the database lacks
 * migrations. A command that applies the migrations itself says so with `mustBeMigrated: false`.
 */
export async function withStorage<Result>(
  work: (url: string, config: Config) => Promise<Result>,
  { mustExist = true, mustBeMigrated = true } = {},
): Promise<Result> {
  const config = readSettings();
  const interrupted = interruptSignal();
  const storage = await openStorage(config, 'shared', { mustExist });
  try {
    if (mustBeMigrated) await checkMigrations(storage.url);
    return await untilAborted(interrupted, work(storage.url, config));
  } finally {
    await storage.close();
  }
}

/** Runs work on the database that the settings name, with connections of the owner of the tables. */
export async function withOwner(
  poolSize: number,
  work: (owner: pg.Pool, url: string, config: Config) => Promise<void>,
): Promise<void> {
  await withStorage(async (url, config) => {
    const owner = openOwnerPool(url, poolSize);
    try {
      await work(owner, url, config);
    } finally {
      await owner.end();
    }
  });
}

/** A second signal within this time is the same Ctrl-C: it arrives from the terminal, and again from npm. */
const SAME_SIGNAL_MS = 500;

/**
 * Starts a server or a worker, and stops it on a signal. A signal during the start interrupts it: it may wait for a lock of the
 * database. Both end the process with exit code 0.
 */
export async function runUntilSignal<Running extends { stop(): Promise<void> }>(
  start: (interrupted: AbortSignal) => Promise<Running>,
): Promise<Running> {
  const controller = new AbortController();
  const starting = start(controller.signal);
  // The handler is set before the start has ended: a server that is killed during its start would leave PostgreSQL running.
  stopOnSignal(async () => {
    controller.abort(new OperatorError('Interrupted.'));
    const running = await starting.catch((error: Error) => {
      console.error(error.message);
      return undefined;
    });
    await running?.stop();
  });
  return starting.catch((error: Error) => {
    // The handler ends the process.
    if (controller.signal.aborted) return new Promise<never>(() => {});
    throw error;
  });
}

/** Stops on SIGTERM, SIGINT, SIGHUP (the terminal is closed) and the end of the supervisor. A second signal ends the process at once. */
export function stopOnSignal(stop: () => Promise<void>): void {
  onSignal(() => void stop().then(() => process.exit(0), fail));
}

/**
 * Is aborted when a signal ends the command, or when nobody reads its output any more. The command then closes what it has opened. A
 * second signal ends the process at once.
 */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  onSignal(() => controller.abort(new OperatorError('Interrupted.')));
  onClosedOutput(() => controller.abort(new OperatorError('Interrupted: the output was closed.')));
  return controller.signal;
}

/** Stops when a pipe such as `| head` closes the output. Without a listener, Node ends the process, and PostgreSQL would continue. */
export function onClosedOutput(stop: () => void): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', stop);
}

function onSignal(stop: () => void): void {
  let since = 0;
  const handle = (): void => {
    if (since === 0) stop();
    else if (Date.now() - since > SAME_SIGNAL_MS) process.exit(1);
    since ||= Date.now();
  };
  for (const event of ['SIGTERM', 'SIGINT', 'SIGHUP', 'disconnect'] as const) process.on(event, handle);
}
