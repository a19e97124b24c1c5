import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';

const FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

/**
 * Applies the missing migrations of `migrations/` in one transaction, and returns their names. Processes that start at
 * the same time wait for each other. `url` must connect as the owner of the database.
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
