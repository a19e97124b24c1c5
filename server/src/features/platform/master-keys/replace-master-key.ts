import { SYSTEM } from '../../../core/author.ts';
import type { Database } from '../../../database/database.ts';
import { audit } from '../audit/index.ts';
import { deleteOtherMasterKeys, insertMasterKey, listMasterKeys } from './queries.ts';
import { idOf, newKey, openRootKeyIn, sealRootKey } from './root-key.ts';

/** Creates a master key that the deployment accepts beside the current one. Throws WrongMasterKeyError if the current key is not accepted. */
export async function addMasterKey(
  database: Database,
  currentKey: Buffer,
): Promise<{ id: string; masterKey: Buffer }> {
  return database.transaction(async (transaction) => {
    const masterKey = newKey();
    const row = sealRootKey(await openRootKeyIn(transaction, currentKey), masterKey);
    await insertMasterKey(transaction, row);
    await audit(transaction, { ...SYSTEM, action: 'master_key.added', targetId: row.id });
    return { id: row.id, masterKey };
  });
}

/**
 * Removes all master keys except the current one, and returns their ids. Running processes are not affected. A process that starts with
 * a removed key is refused. Throws WrongMasterKeyError if the current key is not accepted.
 */
export async function removeOtherMasterKeys(database: Database, currentKey: Buffer): Promise<string[]> {
  return database.transaction(async (transaction) => {
    await openRootKeyIn(transaction, currentKey);
    const removed = await deleteOtherMasterKeys(transaction, idOf(currentKey));
    for (const id of removed)
      await audit(transaction, { ...SYSTEM, action: 'master_key.removed', targetId: id });
    return removed;
  });
}

/** Lists the accepted master keys, oldest first. */
export async function describeMasterKeys(
  database: Database,
  currentKey: Buffer,
): Promise<{ id: string; addedAt: string; isCurrent: boolean }[]> {
  const current = idOf(currentKey);
  const keys = await listMasterKeys(database);
  return keys.map(({ id, addedAt }) => ({ id, addedAt, isCurrent: id === current }));
}
