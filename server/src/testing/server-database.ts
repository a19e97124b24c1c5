import { withDatabaseAt } from '../database/database.ts';
import { openStorage } from '../database/storage.ts';
import { insertMasterKey, listMasterKeys } from '../features/platform/master-keys/queries.ts';
import { sealRootKey } from '../features/platform/master-keys/root-key.ts';
import { prepareDatabase } from '../runtime/prepare-database.ts';
import { TEST_MASTER_KEY } from './test-vault.ts';

/**
 * Creates the database of a server that a test starts with TEST_MASTER_KEY, if the folder has none. This is also the root key, so that the `vault` of the tests
 * is the one of the server.
 */
export async function createServerDatabase(dataDir: string): Promise<void> {
  const storage = await openStorage({ databaseUrl: undefined, dataDir }, 'shared');
  try {
    await prepareDatabase(storage.url);
    await withDatabaseAt(storage.url, async (database) => {
      const key = Buffer.from(TEST_MASTER_KEY, 'hex');
      if ((await listMasterKeys(database)).length === 0)
        await insertMasterKey(database, sealRootKey(key, key));
    });
  } finally {
    await storage.close();
  }
}
