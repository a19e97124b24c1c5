import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { whileLocked } from '../../../testing/while-locked.ts';
import { audit } from './index.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
const foreign = await arrangeTenant(app);
const [owner, viewer, stranger] = [
  await arrangeAccount(app, tenant, 'owner'),
  await arrangeAccount(app, tenant, 'viewer'),
  await arrangeAccount(app, foreign, 'owner'),
];
const ofTenant = `/api/bus_tenants/${tenant.tenantId}/audit-records`;
const ofWorkspace = `/api/workspaces/${tenant.workspaceId}/audit-records`;
const rename = (tenantId: string, name: string) =>
  app.http.patch(`/api/bus_tenants/${tenantId}`, { name }, owner);

/** Reads all pages of a list. Returns the items and the size of each page. */
async function readAll(path: string, limit: number) {
  const items = [];
  const sizes = [];
  let cursor = '';
  for (;;) {
    const { status, body, text } = await app.http.get(`${path}?limit=${limit}${cursor}`, viewer);
    assert.equal(status, 200, text);
    items.push(...body.items);
    sizes.push(body.items.length);
    assert.equal(body.hasMore, body.nextCursor !== undefined);
    if (!body.hasMore) return { items, sizes };
    cursor = `&cursor=${body.nextCursor}`;
  }
}

describe('GET /api/bus_tenants/{tenantId}/audit-records and /api/workspaces/{workspaceId}/audit-records', () => {
  test('returns the records of the tenant page by page, newest first', async () => {
    for (let index = 0; index < 5; index++) await rename(tenant.tenantId, `name ${index}`);
    await rename(sibling.tenantId, 'sibling');
    await app.http.patch(`/api/bus_tenants/${foreign.tenantId}`, { name: 'foreign' }, stranger);
    const { items, sizes } = await readAll(ofTenant, 2);
    assert.deepEqual(sizes, [2, 2, 1]);
    const names = items.map((item) => item.details.after.name);
    assert.deepEqual(names, ['name 4', 'name 3', 'name 2', 'name 1', 'name 0']);
    assert.deepEqual((await readAll(ofTenant, 5)).sizes, [5]);

    const { id, occurredAt, requestId, details, ...rest } = items[0];
    assert.deepEqual(rest, {
      workspaceId: tenant.workspaceId,
      tenantId: tenant.tenantId,
      actor: { kind: 'account', id: owner.accountId, email: `${owner.accountId}@example.com` },
      action: 'tenant.updated',
      targetId: tenant.tenantId,
      ipAddress: '127.0.0.1',
    });
    assert.match(occurredAt, /Z$/);
    assert.match(requestId, /\S/);
  });

  test('returns the records of the workspace and its tenants only', async () => {
    await app.http.patch(`/api/workspaces/${tenant.workspaceId}`, { name: 'renamed' }, owner);
    await rename(sibling.tenantId, 'again');
    const { items } = await readAll(ofWorkspace, 3);
    assert.deepEqual(new Set(items.map((item) => item.workspaceId)), new Set([tenant.workspaceId]));
    assert.deepEqual(
      new Set(items.map((item) => item.tenantId)),
      new Set([null, tenant.tenantId, sibling.tenantId]),
    );
    assert.equal(items[0].details.after.name, 'again');
  });

  test('returns no email address for an actor who is no longer a member', async () => {
    const leaver = await arrangeAccount(app, tenant, 'admin');
    await app.http.patch(`/api/bus_tenants/${tenant.tenantId}`, { name: 'farewell' }, leaver);
    await app.owner.query('DELETE FROM memberships WHERE account_id = $1', [leaver.accountId]);
    const { body } = await app.http.get(`${ofTenant}?limit=1`, viewer);
    assert.deepEqual(body.items[0].actor, { kind: 'account', id: leaver.accountId, email: null });
  });

  test('returns 400 for an invalid cursor or limit', async () => {
    for (const query of ['cursor=x', 'cursor=', 'cursor=%F0%9F%92%A3', 'limit=0', 'limit=201', 'limit=1.5'])
      for (const path of [ofTenant, ofWorkspace])
        assert.equal((await app.http.get(`${path}?${query}`, viewer)).status, 400, query);
    const beyond = await app.http.get(
      `${ofTenant}?cursor=${'0'.repeat(8)}-0000-0000-0000-000000000000`,
      viewer,
    );
    assert.deepEqual(beyond.body, { items: [], hasMore: false });
  });

  test('returns 200 to members, 404 to others, and 401 without a console token', async () => {
    for (const path of [ofTenant, ofWorkspace]) {
      assert.equal((await app.http.get(path, viewer)).status, 200);
      assert.equal((await app.http.get(path, stranger)).status, 404);
      assert.equal((await app.http.get(path, { apiKey: tenant.apiKey })).status, 401);
    }
    const missing = [
      `/api/bus_tenants/${randomUUID()}/audit-records`,
      `/api/bus_tenants/${tenant.workspaceId}/audit-records`,
      `/api/workspaces/${tenant.tenantId}/audit-records`,
      '/api/workspaces/x/audit-records',
    ];
    for (const path of missing) assert.equal((await app.http.get(path, viewer)).status, 404, path);
  });
});

