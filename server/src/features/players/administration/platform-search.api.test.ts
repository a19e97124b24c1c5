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
  test('finds a player by id, e-mail address and id at a provider', async () => {
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

  test('finds nobody by a name, a part of an address, or an address that nobody has proved', async () => {
    for (const text of ['ada', 'ada@example', 'pending@example.com', randomUUID(), '%', "'"]) {
      const { status, body } = await search(text);
      assert.equal(status, 200, text);
      assert.deepEqual(body.items, [], text);
    }
  });

  test('returns 400 without a search', async () => {
    for (const query of ['', '?search=', `?search=${'x'.repeat(255)}`])
      assert.equal((await app.http.get(`/api/admin/players${query}`, admin)).status, 400, query);
  });
});
