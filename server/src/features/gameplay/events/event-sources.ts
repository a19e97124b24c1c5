import type pg from 'pg';
import type { Database } from '../../../database/database.ts';
import type { Archive } from './archive/parts/archive.ts';

/** The places that store events: the database, and the archive of past months. */
export interface EventSources {
  database: Database;
  archive: Archive;
}

/** The event sources for work on partitions, which only the owner of the tables may change. */
export interface EventUpkeep extends EventSources {
  owner: pg.Pool;
}