describe('row-level security of audit_records', () => {
  test('prevents reads and writes of records of another tenant or workspace', async () => {
    const database = openDatabase(app.databaseUrl, { poolSize: 1 });
    try {
      const everything = sql`SELECT DISTINCT tenant_id, workspace_id FROM audit_records`;
      assert.deepEqual(await database.rows(everything), []);
      assert.deepEqual(await database.forTenant(tenant.tenantId).rows(everything), [
        { tenant_id: tenant.tenantId, workspace_id: tenant.workspaceId },
      ]);
      const ofForeign = await database.forWorkspace(foreign.workspaceId).rows(everything);
      assert.deepEqual(ofForeign, [{ tenant_id: foreign.tenantId, workspace_id: foreign.workspaceId }]);

      const system = { kind: 'system' as const, id: null };
      const entry = { action: 'tenant.updated' as const, actor: system, tenantId: tenant.tenantId };
      const violation = /row-level security/;
      await assert.rejects(audit(database, entry), violation);
      await assert.rejects(audit(database.forTenant(foreign.tenantId), entry), violation);
      await audit(database, { action: 'signing_key.rotated', actor: system });
      await assert.rejects(database.run(sql`DELETE FROM audit_records`), /permission denied/);
      await assert.rejects(database.run(sql`UPDATE audit_records SET action = 'x'`), /permission denied/);
    } finally {
      await database.close();
    }
  });
});

