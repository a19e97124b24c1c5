import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import pg from 'pg';
import { arrangeTenant } from '../testing/arrange.ts';
import { billingOf } from '../testing/billing-of.ts';
import { cloneTestDatabase } from '../testing/databases.ts';
import { openDatabase } from './database.ts';
import { sql } from './sql.ts';

const clone = await cloneTestDatabase();
const owner = new pg.Pool({ connectionString: clone.url, max: 2 });
const database = openDatabase(clone.url, { poolSize: 8 });
after(async () => {
  await database.close();
  await owner.end();
  await clone.drop();
});

/** The payer of writes on a key of a new tenant. */
const arrangeBilling = async () => billingOf(owner, await arrangeTenant({ owner }));

test('writes of one tenant that wait for a lock leave connections for others', async () => {
  const [hostile, honest] = [await arrangeBilling(), await arrangeBilling()];
  const blocker = await owner.connect();
  const lock = Number.parseInt(randomUUID().slice(0, 7), 16);
  await blocker.query('SELECT pg_advisory_lock($1)', [lock]);
  const writes = Array.from({ length: 40 }, () =>
    database
      .forKey(hostile)
      .transaction((transaction) =>
        transaction.rows(sql`SELECT FROM pg_advisory_xact_lock(${lock}::bigint)`),
      ),
  );
  try {
    await database.forKey(honest).transaction((transaction) => transaction.rows(sql`SELECT 1`));
    await database.forTenant(honest.tenantId).rows(sql`SELECT 1`);
  } finally {
    await blocker.query('SELECT pg_advisory_unlock($1)', [lock]);
    blocker.release();
  }
  await Promise.all(writes);
  assert.equal(hostile.chargedTransactions, 40);
});
