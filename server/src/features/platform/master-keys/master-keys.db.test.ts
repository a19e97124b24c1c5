import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../../../database/database.ts';
import { createVault, WrongMasterKeyError } from '../../../security/vault.ts';
import { sql } from '../../../database/sql.ts';
import { cloneTestDatabase } from '../../../testing/databases.ts';
import { commitWhileWaiting } from '../../../testing/while-locked.ts';
import { generateSigningKey } from '../signing-keys/key-ring.ts';
import { insertSigningKey } from '../signing-keys/queries.ts';
import { addMasterKey, describeMasterKeys, openRootKey, removeOtherMasterKeys } from './index.ts';

const cleanUp: (() => Promise<void>)[] = [];
after(async () => {
  for (const undo of cleanUp) await undo();
});

async function newDatabase() {
  const { url, drop } = await cloneTestDatabase();
  const database = openDatabase(url);
  // The databases of tests have a root key already.
  await database.run(sql`DELETE FROM master_keys`);
  const owner = new pg.Pool({ connectionString: url, max: 2 });
  cleanUp.push(async () => {
    await owner.end();
    await database.close();
    await drop();
  });
  return { database, owner };
}

describe('the root key', () => {
  test('is one for all processes that start together on a new database', async () => {
    const { database } = await newDatabase();
    const masterKey = randomBytes(32);
    const opened = await Promise.all(Array.from({ length: 8 }, () => openRootKey(database, masterKey)));
    assert.equal(new Set(opened.map((key) => key.toString('hex'))).size, 1);
    assert.notDeepEqual(opened[0], masterKey);
    assert.equal((await describeMasterKeys(database, masterKey)).length, 1);
  });

  test('is the master key in a database with secrets that are older than the table', async () => {
    const { database } = await newDatabase();
    const masterKey = randomBytes(32);
    const signingKey = await generateSigningKey(createVault(masterKey), new Date().toISOString());
    await insertSigningKey(database, signingKey);
    await assert.rejects(openRootKey(database, randomBytes(32)), WrongMasterKeyError);
    assert.deepEqual(await describeMasterKeys(database, masterKey), [], 'a wrong key is not stored');
    assert.deepEqual(await openRootKey(database, masterKey), masterKey);
    const added = await addMasterKey(database, masterKey);
    assert.deepEqual(await openRootKey(database, added.masterKey), masterKey);
  });

  test('is opened by no key that is unknown or removed', async () => {
    const { database } = await newDatabase();
    const first = randomBytes(32);
    const rootKey = await openRootKey(database, first);
    const { masterKey: second, id } = await addMasterKey(database, first);
    await assert.rejects(openRootKey(database, randomBytes(32)), WrongMasterKeyError);
    await assert.rejects(removeOtherMasterKeys(database, randomBytes(32)), WrongMasterKeyError);
    assert.equal((await removeOtherMasterKeys(database, second)).length, 1);
    await assert.rejects(openRootKey(database, first), WrongMasterKeyError);
    assert.deepEqual(await openRootKey(database, second), rootKey);
    const [only] = await describeMasterKeys(database, second);
    assert.equal(only!.id, id);
    assert.ok(only!.isCurrent);
  });

  test('stays open if two operators remove the key of each other at once', async () => {
    const { database, owner } = await newDatabase();
    const first = randomBytes(32);
    const rootKey = await openRootKey(database, first);
    const { masterKey: second } = await addMasterKey(database, first);
    const outcomes = await commitWhileWaiting(
      { owner },
      (holder) => holder.query('LOCK TABLE master_keys IN SHARE MODE'),
      () => Promise.allSettled([first, second].map((key) => removeOtherMasterKeys(database, key))),
      2,
    );
    assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    const kept = outcomes[0]!.status === 'fulfilled' ? first : second;
    assert.deepEqual(await openRootKey(database, kept), rootKey);
  });
});
