import { openDatabase, type Database } from '../database/database.ts';
import { DatabaseUnusableError, DataFolderInUseError, openStorage } from '../database/storage.ts';
import { RotationRefusedError } from '../features/platform/signing-keys/index.ts';
import { ChainConfigurationError } from '../features/wallet/chain/index.ts';
import { ConfigError, readConfig, type Config } from '../runtime/config.ts';
import { WrongMasterKeyError } from '../security/vault.ts';
import { SimulationError } from '../simulation/index.ts';

/** Thrown if a command was given an argument that it cannot use. The message says what to write instead. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Errors that the operator can correct: each is printed as its sentence, without a stack. */
const OPERATOR_ERRORS = [
  ChainConfigurationError,
  ConfigError,
  DatabaseUnusableError,
  DataFolderInUseError,
  RotationRefusedError,
  SimulationError,
  UsageError,
  WrongMasterKeyError,
];

/** Prints why a command failed, and ends the process with exit code 1. */
export function fail(error: unknown): never {
  const isExpected = OPERATOR_ERRORS.some((kind) => error instanceof kind);
  console.error(isExpected ? (error as Error).message : error);
  process.exit(1);
}

/** Runs a command on the database that the settings name. A server may run on it at the same time. */
export async function withStorage(work: (url: string, config: Config) => Promise<void>): Promise<void> {
  const config = readConfig();
  const storage = await openStorage(config, 'shared');
  try {
    await work(storage.url, config);
  } finally {
    await storage.close();
  }
}

/** Runs work on a connection of its own. */
export async function withDatabase<Result>(
  url: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase(url, { poolSize: 2, work: 'job' });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** A second signal within this time is the same Ctrl-C: it arrives from the terminal, and again from npm. */
const SAME_SIGNAL_MS = 500;

/** Stops on SIGTERM, SIGINT and the end of the supervisor. A second signal ends the process at once. */
export function stopOnSignal(stop: () => Promise<void>): void {
  let since = 0;
  const handle = (): void => {
    if (since > 0) {
      if (Date.now() - since > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    since = Date.now();
    stop().then(() => process.exit(0), fail);
  };
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.on(event, handle);
}
