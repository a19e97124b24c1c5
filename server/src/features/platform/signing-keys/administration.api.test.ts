import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangePlatformAdmin } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const admin = await arrangePlatformAdmin(app);
const list = async () => (await app.http.get('/api/admin/signing-keys', admin)).body.items;
const rotate = (body: object) => app.http.post('/api/admin/signing-keys/rotate', body, admin);

describe('the signing keys of the deployment', () => {
  test('are listed without their secrets', async () => {
    const [key, ...others] = await list();
    assert.deepEqual(others, []);
    assert.deepEqual(Object.keys(key).toSorted(), ['activeFrom', 'kid', 'retiresAt', 'state']);
    assert.equal(key.state, 'signing');
    assert.equal(key.retiresAt, null);
  });

  test('are rotated once: a second rotation waits for the first', async () => {
    const { status, body } = await rotate({ activateInSeconds: 3_600 });
    assert.equal(status, 201);
    assert.ok(Date.parse(body.oldRetireAt) > Date.parse(body.activeFrom));
    const [next, current] = await list();
    assert.equal(next.kid, body.kid);
    assert.equal(next.state, 'waiting');
    assert.equal(current.state, 'signing');
    assert.equal(Date.parse(current.retiresAt), Date.parse(body.oldRetireAt));
    const second = await rotate({});
    assert.equal(second.status, 409);
    assert.match(second.body.detail, /is waiting already/);
    assert.equal((await app.http.get('/api/admin/signing-keys', admin)).status, 200, 'old tokens are valid');
  });

  test('are refused with 400 when the time is too long', async () => {
    for (const activateInSeconds of [-1, 604_801, 1.5, '600'])
      assert.equal((await rotate({ activateInSeconds })).status, 400);
  });

  test('are revoked at once when they leaked', async () => {
    const { status } = await rotate({ revokeOld: true });
    assert.equal(status, 201);
    // Every process learns of the new key within a moment.
    await eventually(async () => (await app.http.get('/api/admin/signing-keys', admin)).status === 401);
    const { rows } = await app.owner.query(
      `SELECT actor_kind FROM audit_records WHERE action IN ('signing_key.rotated', 'signing_key.revoked') ORDER BY id`,
    );
    assert.deepEqual(
      rows.map(({ actor_kind }) => actor_kind),
      ['account', 'account'],
    );
  });
});
