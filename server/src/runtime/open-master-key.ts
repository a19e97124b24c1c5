import { OperatorError } from '../core/operator-error.ts';
import { withDatabaseAt } from '../database/database.ts';
import { checkMasterKey, listSigningKeys } from '../features/platform/signing-keys/index.ts';
import { createMasterKey, readMasterKey } from '../security/master-key.ts';
import { createVault } from '../security/vault.ts';
import type { Config } from './config.ts';

/**
 * The master key of the settings or of the data folder. Creates one for a new database. Throws {@link OperatorError} if the key cannot
 * decrypt the secrets of the database, or if the database has secrets, which a new key could not decrypt.
 */
export function openMasterKey(
  config: Pick<Config, 'masterKey' | 'dataDir'>,
  databaseUrl: string,
): Promise<Buffer> {
  return withDatabaseAt(databaseUrl, async (database) => {
    // Read before the key: another process that starts creates the key first, and then the secrets.
    const isNew = (await listSigningKeys(database)).length === 0;
    const key = config.masterKey ?? (await readMasterKey(config));
    if (key) {
      await checkMasterKey(database, createVault(key));
      return key;
    }
    if (isNew) return createMasterKey(config.dataDir);
    throw new OperatorError(
      `The secrets of the database need its master key. Set MASTER_KEY, or copy the file master.key into ${config.dataDir}.`,
    );
  });
}
