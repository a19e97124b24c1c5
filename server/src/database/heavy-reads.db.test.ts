import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { arrangeTenant } from '../testing/arrange.ts';
import { cloneTestDatabase } from '../testing/databases.ts';
import { whileLocked } from '../testing/while-locked.ts';
import { advisoryLocks } from './advisory-locks.ts';
import { openDatabase } from './database.ts';
import { isTimeout } from './errors.ts';
import { sql } from './sql.ts';

const clone = await cloneTestDatabase();
const owner = new pg.Pool({ connectionString: clone.url, max: 2 });
const database = openDatabase(clone.url);
after(async () => {
  await database.close();
  await owner.end();
  await clone.drop();
});

/** Creates tenants in two workspaces of one account. */
async function arrangeStudio(tenants: number, { isPlatformAdmin = false } = {}) {
  const accountId = randomUUID();
  await owner.query(
    "INSERT INTO accounts (id, email, password_hash, is_platform_admin) VALUES ($1, $2, '', $3)",
    [accountId, `${accountId}@example.com`, isPlatformAdmin],
  );
  const workspaces = [randomUUID(), randomUUID()];
  const all = [];
  for (let count = 0; count < tenants; count++)
    all.push((await arrangeTenant({ owner }, { workspaceId: workspaces[count % 2]! })).tenantId);
  await owner.query(
    `INSERT INTO memberships (workspace_id, account_id, role) SELECT id, $1, 'owner' FROM workspaces WHERE id = ANY($2)`,
    [accountId, workspaces],
  );
  return { accountId, workspaces, tenants: all };
}

const ownerOf = async (id: string) =>
  (await database.one<{ owner: string }>(sql`SELECT guildhall_owner_of_reads(${id}) AS owner`)).owner;

describe('large reads', () => {
  test('of one account with many tenants delay a read of another account by at most two reads', async () => {
    const hostile = await arrangeStudio(6);
    const honest = await arrangeStudio(1);
    let ended = 0;
    const slowReads = hostile.tenants.flatMap((tenantId) =>
      Array.from({ length: 2 }, () =>
        database.heavy
          .forTenant(tenantId)
          .rows(sql`SELECT pg_sleep(0.25)`)
          .then(() => ended++),
      ),
    );
    await Promise.any(slowReads);
    const before = ended;
    await database.heavy.forTenant(honest.tenants[0]!).rows(sql`SELECT 1`);
    const meanwhile = ended - before;
    assert.ok(meanwhile <= 2, `${meanwhile} reads of the other account came first`);
    await Promise.all(slowReads);
  });

  test('wait while a change of partitions needs their end, and fail with the error of the time limit', async () => {
    const [tenantId] = (await arrangeStudio(1)).tenants;
    await whileLocked(
      { owner },
      async (holder) =>
        void (await holder.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.largeReads])),
      async (waiting, release) => {
        const begin = () =>
          database.heavy.forTenant(tenantId!).transaction((read) => read.one<object>(sql`SELECT 1 AS one`));
        const cancelled = assert.rejects(begin(), isTimeout);
        await waiting(1);
        // The timeout of a statement has the same error.
        await owner.query(
          `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`,
        );
        await cancelled;
        const read = begin();
        await waiting(1);
        await release();
        assert.deepEqual(await read, { one: 1 });
      },
    );
  });

  test('belong to the account that owns the workspace, or to the tenant of a platform admin', async () => {
    const [studio, operator] = [await arrangeStudio(2), await arrangeStudio(2, { isPlatformAdmin: true })];
    const readers = [...studio.tenants, ...studio.workspaces];
    assert.deepEqual(
      await Promise.all(readers.map(ownerOf)),
      readers.map(() => studio.accountId),
    );
    const alone = [...operator.tenants, ...operator.workspaces, randomUUID()];
    assert.deepEqual(await Promise.all(alone.map(ownerOf)), alone);
  });
});
