import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../testing/arrange.ts';
import { startTestApp } from '../testing/test-app.ts';
import { openDatabase, type Querier } from './database.ts';
import { openPool } from './pool.ts';
import { sql } from './sql.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
const eventWriter = openPool(app.databaseUrl, 'guildhall_event_writer', { poolSize: 1, pipeline: false });
const asPlayer = openPool(app.databaseUrl, 'guildhall_player', { poolSize: 1, pipeline: false });
after(async () => {
  await database.close();
  await eventWriter.end();
  await asPlayer.end();
});

/**
 * The tables whose rows are all visible outside of the scope of a player, each with the reason. Every statement on them must have a
 * condition on the owner. Add no tables to this list.
 */
const OPEN_TO_APP: Record<string, string> = {
  players: 'one profile in all tenants; anybody may look it up by its id if its visibility allows it',
  auth_methods:
    'found by the identity at a provider, before the player is known; a tenant lists and searches the methods used in it',
  email_credentials: 'found, locked and claimed by address, before it has a player',
};

/** Tables with other policies than one per tenant. The tests of tenants below skip them. */
const OTHER_POLICIES = [
  'audit_records',
  'usage_entries',
  'usage_totals',
  'usage_days',
  'usage_allowances',
  'notifications',
  'webhooks',
];

/** Tables that only the database owner may change or delete from. */
const APPEND_ONLY = [
  'login_ledger',
  'logout_ledger',
  'match_events',
  'player_events',
  'audit_records',
  'login_rollups',
  'logout_rollups',
  'player_rollups',
  'player_numbers',
  'tenant_sign_in_methods',
  'wallet_ledger_entries',
];

interface Table {
  name: string;
  columns: string[];
  isForced: boolean;
  isPartition: boolean;
  isGranted: boolean;
  /** Conditions of the policies of the application's roles. */
  policies: string[];
}

/**
 * Every table of a tenant, workspace, account or player. That is a table with a column that names one, a table whose own id is
 * one, or a table with a foreign key to such a table. An example of the last is the attempts of a webhook delivery.
 */
const tables: Table[] = (
  await app.owner.query(`
    WITH RECURSIVE owned AS (
      SELECT c.oid FROM pg_class c
      WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
        AND (c.relname IN ('players', 'accounts', 'workspaces', 'tenants')
             OR EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND NOT attisdropped
                        AND attname IN ('tenant_id', 'workspace_id', 'account_id', 'player_id')))
      UNION SELECT conrelid FROM owned JOIN pg_constraint ON contype = 'f' AND confrelid = owned.oid)
    SELECT c.relname AS name, ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = c.oid AND NOT attisdropped) AS columns,
           c.relispartition AS "isPartition",
           c.relrowsecurity AND c.relforcerowsecurity AS "isForced",
           EXISTS (SELECT FROM unnest(ARRAY['guildhall_app', 'guildhall_player', 'guildhall_event_writer']) role
                   WHERE has_table_privilege(role, c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')) AS "isGranted",
           ARRAY(SELECT coalesce(pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) FROM pg_policy
                 WHERE polrelid = c.oid AND polcmd <> 'a' AND 'guildhall_app'::regrole = ANY(polroles)) AS policies
    FROM pg_class c JOIN owned USING (oid)
    ORDER BY c.relname`)
).rows;
const isOpen = ({ name }: Table) => name in OPEN_TO_APP;
const isolated = tables.filter((table) => table.isForced && table.policies.length > 0 && !isOpen(table));
const tenantTables = isolated
  .filter(({ name, columns }) => columns.includes('tenant_id') && !OTHER_POLICIES.includes(name))
  .map(({ name }) => name);

