import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangeTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();

/** Creates a tenant with `count` game keys, of which the test has the id of one. */
async function arrange(count: number) {
  const tenant = await arrangeTenant(app);
  const admin = await arrangeAccount(app, tenant, 'admin');
  const path = `/api/bus_tenants/${tenant.tenantId}`;
  // The arranged tenant has one key of each kind.
  await app.owner.query(
    `INSERT INTO tenant_keys (id, tenant_id, kind, name, prefix, fingerprint)
     SELECT gen_random_uuid(), $1, 'game', 'k', 'gh_game_', $2::bytea || number::text::bytea
     FROM generate_series(2, $3) number`,
    [tenant.tenantId, randomBytes(16), count],
  );
  const { items, totalCount } = (await app.http.get(`${path}/game-keys`, admin)).body;
  assert.equal(totalCount, count);
  const keyId: string = items.at(-1).id;
  const game = `${path}/game-keys`;
  return {
    tenant,
    keyId,
    create: (body: object = {}, kind = 'game') =>
      app.http.post(`${path}/${kind}-keys`, { name: 'x', ...body }, admin),
    change: (id: string, body: object) => app.http.patch(`${game}/${id}`, body, admin),
    rotate: (id: string, gracePeriodSeconds: number) =>
      app.http.post(`${game}/${id}/rotate`, { gracePeriodSeconds }, admin),
    revoke: (id: string) => app.http.delete(`${game}/${id}`, admin),
    expire: (id: string) =>
      app.owner.query(`UPDATE tenant_keys SET expires_at = now() - interval '1 minute' WHERE id = $1`, [id]),
    async count() {
      const { rows } = await app.owner.query(
        `SELECT count(*)::int AS count FROM tenant_keys WHERE tenant_id = $1 AND kind = 'game' AND revoked_at IS NULL`,
        [tenant.tenantId],
      );
      return rows[0].count as number;
    },
  };
}

const assertLimit = (answer: { status: number; body: { code: string } }) =>
  assert.deepEqual([answer.status, answer.body.code], [409, 'key_limit']);

describe('POST /api/bus_tenants/{tenantId}/{game,api}-keys', () => {
  test('creates up to 1,000 keys of a kind, then returns 409 until one is revoked', async () => {
    const { create, keyId, revoke } = await arrange(999);
    assert.equal((await create()).status, 201);
    assertLimit(await create());
    assert.equal((await create({}, 'api')).status, 201, 'the other kind has a limit of its own');
    assert.equal((await revoke(keyId)).status, 204);
    assert.equal((await create()).status, 201);
    assertLimit(await create());
  });

  test('returns 409 after 2,000 new keys in 24 hours, until the oldest of them is older', async () => {
    const { tenant, keyId, create, change, rotate } = await arrange(2);
    await app.owner.query(
      `INSERT INTO tenant_keys (id, tenant_id, kind, name, prefix, fingerprint, revoked_at)
       SELECT gen_random_uuid(), $1, 'game', 'k', 'gh_game_', $2::bytea || number::text::bytea, now()
       FROM generate_series(3, 1999) number`,
      [tenant.tenantId, randomBytes(16)],
    );
    assert.equal((await create()).status, 201);
    assertLimit(await create());
    assertLimit(await rotate(keyId, 0));
    assert.equal((await change(keyId, { name: 'New' })).status, 200);
    assert.equal((await create({}, 'api')).status, 201, 'the other kind has a limit of its own');
    await app.owner.query(`UPDATE tenant_keys SET created_at = now() - interval '24 hours' WHERE id = $1`, [
      keyId,
    ]);
    assert.equal((await rotate(keyId, 0)).status, 201);
    assertLimit(await create());
  });

  test('does not exceed the limit when requests run in parallel', async () => {
    const { create, count } = await arrange(998);
    // Each transaction writes its audit record last. While it cannot, all of them run at the same time.
    const blocker = await app.owner.connect();
    await blocker.query('BEGIN; LOCK TABLE audit_records IN SHARE ROW EXCLUSIVE MODE');
    const creations = Promise.all(Array.from({ length: 12 }, () => create()));
    await eventually(async () => {
      const { rows } = await app.owner.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' LIMIT 4`,
      );
      return rows.length === 4;
    });
    await blocker.query('COMMIT');
    blocker.release();
    const answers = await creations;
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [
      201,
      201,
      ...Array<number>(10).fill(409),
    ]);
    assert.equal(await count(), 1_000);
  });

  test('does not count expired keys', async () => {
    const { create, keyId, expire } = await arrange(1_000);
    await expire(keyId);
    assert.equal((await create()).status, 201);
    assertLimit(await create());
  });
});

describe('PATCH /api/bus_tenants/{tenantId}/game-keys/{keyId}', () => {
  test('returns 409 when an expired key gets a new expiry beside 1,000 others', async () => {
    const { create, change, keyId, expire } = await arrange(1_000);
    await expire(keyId);
    const { id } = (await create()).body;
    assertLimit(await change(keyId, { expiresAt: null }));
    assert.equal((await change(keyId, { name: 'New' })).status, 200);
    assert.equal((await change(id, { expiresAt: null })).status, 200, 'a valid key keeps its place');
    await expire(id);
    assert.equal((await change(keyId, { expiresAt: null })).status, 200);
  });
});

describe('POST /api/bus_tenants/{tenantId}/game-keys/{keyId}/rotate', () => {
  test('returns 409 at the limit, unless the old key ends at once', async () => {
    const { create, keyId, rotate } = await arrange(1_000);
    assertLimit(await rotate(keyId, 60));
    assert.equal((await rotate(keyId, 0)).status, 201);
    assertLimit(await create());
  });
});
