import { statfs } from 'node:fs/promises';
import type { Registry } from 'prom-client';
import { addGauge } from '../core/add-gauge.ts';
import type { Database } from './database.ts';
import { readForScrape } from './read-for-scrape.ts';
import { sql } from './sql.ts';

/**
 * Registers the size of the database and, if it is embedded, the free space of its file system. Each process exports the same
 * values.
 */
export function measureDisk(registry: Registry, database: Database, embeddedIn: string | undefined): void {
  addGauge(
    registry,
    {
      name: 'guildhall_database_bytes',
      help: 'The size of the database, with its indexes and without the write-ahead log of PostgreSQL.',
    },
    readForScrape(async () => {
      const { bytes } = await database.one<{ bytes: number }>(
        sql`SELECT pg_database_size(current_database())::float8 AS bytes`,
      );
      return bytes;
    }),
  );
  if (embeddedIn === undefined) return;
  addGauge(
    registry,
    { name: 'guildhall_disk_free_bytes', help: 'The free space of the file system of DATA_DIR.' },
    () =>
      statfs(embeddedIn).then(
        ({ bavail, bsize }) => bavail * bsize,
        () => undefined,
      ),
  );
}
