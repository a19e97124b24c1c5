import type pg from 'pg';
import { OperatorError } from '../../../../../core/operator-error.ts';
import { partName } from './archive-files.ts';
import { listStoredParts, type Archive } from './archive.ts';
import { listNewestParts } from './queries.ts';

/** Some files may be lost, so one part is not enough. The newest parts are the last ones that retention deletes. */
const MOST_PARTS = 100;

/**
 * Throws {@link OperatorError} if the database has archived parts, and the folder or bucket has none of the newest. Then a volume is not
 * mounted, or a setting is wrong. A part that was written there would be missing later, and a deletion would leave the files elsewhere.
 */
export async function requireStoredParts(client: pg.ClientBase, archive: Archive): Promise<void> {
  const parts = await listNewestParts(client, MOST_PARTS);
  if (parts.length === 0) return;
  for (const [tenantId, own] of Map.groupBy(parts, (part) => part.tenantId)) {
    const names = new Set(own.map(partName));
    const stored = await listStoredParts(archive, tenantId);
    if (stored.some((part) => names.has(partName(part)))) return;
  }
  throw new OperatorError(
    archive.bucket
      ? 'The bucket of ARCHIVE_STORAGE_URL has no files of the archived events. Set ARCHIVE_STORAGE_URL to the same value as for the worker.'
      : `The folder ${archive.root} has no files of the archived events. Mount the volume of ARCHIVE_DIR, or set ARCHIVE_DIR and ARCHIVE_STORAGE_URL to the same values as for the worker.`,
  );
}
