import type { Database } from '../database/database.ts';
import { deleteStaleCopies, type Archive } from '../features/gameplay/events/index.ts';
import { repeat } from '../jobs/repeat.ts';

const HOUR_MS = 60 * 60_000;

/** Each machine has copies of its own, so each server deletes those of months that retention has deleted. */
export function deleteStaleCopiesHourly(database: Database, archive: Archive): { stop(): Promise<void> } {
  // If the database or the disk fails, the next run does the rest.
  return repeat(
    HOUR_MS,
    () => deleteStaleCopies(database, archive),
    () => {},
  );
}
