import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prepareDatabase } from './prepare-database.ts';
import { asAdministrator, cloneTestDatabase, dropDatabase, withDatabase } from '../testing/databases.ts';

test('processes that start together on an empty database wait for one another, and one migrates it', async () => {
  const { url, drop } = await cloneTestDatabase();
  const name = `empty_${process.pid}`;
  await asAdministrator(url, `CREATE DATABASE ${name}`);
  try {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 4 }, () => prepareDatabase(withDatabase(url, name))),
    );
    const starts = outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
    assert.equal(starts.filter(({ migrations }) => migrations.length > 0).length, 1);
    const made = starts.flatMap(({ partitions }) => partitions);
    assert.equal(new Set(made).size, made.length, 'each partition is made once');
    assert.deepEqual(await prepareDatabase(withDatabase(url, name)), { migrations: [], partitions: [] });
  } finally {
    await dropDatabase(url, name);
    await drop();
  }
});
