import { OperatorError } from '../core/operator-error.ts';
import { withDatabaseAt } from '../database/database.ts';
import { listSigningKeys } from '../features/platform/signing-keys/index.ts';
import { createMasterKey, readMasterKey } from '../security/master-key.ts';
import type { Config } from './config.ts';

/**
 * The master key of the settings or of the data folder. Creates one for a new database. Throws {@link OperatorError} if the database
 * has secrets, which a new key could not decrypt.
 */
export async function openMasterKey(
  config: Pick<Config, 'masterKey' | 'dataDir'>,
  databaseUrl: string,
): Promise<Buffer> {
  if (config.masterKey) return config.masterKey;
  // Before the key is read, because another process that starts creates first the key and then the secrets.
  const isNew = !(await hasSecrets(databaseUrl));
  const found = await readMasterKey(config);
  if (found) return found;
  if (isNew) return createMasterKey(config.dataDir);
  throw new OperatorError(
    `The secrets of the database need its master key. Set MASTER_KEY, or copy the file master.key into ${config.dataDir}.`,
  );
}

async function hasSecrets(databaseUrl: string): Promise<boolean> {
  return (await withDatabaseAt(databaseUrl, listSigningKeys)).length > 0;
}
