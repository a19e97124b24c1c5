import type { Database } from '../../../database/database.ts';
import type { Archive } from './archive/archive.ts';

/** The places that store events: the database, and the archive of past months. */
export interface EventSources {
  database: Database;
  archive: Archive;
}
