import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import { OperatorError } from '../core/operator-error.ts';

/** The SQLSTATE of a missing right. */
const INSUFFICIENT_PRIVILEGE = '42501';

const FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

/**
 * Applies the missing migrations of `migrations/` in one transaction, and returns their names. Processes that start at
 * the same time wait for each other. `url` must connect as the owner of the database.
 */
export async function migrate(url: string): Promise<string[]> {
  const details: unknown[] = [];
  const note = (...parts: unknown[]): void => void details.push(...parts);
  const logger = { debug: () => {}, info: () => {}, warn: note, error: note };
  const applied = await runner({
    databaseUrl: url,
    dir: FOLDER,
    direction: 'up',
    migrationsTable: 'migrations',
    checkOrder: true,
    advisoryLockMode: 'wait',
    logger,
  }).catch((error: Error & { code?: string }) => {
    if (error.code !== INSUFFICIENT_PRIVILEGE) {
      // The file and the statement that failed.
      console.error(...details);
      throw error;
    }
    throw new OperatorError(
      `The user of DATABASE_URL has too few rights for the migrations (${error.message}). Grant what docs/operations.md lists under "A database of your own".`,
      { cause: error },
    );
  });
  return applied.map((migration) => migration.name);
}
