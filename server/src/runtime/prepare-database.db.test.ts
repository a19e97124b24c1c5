import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prepareDatabase } from './prepare-database.ts';
import pg from 'pg';
import { asAdministrator, cloneTestDatabase, dropDatabase, withDatabase } from '../testing/databases.ts';
import { eventually } from '../testing/eventually.ts';

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
    assert.deepEqual(await prepareDatabase(withDatabase(url, name)), {
      migrations: [],
      partitions: [],
      distributed: [],
    });
  } finally {
    await dropDatabase(url, name);
    await drop();
  }
});

test('a migration that gets no lock within a second stops waiting, and succeeds after the lock is released', async () => {
  const { url, drop } = await cloneTestDatabase();
  const [holder, observer] = [new pg.Client(url), new pg.Client(url)];
  await Promise.all([holder.connect(), observer.connect()]);
  try {
    await holder.query('BEGIN; LOCK TABLE migrations IN ACCESS EXCLUSIVE MODE');
    let isOver = false;
    const migrating = prepareDatabase(url).finally(() => (isOver = true));
    // While a statement waits for a lock on a table, all later statements on this table wait too.
    for (const count of [1, 0])
      await eventually(async () => {
        const { rowCount } = await observer.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return rowCount === count;
      });
    assert.equal(isOver, false);
    await holder.query('COMMIT');
    assert.deepEqual(await migrating, { migrations: [], partitions: [], distributed: [] });
  } finally {
    await Promise.all([holder.end(), observer.end()]);
    await drop();
  }
});
