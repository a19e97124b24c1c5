import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();

/** Creates a workspace with `count` tenants. */
async function arrange(count: number, disabled = 0) {
  const tenant = await arrangeTenant(app);
  const { workspaceId, tenantId } = tenant;
  await app.owner.query(
    `INSERT INTO tenants (id, workspace_id, name, slug)
     SELECT gen_random_uuid(), $1, 'x', 'game-' || number FROM generate_series(2, $2) number`,
    [workspaceId, count],
  );
  await app.owner.query(
    `INSERT INTO tenants (id, workspace_id, name, slug, disabled_at)
     SELECT gen_random_uuid(), $1, 'x', 'old-' || number, now() FROM generate_series(1, $2) number`,
    [workspaceId, disabled],
  );
  const admin = await arrangeAccount(app, tenant, 'admin');
  return {
    create: () =>
      app.http.post(
        `/api/workspaces/${workspaceId}/bus_tenants`,
        { name: randomBytes(4).toString('hex') },
        admin,
      ),
    change: (body: object) => app.http.patch(`/api/bus_tenants/${tenantId}`, body, admin),
    disable: () => app.http.delete(`/api/bus_tenants/${tenantId}`, admin),
    async count() {
      const { rows } = await app.owner.query(
        'SELECT count(*)::int AS count FROM tenants WHERE workspace_id = $1 AND disabled_at IS NULL',
        [workspaceId],
      );
      return rows[0].count as number;
    },
  };
}

const assertLimit = (answer: { status: number; body: { code: string } }) =>
  assert.deepEqual([answer.status, answer.body.code], [409, 'tenant_limit']);

describe('the limit of 1,000 tenants of a workspace', () => {
  test('rejects another tenant until one is disabled, and then its return', async () => {
    const { create, change, disable } = await arrange(999);
    assert.equal((await create()).status, 201);
    assertLimit(await create());
    assert.equal((await change({ isActive: true, name: 'New' })).status, 200);
    assert.equal((await disable()).status, 204);
    assert.equal((await create()).status, 201);
    assertLimit(await change({ isActive: true }));
    assert.equal((await change({ name: 'Newer' })).status, 200);
  });

  test('is not exceeded when requests run in parallel', async () => {
    const { create, change, disable, count } = await arrange(999);
    await disable();
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => create()),
      change({ isActive: true }),
    ]);
    assert.equal(answers.filter(({ status }) => status < 300).length, 2);
    assert.equal(await count(), 1_000);
  });
});

describe('the limit of 10,000 tenants of a workspace, with disabled ones', () => {
  test('rejects another tenant, and allows to disable and enable one', async () => {
    const { create, change, disable } = await arrange(1, 9_998);
    assert.equal((await create()).status, 201);
    const refused = await create();
    assertLimit(refused);
    assert.match(refused.body.detail, /10000 tenants, with disabled ones/);
    assert.equal((await disable()).status, 204);
    assertLimit(await create());
    assert.equal((await change({ isActive: true })).status, 200);
  });
});
