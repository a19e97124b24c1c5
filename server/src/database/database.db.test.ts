import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { arrangeTenant } from '../testing/arrange.ts';
import { cloneTestDatabase } from '../testing/databases.ts';
import { eventually } from '../testing/eventually.ts';
import { openDatabase, type Querier } from './database.ts';
import { isUniqueViolation } from './errors.ts';
import { sql } from './sql.ts';

const clone = await cloneTestDatabase();
const owner = new pg.Pool({ connectionString: clone.url, max: 2 });
const database = openDatabase(clone.url, { poolSize: 2 });
after(async () => {
  await database.close();
  await owner.end();
  await clone.drop();
});

describe('openDatabase', () => {
  test('ends a scope with its transaction, even after an error', async () => {
    const single = openDatabase(clone.url, { poolSize: 1 });
    const { tenantId } = await arrangeTenant({ owner });
    const count = sql`SELECT count(*) FROM provider_settings`;
    const inside = () => single.forTenant(tenantId).row<{ count: number }>(count);
    assert.equal((await inside())?.count, 1);
    assert.equal((await single.row<{ count: number }>(count))?.count, 0);
    await assert.rejects(
      single.forTenant(tenantId).transaction(async (transaction) => {
        assert.equal((await transaction.row<{ count: number }>(count))?.count, 1);
        throw new Error('half-way');
      }),
      /half-way/,
    );
    assert.equal((await single.row<{ count: number }>(count))?.count, 0);
    await assert.rejects(single.forTenant(tenantId).rows(sql`SELECT 1 / 0`), /division by zero/);
    assert.equal((await single.row<{ count: number }>(count))?.count, 0);
    for (const forged of ['', 'x', `${tenantId}'; RESET ROLE; --`, tenantId.replaceAll('-', '')])
      assert.throws(() => single.forTenant(forged), TypeError, forged);
    await single.close();
  });

  test('rolls back after a failed statement, even if its error is caught', async () => {
    const slug = randomUUID();
    const insert = sql`INSERT INTO workspaces (id, name, slug) VALUES (${randomUUID()}, 'x', ${slug})`;
    await assert.rejects(
      database.forPlatform().transaction(async (transaction) => {
        await transaction.run(insert);
        await transaction.run(insert).catch(() => {});
      }),
      /rolled back/,
    );
    assert.equal((await owner.query('SELECT 1 FROM workspaces WHERE slug = $1', [slug])).rowCount, 0);
  });

  test('reports whether a statement returns or changes a row, and throws if a required row is missing', async () => {
    const { tenantId } = await arrangeTenant({ owner });
    const scopes = [database.forTenant(tenantId), database.heavy.forTenant(tenantId)];
    for (const scope of scopes) {
      assert.deepEqual(await scope.one(sql`SELECT 1 AS number`), { number: 1 });
      await assert.rejects(scope.one(sql`SELECT 1 WHERE false`), /returned no row/);
      assert.equal(await scope.exists(sql`SELECT FROM tenants WHERE id = ${tenantId}`), true);
      assert.equal(await scope.exists(sql`SELECT FROM tenants WHERE id = ${randomUUID()}`), false);
      assert.equal(await scope.changes(sql`UPDATE tenants SET name = 'Chess' WHERE id = ${tenantId}`), true);
      assert.equal(
        await scope.changes(sql`UPDATE tenants SET name = 'Chess' WHERE id = ${randomUUID()}`),
        false,
      );
    }
  });

  test('fails only the transaction whose connection breaks', async () => {
    const dying = openDatabase(clone.url, { poolSize: 1 });
    const pid = sql`SELECT pg_backend_pid() AS pid`;
    await assert.rejects(
      dying.transaction(async (transaction) => {
        const backend = await transaction.row<{ pid: number }>(pid);
        await owner.query('SELECT pg_terminate_backend($1::int)', [backend!.pid]);
        await eventually(
          async () =>
            (await owner.query('SELECT FROM pg_stat_activity WHERE pid = $1', [backend!.pid])).rowCount === 0,
        );
        await transaction.row(pid);
      }),
    );
    assert.ok((await dying.row<{ pid: number }>(pid))?.pid, 'the next statement gets a new connection');
    await dying.close();
  });

  test('retries a transaction after a deadlock', async () => {
    const names = [randomUUID(), randomUUID()];
    for (const name of names)
      await database
        .forPlatform()
        .run(sql`INSERT INTO workspaces (id, name, slug) VALUES (${name}, '', ${name})`);
    const append = (db: Querier, id: string, text: string) =>
      db.run(sql`UPDATE workspaces SET name = name || ${text} WHERE id = ${id}`);
    let attempts = 0;
    const both = Promise.withResolvers<void>();
    const work = (text: string, [first, second]: string[]) =>
      database.forPlatform().transaction(async (transaction) => {
        await append(transaction, first!, text);
        if (++attempts === 2) both.resolve();
        await both.promise;
        await append(transaction, second!, text);
      });
    await Promise.all([work('a', names), work('b', names.toReversed())]);
    // PostgreSQL may end both transactions if both detect the deadlock at the same time.
    assert.ok(attempts === 3 || attempts === 4, `${attempts}`);
    const rows = await database.forPlatform().rows<{ name: string }>(sql`
    SELECT name FROM workspaces WHERE id = ANY(${names}::uuid[])`);
    for (const { name } of rows) assert.deepEqual([...name].toSorted(), ['a', 'b']);
  });

  test('rejects pipelined statements with the error of the first one that failed', async () => {
    const later = async (statement: Promise<unknown>) => statement;
    const failing = database.transaction((transaction) =>
      Promise.all([
        later(later(transaction.run(sql`SELECT 1 / 0`))),
        transaction.rows(sql`SELECT 1`),
        transaction.run(sql`SELECT 2`),
      ]),
    );
    await assert.rejects(failing, { message: 'division by zero' });
  });

  test('shares one prepared statement between pipelined statements with the same text', async () => {
    const fresh = openDatabase(clone.url, { poolSize: 1 });
    const text = (number: number) => sql`SELECT ${number}::int AS "inFlight"`;
    const rows = await fresh.transaction((transaction) =>
      Promise.all([1, 2, 3].map((number) => transaction.row<{ inFlight: number }>(text(number)))),
    );
    assert.deepEqual(
      rows.map((row) => row?.inFlight),
      [1, 2, 3],
    );
    await fresh.close();
  });

  test('isUniqueViolation recognizes a duplicate, optionally by its constraint', async () => {
    const id = randomUUID();
    const platform = database.forPlatform();
    const insert = sql`INSERT INTO workspaces (id, name, slug) VALUES (${randomUUID()}, 'x', ${id})`;
    await platform.run(sql`INSERT INTO workspaces (id, name, slug) VALUES (${id}, 'x', ${id})`);
    await assert.rejects(platform.run(insert), (error) => isUniqueViolation(error, 'workspaces_slug_key'));
    await assert.rejects(platform.run(insert), (error) => !isUniqueViolation(error, 'workspaces_pkey'));
    await assert.rejects(database.run(sql`SELECT 1 / 0`), (error) => !isUniqueViolation(error));
  });
});