describe('filters of audit records', () => {
  test('filter by action, actor, target and time, with pages', async () => {
    const place = await arrangeTenant(app);
    const [one, two, reader] = [
      await arrangeAccount(app, place, 'admin'),
      await arrangeAccount(app, place, 'owner'),
      await arrangeAccount(app, place, 'viewer'),
    ];
    const tenantPath = `/api/bus_tenants/${place.tenantId}`;
    const workspacePath = `/api/workspaces/${place.workspaceId}`;
    for (const name of ['a', 'b', 'c']) await app.http.patch(tenantPath, { name }, one);
    const key = (await app.http.post(`${tenantPath}/game-keys`, { name: 'k' }, two)).body;
    await app.http.patch(workspacePath, { name: 'w' }, two);
    await app.http.delete(`${tenantPath}/game-keys/${key.id}`, one);

    const search = async (query: Record<string, string>, path = workspacePath) => {
      const answer = await app.http.get(`${path}/audit-records?${new URLSearchParams(query)}`, reader);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const actions = async (query: Record<string, string>, path?: string) =>
      (await search(query, path)).items.map((item: { action: string }) => item.action);
    const renames = Array(3).fill('tenant.updated');
    for (const path of [tenantPath, workspacePath]) {
      assert.deepEqual(await actions({ action: 'tenant.updated' }, path), renames);
      assert.deepEqual(await actions({ actorId: one.accountId.toUpperCase() }, path), [
        'game_key.revoked',
        ...renames,
      ]);
      for (const targetId of [key.id, key.id.toUpperCase()])
        assert.deepEqual(await actions({ targetId }, path), ['game_key.revoked', 'game_key.created']);
      assert.deepEqual(await actions({ targetId: key.id, actorId: two.accountId }, path), [
        'game_key.created',
      ]);
      assert.deepEqual(await actions({ action: 'tenant' }, path), []);
      assert.deepEqual(await actions({ actorId: reader.accountId }, path), []);
    }
    assert.deepEqual(await actions({ action: 'workspace.updated' }), ['workspace.updated']);
    assert.deepEqual(await actions({ action: 'workspace.updated' }, tenantPath), []);

    const { items } = await search({});
    const [newest, , , , second, oldest] = items;
    assert.deepEqual(await actions({ from: newest.occurredAt }), [newest.action]);
    assert.deepEqual(await actions({ to: oldest.occurredAt }), []);
    const between = await search({ from: oldest.occurredAt, to: newest.occurredAt });
    assert.deepEqual(between.items, items.slice(1));
    assert.deepEqual((await search({ to: second.occurredAt })).items, [oldest]);
    assert.equal(
      (await search({ from: '0001-01-01T00:00:00Z', to: '9999-12-31T23:59:59Z' })).items.length,
      6,
    );
    assert.deepEqual(await actions({ from: '2999-01-01t00:00:00+02:00' }), []);

    const first = await search({ action: 'tenant.updated', limit: '2' });
    assert.deepEqual([first.items.length, first.hasMore], [2, true]);
    const rest = await search({ action: 'tenant.updated', limit: '2', cursor: first.nextCursor });
    assert.deepEqual(
      [...first.items, ...rest.items].map((item) => item.details.after.name),
      ['c', 'b', 'a'],
    );
    assert.equal(rest.hasMore, false);
  });

  test('return 400 for invalid values', async () => {
    for (const query of [
      'action=',
      `action=${'x'.repeat(65)}`,
      'actorId=x',
      'targetId=',
      `targetId=${'x'.repeat(129)}`,
      'from=yesterday',
      'from=2026-01-01',
      'to=2026-01-01T00:00:00',
      'from=2026-01-01T00:00:00Z&from=2026-01-01T00:00:00Z',
    ])
      for (const path of [ofTenant, ofWorkspace])
        assert.equal((await app.http.get(`${path}?${query}`, viewer)).status, 400, query);
  });

  test('leave connections for sign-ins while the reads take long', async () => {
    await whileLocked(
      app,
      async (holder) => void (await holder.query('LOCK TABLE audit_records')),
      async (_waiting, release) => {
        const reads = Array.from({ length: 40 }, (_, number) =>
          app.http.get(number % 2 === 0 ? ofTenant : ofWorkspace, viewer),
        );
        for (let login = 0; login < 20; login++) await arrangePlayer(app, foreign);
        await release();
        const statuses = new Set((await Promise.all(reads)).map(({ status }) => status));
        assert.ok(statuses.isSubsetOf(new Set([200, 429])), [...statuses].join());
      },
    );
  });

  test('use an index', async () => {
    const plan = async (condition: string) => {
      const { rows } = await app.owner.query(
        `EXPLAIN SELECT * FROM audit_records WHERE ${condition} ORDER BY id DESC LIMIT 50`,
      );
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    await app.owner.query(`
    INSERT INTO audit_records (id, workspace_id, tenant_id, actor_kind, actor_id, action, target_id, occurred_at)
    SELECT gen_random_uuid(), '${foreign.workspaceId}', '${foreign.tenantId}', 'account', gen_random_uuid(),
           'action.' || n % 50, gen_random_uuid(), now()
    FROM generate_series(1, 20000) n`);
    await app.owner.query('ANALYZE audit_records');
    for (const place of [`tenant_id = '${foreign.tenantId}'`, `workspace_id = '${foreign.workspaceId}'`])
      for (const filter of [
        `action = 'action.7'`,
        `actor_id = '${randomUUID()}'`,
        `target_id = '${randomUUID()}'`,
        `id < '00000000-0000-0000-0000-000000000001'`,
      ]) {
        const text = await plan(`${place} AND ${filter}`);
        assert.doesNotMatch(text, /Seq Scan/, text);
      }
  });
});
