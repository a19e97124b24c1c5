import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { newId } from '../../../core/ids.ts';
import { accountClient } from '../../../testing/account-client.ts';
import { arrangePlatformAdmin, arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const admin = await arrangePlatformAdmin(app);
const { signUp } = await accountClient(app);

const list = (query: Record<string, string> = {}) =>
  app.http.get(`/api/admin/workspaces?${new URLSearchParams(query)}`, admin);
const names = async (query: Record<string, string>): Promise<string[]> => {
  const { status, body, text } = await list(query);
  assert.equal(status, 200, text);
  return body.items.map(({ name }: { name: string }) => name);
};

async function arrangeWorkspace(name: string, slug: string): Promise<string> {
  const id = newId();
  await app.owner.query('INSERT INTO workspaces (id, name, slug) VALUES ($1, $2, $3)', [id, name, slug]);
  return id;
}

const harbor = await arrangeWorkspace('Harbor Games', 'harbor');
const harvest = await arrangeWorkspace('HARVEST 100%', 'harvest-moon');
const moor = await arrangeWorkspace('Moor & Co', 'moor');
const owner = await signUp();
await app.owner.query(`INSERT INTO memberships (workspace_id, account_id, role) VALUES ($1, $2, 'owner')`, [
  moor,
  owner.id,
]);

describe('GET /api/admin/workspaces', () => {
  test('lists all workspaces with their plans, newest first', async () => {
    const { status, body } = await list({ limit: '2' });
    assert.equal(status, 200);
    assert.deepEqual(
      body.items.map(({ id }: { id: string }) => id),
      [moor, harvest],
    );
    assert.equal(body.items[0].plan.name, 'default');
    assert.equal(body.items[0].role, undefined);
    assert.equal(body.nextCursor, harvest);
    const next = await list({ limit: '1', cursor: body.nextCursor });
    assert.equal(next.body.items[0].id, harbor);
  });

  test('finds workspaces by the beginning of the name, by id, slug, id of a tenant and email of a member', async () => {
    assert.deepEqual(await names({ search: 'har' }), ['HARVEST 100%', 'Harbor Games']);
    assert.deepEqual(await names({ search: 'har', limit: '1' }), ['HARVEST 100%']);
    assert.deepEqual(await names({ search: 'har', cursor: harvest }), ['Harbor Games']);
    assert.deepEqual(await names({ search: 'games' }), []);
    assert.deepEqual(await names({ search: '%' }), []);
    assert.deepEqual(await names({ search: harbor.toUpperCase() }), ['Harbor Games']);
    const { rows } = await app.owner.query(
      `INSERT INTO tenants (id, workspace_id, name, slug) VALUES ($1, $2, 'Tidewater', 'tidewater') RETURNING id`,
      [newId(), harvest],
    );
    assert.deepEqual(await names({ search: rows[0].id.toUpperCase() }), ['HARVEST 100%']);
    assert.deepEqual(await names({ search: randomUUID() }), []);
    assert.deepEqual(await names({ search: 'harvest-moon' }), ['HARVEST 100%']);
    assert.deepEqual(await names({ search: ` ${owner.email.toUpperCase()} ` }), ['Moor & Co']);
  });

  test('returns 400 when a parameter is invalid', async () => {
    const queries: Record<string, string>[] = [
      { limit: '201' },
      { limit: '0' },
      { cursor: 'x' },
      { search: '' },
    ];
    for (const query of queries) assert.equal((await list(query)).status, 400, JSON.stringify(query));
  });
});

describe('GET /api/admin/workspaces/{workspaceId}', () => {
  test('returns the plan, the members and the tenants of a workspace of others', async () => {
    const tenant = await arrangeTenant(app);
    const { status, body } = await app.http.get(`/api/admin/workspaces/${tenant.workspaceId}`, admin);
    assert.equal(status, 200);
    assert.deepEqual(
      body.tenants.map(({ tenantId }: { tenantId: string }) => tenantId),
      [tenant.tenantId],
    );
    await app.owner.query(
      `INSERT INTO tenants (id, workspace_id, name, slug)
       SELECT gen_random_uuid(), $1, 'x', 'game-' || number FROM generate_series(1, 200) number`,
      [tenant.workspaceId],
    );
    const { body: large } = await app.http.get(`/api/admin/workspaces/${tenant.workspaceId}`, admin);
    assert.equal(large.tenants.length, 200);
    const { body: other } = await app.http.get(`/api/admin/workspaces/${moor}`, admin);
    assert.deepEqual(other.members, [{ accountId: owner.id, email: owner.email, role: 'owner' }]);
    assert.deepEqual(other.tenants, []);
    assert.equal(other.plan.hardStop, false);
  });

  test('returns 404 when the workspace does not exist', async () => {
    assert.equal((await app.http.get(`/api/admin/workspaces/${randomUUID()}`, admin)).status, 404);
  });
});
