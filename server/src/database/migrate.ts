import { readdir } from 'node:fs/promises';
import { parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { runner } from 'node-pg-migrate';
import type pg from 'pg';
import { isDatabaseUnavailable } from '../core/database-unavailable.ts';
import { OperatorError } from '../core/operator-error.ts';
import { waitForLock } from './advisory-locks.ts';
import { withClient } from './client.ts';
import { isLockTimeout } from './errors.ts';

/** A migration of a large table, or of another process, may take minutes. After this time a line says so. */
const NOTE_AFTER_MS = 10_000;

/** The SQLSTATE of a missing right. */
const INSUFFICIENT_PRIVILEGE = '42501';

/** The message if the database takes no writes. */
export const READ_ONLY =
  'The database is read-only: it is a standby, its recovery is paused, or default_transaction_read_only is on. ' +
  'Connect to the primary, or end the recovery (SELECT pg_wal_replay_resume()).';

const TABLE = 'migrations';
const FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

/**
 * A migration waits for a lock on a table at most this long. Meanwhile, all statements on the table wait too. Then it starts again after a
 * pause, in which they run.
 */
const LOCK_TIMEOUT_MS = 1_000;
const LOCK_PAUSE_MS = 3_000;
const LOCK_ATTEMPTS = 15;

/**
 * Applies the missing migrations of `migrations/` in one transaction, and returns their names. The connection must be of the owner of the
 * database. It keeps the lock of the migrations, so processes that start at the same time wait until this one has closed it. Throws
 * {@link OperatorError} if the user has too few rights, if the database is read-only, if a migration fails, or if other connections hold
 * locks on the tables for a minute.
 */
export async function migrate(owner: pg.Client, folder = FOLDER): Promise<string[]> {
  await requireWritable(owner);
  // If this process is killed, PostgreSQL ends its statement, which may hold locks on tables for minutes.
  await owner.query(`SET client_connection_check_interval = '5s'`);
  await withNote('Another process applies migrations. This one waits for it.', () =>
    waitForLock(owner, 'migrations'),
  );
  await owner.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  for (let attempt = 1; ; attempt++) {
    try {
      const applied = await withNote('The migrations run. Large tables take a while.', () =>
        applyMigrations(owner, folder),
      );
      await owner.query('RESET lock_timeout');
      warnOfNewerVersion((await compareMigrations(owner, folder)).unknown);
      return applied;
    } catch (error) {
      if (!waitedForLock(error)) throw error;
      if (attempt === LOCK_ATTEMPTS)
        throw new OperatorError(
          'The migrations waited a minute for a lock that another connection holds, such as a pg_dump. Nothing was changed. ' +
            'Find the connection in pg_stat_activity, and start again when it has ended.',
          { cause: error },
        );
      if (attempt === 1) console.error('The migrations wait for a lock that another connection holds.');
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

/** Throws {@link OperatorError} if the database is a standby, or read-only for another reason. */
export async function requireWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (rows[0]?.transaction_read_only === 'on') throw new OperatorError(READ_ONLY);
}

/** Throws {@link OperatorError} if the database lacks migrations of this version, because statements would then name missing tables. */
export async function checkMigrations(url: string): Promise<void> {
  return withClient(url, async (client) => {
    const { rows: tables } = await client.query('SELECT 1 WHERE to_regclass($1) IS NOT NULL', [TABLE]);
    if (tables.length === 0)
      throw new OperatorError(
        'The database has no tables of Guildhall. Check DATABASE_URL, or create the tables: guildhall migrate',
      );
    const { missing, unknown } = await compareMigrations(client, FOLDER);
    if (missing.length > 0)
      throw new OperatorError(
        `The database is of an older version: it lacks the migrations ${missing.join(', ')}. Apply them: guildhall migrate`,
      );
    warnOfNewerVersion(unknown);
  });
}

/** Returns which migrations of a folder the database lacks, and which applied ones the folder lacks. */
async function compareMigrations(
  client: pg.Client,
  folder: string,
): Promise<{ missing: string[]; unknown: string[] }> {
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${TABLE} ORDER BY name`);
  const applied = rows.map(({ name }) => name);
  const known = (await readdir(folder)).map((file) => parse(file).name);
  return {
    missing: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}

/** After a roll-back this is intended. Otherwise an operator has started the wrong version. */
function warnOfNewerVersion(unknown: string[]): void {
  if (unknown.length > 0)
    console.error(
      `The database is of a newer version: it has the migrations ${unknown.join(', ')}, which this version does not know.`,
    );
}

async function applyMigrations(client: pg.Client, folder: string): Promise<string[]> {
  const details: unknown[] = [];
  const note = (...parts: unknown[]): void => void details.push(...parts);
  const logger = { debug: () => {}, info: () => {}, warn: note, error: note };
  const applied = await runner({
    dbClient: client,
    dir: folder,
    direction: 'up',
    migrationsTable: TABLE,
    checkOrder: true,
    singleTransaction: true,
    // migrate() holds an advisory lock of its own.
    noLock: true,
    logger,
  }).catch((error: Error & { code?: string }) => {
    if (waitedForLock(error) || isDatabaseUnavailable(error)) throw error;
    if (error.code === INSUFFICIENT_PRIVILEGE)
      throw new OperatorError(
        `The user of DATABASE_URL has too few rights for the migrations (${error.message}). Grant what docs/operations.md lists under "Use your own PostgreSQL".`,
        { cause: error },
      );
    // The log of the runner contains the statement that failed.
    console.error(...details);
    throw new OperatorError(
      `A migration failed: ${error.message}. The database is unchanged, so the version that used it before can start on it.`,
      { cause: error },
    );
  });
  return applied.map((migration) => migration.name);
}

/** Does work that may take long, and then says so. */
async function withNote<Result>(note: string, work: () => Promise<Result>): Promise<Result> {
  const timer = setTimeout(() => console.error(note), NOTE_AFTER_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/** The library wraps the errors of its own statements. */
const waitedForLock = (error: unknown): boolean =>
  isLockTimeout(error) || isLockTimeout((error as Error).cause);
