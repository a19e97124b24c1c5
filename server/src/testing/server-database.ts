import { withDatabaseAt } from '../database/database.ts';
import { openStorage } from '../database/storage.ts';
import { insertMasterKey, listMasterKeys } from '../features/platform/master-keys/queries.ts';
import { sealRootKey } from '../features/platform/master-keys/root-key.ts';
import { prepareDatabase } from '../runtime/prepare-database.ts';
import { TEST_MASTER_KEY } from './test-vault.ts';

/**
 * Applies the migrations. TEST_MASTER_KEY becomes the root key of a new database, so that servers which are started with it have the same
 * vault as the tests.
 */
export async function prepareTestDatabase(url: string): Promise<void> {
  await prepareDatabase(url);
  await withDatabaseAt(url, async (database) => {
    const key = Buffer.from(TEST_MASTER_KEY, 'hex');
    if ((await listMasterKeys(database)).length === 0) await insertMasterKey(database, sealRootKey(key, key));
  });
}

/** The same for the embedded database of a server that a test starts as a program. */
export async function createServerDatabase(dataDir: string): Promise<void> {
  const storage = await openStorage({ databaseUrl: undefined, dataDir }, 'shared');
  try {
    await prepareTestDatabase(storage.url);
  } finally {
    await storage.close();
  }
}
