import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';

const FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

/**
 * Brings a database up to date with the files in `migrations/`, all in one transaction, and returns the names of those
 * applied. Processes that start together wait for each other. `url` must belong to the owner of the database.
 */
export async function migrate(url: string): Promise<string[]> {
  const quiet = { debug: () => {}, info: () => {}, warn: console.warn, error: console.error };
  const applied = await runner({
    databaseUrl: url,
    dir: FOLDER,
    direction: 'up',
    migrationsTable: 'migrations',
    checkOrder: true,
    advisoryLockMode: 'wait',
    logger: quiet,
  });
  return applied.map((migration) => migration.name);
}