describe('tenant isolation', () => {
  test('forces row-level security on every table of a tenant, workspace, account or player', () => {
    assert.ok(tenantTables.length >= 10, String(tenantTables));
    const unforced = tables.filter(
      ({ isPartition, policies, isForced }) => !isPartition && !(isForced && policies.length > 0),
    );
    assert.deepEqual(unforced, []);
    const open = tables.filter(({ policies }) => policies.includes('true'));
    assert.deepEqual(
      open.map(({ name }) => name),
      Object.keys(OPEN_TO_APP).toSorted(),
    );
    for (const { name, policies } of isolated)
      for (const condition of policies)
        assert.match(condition, /guildhall_(tenant|workspace|account|player|platform)\(\)/, name);
    const reachable = tables.filter(({ isPartition, isGranted }) => isPartition && isGranted);
    assert.deepEqual(
      reachable,
      [],
      'roles may access a partition only through its parent, which has the policies',
    );
  });

  test('no application role owns a table, bypasses row-level security, or can log in', async () => {
    const { rows } = await app.owner.query(`
    SELECT rolname, rolsuper, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication,
           EXISTS (SELECT FROM pg_class WHERE relowner = role.oid) AS owns
    FROM pg_roles role WHERE rolname LIKE 'guildhall\\_%'
      AND (rolbypassrls AND rolname <> 'guildhall_event_writer' OR rolsuper OR rolcreaterole OR rolcreatedb OR rolcanlogin
           OR rolreplication OR EXISTS (SELECT FROM pg_class WHERE relowner = role.oid))`);
    assert.deepEqual(rows, []);
  });

  test('ledgers, events and the audit trail are append-only', async () => {
    const { rows } = await app.owner.query(
      `SELECT table_name, grantee, privilege_type FROM information_schema.role_table_grants
     WHERE table_name = ANY($1) AND grantee LIKE 'guildhall\\_%' AND privilege_type NOT IN ('SELECT', 'INSERT')`,
      [APPEND_ONLY],
    );
    assert.deepEqual(rows, []);
    const columns = await app.owner.query(
      `SELECT table_name, column_name, grantee FROM information_schema.role_column_grants
     WHERE table_name = ANY($1) AND grantee LIKE 'guildhall\\_%' AND privilege_type = 'UPDATE'`,
      [APPEND_ONLY],
    );
    const erasable = { table_name: 'audit_records', column_name: 'ip_address', grantee: 'guildhall_player' };
    assert.deepEqual(columns.rows, [erasable], 'a deletion erases the addresses of a player');
    for (const table of APPEND_ONLY) {
      for (const statement of [
        `UPDATE ${table} SET tenant_id = tenant_id`,
        `DELETE FROM ${table}`,
        `TRUNCATE ${table}`,
      ]) {
        await assert.rejects(database.run(sql([statement])), /permission denied/, statement);
      }
    }
  });

  test('the event writer can only insert events and their deltas', async () => {
    const { rows } = await app.owner.query(
      `SELECT table_name || ' ' || privilege_type AS right FROM information_schema.role_table_grants
     WHERE grantee = 'guildhall_event_writer' ORDER BY 1`,
    );
    assert.deepEqual(
      rows.map(({ right }) => right),
      ['event_rollup_deltas INSERT', 'match_events INSERT', 'player_events INSERT'],
    );
    for (const statement of [
      'SELECT * FROM player_events',
      'DELETE FROM player_events',
      'SELECT * FROM players',
      'SELECT * FROM tenant_keys',
      'COPY player_events TO STDOUT',
      'CREATE TABLE mine (id int)',
    ])
      await assert.rejects(eventWriter.query(statement), /permission denied/, statement);
  });

  test('row-level security hides and protects the rows of other tenants in every table', async () => {
    const mine = await arrangeTenant(app, { autoCreate: true });
    const theirs = await arrangeTenant(app, { autoCreate: true });
    for (const tenant of [mine, theirs]) {
      const { sessionId, playerId, caller } = await arrangePlayer(app, tenant, 'same-name');
      const event = { playerId, eventKey: 'jump', idempotencyKey: 'one', occurredAt: '2026-11-20T10:00:00Z' };
      assert.equal((await app.http.post('/api/game/player-events', { events: [event] }, caller)).status, 201);
      const repeatable = { ...caller, headers: { 'idempotency-key': 'one-and-the-same' } };
      const match = await app.http.post('/api/game/matches', { players: [{ playerId }] }, repeatable);
      assert.equal(match.status, 201, match.text);
      assert.equal((await app.http.post('/api/player-auth/logout', { sessionId }, caller)).status, 200);
    }
    const inside = database.forTenant(mine.tenantId);
    const filled: string[] = [];
    for (const table of tenantTables) {
      const count = async (tenantId?: string) =>
        (
          await inside.row<{ count: number }>(
            sql([`SELECT count(*) FROM ${table} WHERE ${tenantId ? `tenant_id = '${tenantId}'` : 'true'}`]),
          )
        )?.count;
      assert.equal(await count(theirs.tenantId), 0, `${table}: rows of another tenant`);
      assert.equal(await count(), await count(mine.tenantId), `${table}: only the tenant's own rows`);
      if ((await count()) !== 0) filled.push(table);
      const { rows: outside } = await app.owner.query(`SELECT count(*)::int FROM ${table}`);
      const unscoped = await database.row<{ count: number }>(sql([`SELECT count(*) FROM ${table}`]));
      assert.equal(unscoped?.count, 0, `${table}: outside of a scope, ${outside[0].count} rows are hidden`);

      for (const scope of [inside, database]) {
        // A copy of a row of the other tenant, with new identifiers if it has any.
        const { rows } = await app.owner.query(
          `SELECT to_jsonb(r) AS row,
                (SELECT string_agg(attname, ', ') FROM pg_attribute
                 WHERE attrelid = $2::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns
         FROM ${table} r WHERE tenant_id = $1 LIMIT 1`,
          [theirs.tenantId, table],
        );
        if (!rows[0]) continue;
        const { row, columns } = rows[0];
        for (const column of ['id', 'session_id', 'player_id']) if (column in row) row[column] = randomUUID();
        const copy = `INSERT INTO ${table} (${columns})
        SELECT ${columns} FROM jsonb_populate_record(NULL::${table}, '${JSON.stringify(row)}')`;
        await assert.rejects(scope.run(sql([copy])), /row-level security/, table);
      }
      if (!APPEND_ONLY.includes(table)) {
        const moved = `UPDATE ${table} SET tenant_id = '${theirs.tenantId}'`;
        if ((await count()) !== 0)
          await assert.rejects(inside.run(sql([moved])), /row-level security|permission denied/, table);
        const removal = inside.run(sql([`DELETE FROM ${table} WHERE tenant_id = '${theirs.tenantId}'`]));
        // On some tables the application's role has no DELETE privilege.
        const removed = await removal.catch((error: Error) =>
          /permission denied/.test(error.message) ? 0 : Promise.reject(error),
        );
        assert.equal(removed, 0, table);
      }
    }
    for (const table of [
      'login_ledger',
      'logout_ledger',
      'login_sessions',
      'player_events',
      'refresh_tokens',
      'idempotency_records',
    ])
      assert.ok(filled.includes(table), `${table} has rows`);
  });

  test('shows nothing outside of a scope, and in the scope of a workspace or account only its rows', async () => {
    const tenant = await arrangeTenant(app);
    const other = await arrangeTenant(app);
    const { accountId } = await arrangeAccount(app, tenant, 'owner');
    await arrangeAccount(app, other, 'owner');
    const count = async (scope: Querier, table: string, condition = 'true') =>
      scope.count(sql([`SELECT count(*) FROM ${table} WHERE ${condition}`]));
    const workspace = database.forWorkspace(tenant.workspaceId);
    const account = database.forAccount(accountId);
    const filled = { workspace: new Set<string>(), account: new Set<string>() };
    for (const { name, columns, isGranted } of isolated) {
      if (!isGranted) continue;
      assert.equal(await count(database, name), 0, `${name}: rows outside of a scope`);
      if (columns.includes('workspace_id')) {
        const foreign = await count(workspace, name, `workspace_id <> '${tenant.workspaceId}'`);
        assert.equal(foreign, 0, `${name}: rows of another workspace`);
        if ((await count(workspace, name)) > 0) filled.workspace.add(name);
      }
      if (columns.includes('account_id')) {
        const foreign = await count(account, name, `account_id <> '${accountId}'`);
        assert.equal(foreign, 0, `${name}: rows of another account`);
        if ((await count(account, name)) > 0) filled.account.add(name);
      }
    }
    assert.ok(filled.workspace.has('tenants') && filled.workspace.has('memberships'));
    assert.ok(filled.account.has('memberships'));
  });

  test('the scope of a player shows their own rows of every tenant, and no rows of others', async () => {
    const first = await arrangeTenant(app);
    const second = await arrangeTenant(app, { workspaceId: first.workspaceId });
    const { playerId } = await arrangePlayer(app, first, 'traveller');
    await arrangePlayer(app, second, 'traveller');
    await arrangePlayer(app, first, 'somebody else');
    const client = await asPlayer.connect();
    try {
      assert.equal(
        (await client.query('SELECT 1 FROM login_ledger')).rowCount,
        0,
        'no rows without a player',
      );
      await client.query(`SELECT set_config('guildhall.player_id', $1, false)`, [playerId]);
      for (const table of ['login_ledger', 'login_sessions', 'tenant_access']) {
        const { rows } = await client.query(`SELECT DISTINCT tenant_id, player_id FROM ${table}`);
        assert.deepEqual(
          new Set(rows.map((row) => row.tenant_id)),
          new Set([first.tenantId, second.tenantId]),
          table,
        );
        assert.deepEqual(new Set(rows.map((row) => row.player_id)), new Set([playerId]), table);
      }
      assert.deepEqual((await client.query('SELECT id FROM players')).rows, [{ id: playerId }]);
      const methods = await client.query('SELECT DISTINCT player_id FROM auth_methods');
      assert.deepEqual(methods.rows, [{ player_id: playerId }]);
      await client.query(`SELECT set_config('guildhall.player_id', '', false)`);
      // This role ignores the scope of a tenant.
      await client.query(`SELECT set_config('guildhall.tenant_id', $1, false)`, [first.tenantId]);
      assert.equal((await client.query('SELECT 1 FROM login_ledger')).rowCount, 0);
    } finally {
      client.release(true);
    }
  });
});
