import { isGuid } from '../../../../../core/ids.ts';
import type { Database } from '../../../../../database/database.ts';
import { listPartFolders, listTenantFolders, partName, removePart } from './archive-files.ts';
import type { Archive } from './archive.ts';
import { selectPartNames } from './queries.ts';

/**
 * Deletes the local copies of parts that no row of the database names. Retention deletes the objects in the bucket, and those copies that
 * its own machine has.
 */
export async function deleteStaleCopies(database: Database, { root }: Pick<Archive, 'root'>): Promise<void> {
  for (const tenantId of (await listTenantFolders(root)).filter(isGuid)) {
    const copies = await listPartFolders(root, tenantId);
    // Read after the folders: a part is registered before it has files.
    const registered = await selectPartNames(database.forTenant(tenantId), tenantId);
    for (const part of copies) if (!registered.has(partName(part))) await removePart(root, part);
  }
}
