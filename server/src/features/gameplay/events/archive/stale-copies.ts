import { isGuid } from '../../../../core/ids.ts';
import type { Database } from '../../../../database/database.ts';
import { listPartFolders, listTenantFolders, partName, removePart } from './archive-files.ts';
import type { Archive } from './create-archive.ts';
import { selectRegistered } from './queries.ts';

const INTERVAL_MS = 60 * 60_000;

/**
 * Deletes the local copies of parts that were deleted, now and every hour. Retention deletes the objects in the bucket, and those copies
 * that its own machine has.
 */
export function openStaleCopyDeletion(database: Database, archive: Archive): { close(): Promise<void> } {
  let running = Promise.resolve();
  const run = (): void => {
    // If the database or the disk fails, the next run does the rest.
    running = running.then(() => deleteStaleCopies(database, archive)).catch(() => {});
  };
  if (!archive.bucket) return { close: async () => {} };
  run();
  const timer = setInterval(run, INTERVAL_MS).unref();
  return {
    close() {
      clearInterval(timer);
      return running;
    },
  };
}

/** Deletes the local copies of parts that no row of the database names. */
export async function deleteStaleCopies(database: Database, { root }: Pick<Archive, 'root'>): Promise<void> {
  for (const tenantId of (await listTenantFolders(root)).filter(isGuid)) {
    const copies = await listPartFolders(root, tenantId);
    // Read after the folders: a part is registered before it has files.
    const registered = new Set(
      (await selectRegistered(database.forTenant(tenantId), tenantId)).map(partName),
    );
    for (const part of copies) if (!registered.has(partName(part))) await removePart(root, part);
  }
}
