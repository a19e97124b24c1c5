import { OperatorError } from '../core/operator-error.ts';
import { withDatabaseAt } from '../database/database.ts';
import { openRootKey } from '../features/platform/master-keys/index.ts';
import { listSigningKeys } from '../features/platform/signing-keys/index.ts';
import { createMasterKey, readMasterKey } from '../security/master-key.ts';
import { createVault, type Vault } from '../security/vault.ts';
import type { Config } from './config.ts';

type KeySettings = Pick<Config, 'masterKey' | 'dataDir'>;

/**
 * Opens the vault of the deployment with the master key of the settings or of the data folder. Creates a key for a new database. Throws
 * {@link OperatorError} if the key cannot decrypt the secrets of the database, or if the database has secrets, which a new key could not
 * decrypt.
 */
export function openVault(settings: KeySettings, databaseUrl: string): Promise<Vault> {
  return withDatabaseAt(databaseUrl, async (database) => {
    // Read before the key: another process that starts creates the key first, and then the secrets.
    const isNew = (await listSigningKeys(database)).length === 0;
    const found = await readMasterKey(settings);
    const masterKey = found ?? (isNew ? await createMasterKey(settings.dataDir) : missing(settings));
    return createVault(await openRootKey(database, masterKey));
  });
}

/** The master key of a database that has secrets already. Throws {@link OperatorError} if there is none. */
export async function requireMasterKey(settings: KeySettings): Promise<Buffer> {
  return (await readMasterKey(settings)) ?? missing(settings);
}

function missing({ dataDir }: KeySettings): never {
  throw new OperatorError(
    `The secrets of the database need its master key. Set MASTER_KEY, or copy the file master.key into ${dataDir}.`,
  );
}
