import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangePlatformAdmin, arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const admin = await arrangePlatformAdmin(app);
const tenant = await arrangeTenant(app);
const ada = await arrangePlayer(app, tenant, 'ada');
const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
await app.owner.query(
  `INSERT INTO email_credentials (email, player_id, mails_since, mails_sent)
   VALUES ('ada@example.com', $1, now(), 0), ('pending@example.com', NULL, now(), 0)`,
  [ada.playerId],
);
await app.owner.query(
  `INSERT INTO auth_methods (id, player_id, auth_provider, provider_user_id, linked_at)
   VALUES (gen_random_uuid(), $1, 'EvmWallet', $2, now())`,
  [ada.playerId, address],
);

const search = (text: string) =>
  app.http.get(`/api/admin/players?${new URLSearchParams({ search: text })}`, admin);

describe('GET /api/admin/players', () => {
  test('finds a player by id, email address and id at a provider', async () => {
    for (const text of [
      ada.playerId,
      ada.playerId.toUpperCase(),
      ' Ada@Example.com',
      address,
      address.toLowerCase(),
    ]) {
      const { status, body } = await search(text);
      assert.equal(status, 200);
      assert.deepEqual(
        body.items.map(({ id }: { id: string }) => id),
        [ada.playerId],
        text,
      );
    }
    const { body } = await search(ada.playerId);
    assert.deepEqual(
      body.items[0].tenantAccess.map(({ tenantId }: { tenantId: string }) => tenantId),
      [tenant.tenantId],
    );
    assert.equal(body.items[0].authMethods.length, 2);
  });

  test('finds nobody by a name, a part of an address, or an unverified address', async () => {
    for (const text of ['ada', 'ada@example', 'pending@example.com', randomUUID(), '%', "'"]) {
      const { status, body } = await search(text);
      assert.equal(status, 200, text);
      assert.deepEqual(body.items, [], text);
    }
  });

  test('writes an audit record with the administrator and the found player, without the search text', async () => {
    const recordsOf = async (request: string | null) => {
      const { rows } = await app.owner.query(
        `SELECT actor_id, action, target_id, tenant_id, details, ip_address FROM audit_records WHERE request_id = $1`,
        [request],
      );
      return rows;
    };
    const found = await search('Ada@example.com');
    const [record, ...others] = await recordsOf(found.headers.get('x-request-id'));
    assert.deepEqual(others, []);
    assert.deepEqual(
      [record.actor_id, record.action, record.target_id, record.tenant_id, record.details.found],
      [admin.accountId, 'player.searched', ada.playerId, null, 1],
    );
    assert.equal(record.ip_address, '127.0.0.1');
    assert.equal(JSON.stringify(record).toLowerCase().includes('example.com'), false);

    const nobody = await search('nobody@example.com');
    const [missed] = await recordsOf(nobody.headers.get('x-request-id'));
    assert.deepEqual([missed.target_id, missed.details.found], [null, 0]);
    assert.notEqual(missed.details.searchFingerprint, record.details.searchFingerprint);
    const again = await search('ada@example.com');
    const [repeated] = await recordsOf(again.headers.get('x-request-id'));
    assert.equal(repeated.details.searchFingerprint, record.details.searchFingerprint);
  });

  test('returns 400 without a search', async () => {
    for (const query of ['', '?search=', `?search=${'x'.repeat(255)}`])
      assert.equal((await app.http.get(`/api/admin/players${query}`, admin)).status, 400, query);
  });
});
