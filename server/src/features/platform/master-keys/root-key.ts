import { randomBytes } from 'node:crypto';
import { lockUntilCommit } from '../../../database/advisory-locks.ts';
import type { Database, Querier } from '../../../database/database.ts';
import { createVault, WrongMasterKeyError } from '../../../security/vault.ts';
import { checkMasterKey, listSigningKeys } from '../signing-keys/index.ts';
import { insertMasterKey, listMasterKeys, type MasterKeyRow } from './queries.ts';

const PURPOSE = 'root key';

/** A new master key or root key. */
export const newKey = (): Buffer => randomBytes(32);

/**
 * Decrypts the root key, from which all keys of the vault are derived. Creates it for a new database. Throws
 * {@link WrongMasterKeyError} if the deployment does not accept the master key (docs/operations.md#replace-the-master-key).
 */
export function openRootKey(database: Database, masterKey: Buffer): Promise<Buffer> {
  return database.transaction((transaction) => openRootKeyIn(transaction, masterKey));
}

/**
 * The same in a transaction, which holds the lock of the master keys until it ends. So one of the processes that start on a new database
 * creates the root key, and two operators cannot remove the keys of each other.
 */
export async function openRootKeyIn(transaction: Querier, masterKey: Buffer): Promise<Buffer> {
  await lockUntilCommit(transaction, 'masterKeys');
  const accepted = await listMasterKeys(transaction);
  if (accepted.length > 0) return unseal(accepted, masterKey);
  const rootKey = await chooseRootKey(transaction, masterKey);
  await insertMasterKey(transaction, sealRootKey(rootKey, masterKey));
  return rootKey;
}

/** The row of a master key that decrypts the root key. */
export function sealRootKey(rootKey: Buffer, masterKey: Buffer): Omit<MasterKeyRow, 'addedAt'> {
  return {
    id: idOf(masterKey),
    rootKey: createVault(masterKey).seal(rootKey.toString('hex'), PURPOSE),
  };
}

/** Names a master key, and does not reveal it. */
export function idOf(masterKey: Buffer): string {
  return createVault(masterKey).derive('id of a master key').toString('hex').slice(0, 16);
}

function unseal(accepted: MasterKeyRow[], masterKey: Buffer): Buffer {
  const id = idOf(masterKey);
  const row = accepted.find((one) => one.id === id);
  if (!row) throw new WrongMasterKeyError();
  return Buffer.from(createVault(masterKey).open(row.rootKey, PURPOSE), 'hex');
}

/** In databases that are older than the table of master keys, the master key is also the root key. */
async function chooseRootKey(transaction: Querier, masterKey: Buffer): Promise<Buffer> {
  if ((await listSigningKeys(transaction)).length === 0) return newKey();
  await checkMasterKey(transaction, createVault(masterKey));
  return masterKey;
}
