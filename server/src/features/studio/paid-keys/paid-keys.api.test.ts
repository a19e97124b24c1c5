import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { whileLocked } from '../../../testing/while-locked.ts';

const app = await startTestApp();
const other = await startTestApp({ databaseUrl: app.databaseUrl });

/** Creates a publisher, a payer, and an account that is admin of the publisher and has a role in the payer. */
async function arrange(role: 'owner' | 'admin' | 'viewer' = 'admin') {
  const [publisher, payer] = [await arrangeTenant(app), await arrangeTenant(app)];
  const agent = await arrangeAccount(app, payer, role);
  await app.owner.query(`INSERT INTO memberships (workspace_id, account_id, role) VALUES ($1, $2, 'admin')`, [
    publisher.workspaceId,
    agent.accountId,
  ]);
  const owner = await arrangeAccount(app, payer, 'owner');
  const keysPath = `/api/bus_tenants/${publisher.tenantId}/api-keys`;
  const members = `/api/workspaces/${payer.workspaceId}/members`;
  const paidKeys = `/api/workspaces/${payer.workspaceId}/paid-keys`;
  const wanted = { name: 'reader', allowDataApi: true, subscriberWorkspaceId: payer.workspaceId };
  return {
    publisher,
    payer,
    agent,
    owner,
    keysPath,
    wanted,
    paidKeys,
    create: (body: object = wanted) => app.http.post(keysPath, body, agent),
    change: (keyId: string, body: object) => app.http.patch(`${keysPath}/${keyId}`, body, agent),
    rotate: (keyId: string, body: object = {}, { http } = app) =>
      http.post(`${keysPath}/${keyId}/rotate`, body, agent),
    list: async (query = '') => (await app.http.get(paidKeys + query, owner)).body,
    end: (keyId: string, caller: object = owner) => app.http.delete(`${paidKeys}/${keyId}`, caller),
    demote: (to = 'viewer') => app.http.patch(`${members}/${agent.accountId}`, { role: to }, owner),
    remove: () => app.http.delete(`${members}/${agent.accountId}`, owner),
    leave: () => app.http.delete(`${members}/${agent.accountId}`, agent),
    /** Returns the workspace that is billed for a read with a key on one server. */
    async billed(apiKey: string, { http } = app) {
      const { playerId } = await arrangePlayer(app, publisher);
      const { rows: before } = await app.owner.query(billedUnits, [publisher.tenantId]);
      assert.equal((await http.get(`/api/player-profiles/${playerId}`, { apiKey })).status, 200);
      let grown: string | undefined;
      await eventually(async () => {
        const { rows } = await app.owner.query(billedUnits, [publisher.tenantId]);
        const known = new Map(before.map((row) => [row.name, row.units]));
        grown = rows.find((row) => row.units > (known.get(row.name) ?? 0))?.name;
        return grown !== undefined;
      });
      return grown === payer.workspaceId ? 'payer' : 'publisher';
    },
    async payerOf(keyId: string): Promise<string | null> {
      const { rows } = await app.owner.query(
        'SELECT subscriber_workspace_id AS id FROM tenant_keys WHERE id = $1',
        [keyId],
      );
      return rows[0].id;
    },
  };
}

/** Returns the units that each workspace was billed for the API keys of a tenant. */
const billedUnits = `
  SELECT entry.workspace_id AS name, sum(units)::int AS units
  FROM (SELECT workspace_id, tenant_id, key_id, units FROM usage_entries
        UNION ALL SELECT workspace_id, tenant_id, key_id, units FROM usage_totals) entry
  JOIN tenant_keys key ON key.id = entry.key_id AND key.kind = 'api'
  WHERE entry.tenant_id = $1 GROUP BY entry.workspace_id`;

describe('subscriberWorkspaceId of an API key', () => {
  test('returns 403 when the author is a viewer of the paying workspace', async () => {
    const scene = await arrange('viewer');
    assert.equal((await scene.create()).status, 403);
    const { id } = (await scene.create({ name: 'x' })).body;
    const refused = await scene.change(id, { subscriberWorkspaceId: scene.payer.workspaceId });
    assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden']);
    const message = 'Only an owner or admin of the paying workspace may name it as payer.';
    assert.deepEqual(refused.body.errors, [{ path: 'subscriberWorkspaceId', message }]);
    assert.equal(await scene.payerOf(id), null);
  });

  test('returns 404 when the author is not a member of the paying workspace', async () => {
    const scene = await arrange();
    const foreign = await arrangeTenant(app);
    const message = 'The paying workspace does not exist, or you are not a member of it.';
    for (const subscriberWorkspaceId of [foreign.workspaceId, randomUUID()]) {
      const { status, body } = await scene.create({ name: 'x', subscriberWorkspaceId });
      assert.deepEqual([status, body.errors], [404, [{ path: 'subscriberWorkspaceId', message }]]);
    }
  });

  for (const role of ['owner', 'admin'] as const)
    test(`bills the paying workspace when the author is its ${role}`, async () => {
      const scene = await arrange(role);
      const created = await scene.create();
      assert.equal(created.status, 201, created.text);
      assert.equal(await scene.billed(created.body.key), 'payer');
    });

  test('writes audit records and notifications in both workspaces', async () => {
    const scene = await arrange();
    const manager = await arrangeAccount(app, scene.publisher, 'owner');
    const { id } = (await scene.create()).body;
    await scene.end(id);
    const here = '127.0.0.1';
    const trail = async (workspaceId: string, caller: object) =>
      (
        await app.http.get(`/api/workspaces/${workspaceId}/audit-records?targetId=${id}`, caller)
      ).body.items.map((record: { action: string; ipAddress: string }) => [record.action, record.ipAddress]);
    assert.deepEqual(await trail(scene.payer.workspaceId, scene.owner), [
      ['paid_key.ended', here],
      ['paid_key.agreed', here],
    ]);
    // The publisher does not learn the address of the other workspace's owner.
    assert.deepEqual(await trail(scene.publisher.workspaceId, manager), [
      ['api_key.payer_ended', null],
      ['api_key.created', here],
    ]);
    for (const caller of [scene.owner, manager]) {
      const { items } = (await app.http.get('/api/notifications', caller)).body;
      assert.deepEqual(
        items.map((item: { type: string }) => item.type),
        ['paid_key.ended', 'paid_key.agreed'],
      );
    }
  });

  /** Returns the newest record and notification of the payer about paid keys. */
  const newestOf = async (payer: { workspaceId: string }, caller: object) => {
    const trail = `/api/workspaces/${payer.workspaceId}/audit-records`;
    const [record] = (await app.http.get(trail, caller)).body.items;
    const { items } = (await app.http.get('/api/notifications', caller)).body;
    return { record, notification: items[0], count: items.length };
  };

  test('notifies the payer when the workspace of the key removes it', async () => {
    const scene = await arrange();
    const manager = await arrangeAccount(app, scene.publisher, 'admin');
    const { id, prefix } = (await scene.create()).body;
    const path = `${scene.keysPath}/${id}`;
    const remove = () => app.http.patch(path, { subscriberWorkspaceId: null }, manager);
    assert.equal((await remove()).status, 200);
    const { tenantId } = scene.publisher;
    const { record, notification, count } = await newestOf(scene.payer, scene.owner);
    assert.equal(record.action, 'paid_key.ended');
    assert.equal(record.targetId, id);
    assert.equal(record.actor.id, manager.accountId);
    assert.equal(record.ipAddress, null);
    assert.deepEqual(record.details, { before: { prefix, tenantId }, reason: 'payer_removed' });
    assert.equal(notification.type, 'paid_key.ended');
    assert.deepEqual(notification.data, { keyIds: [id], reason: 'payer_removed' });
    const { items } = (await app.http.get('/api/notifications', manager)).body;
    assert.equal(items[0].title, 'Your workspace pays for an API key again');

    assert.equal((await remove()).status, 200);
    assert.equal((await newestOf(scene.payer, scene.owner)).count, count, 'nothing has changed');
  });

  test('notifies only the payer when the workspace of the key revokes it', async () => {
    const scene = await arrange();
    const manager = await arrangeAccount(app, scene.publisher, 'admin');
    const { id, prefix } = (await scene.create()).body;
    const revoke = () => app.http.delete(`${scene.keysPath}/${id}`, manager);
    assert.equal((await revoke()).status, 204);
    const { tenantId } = scene.publisher;
    const { record, notification, count } = await newestOf(scene.payer, scene.owner);
    assert.equal(record.action, 'paid_key.ended');
    assert.deepEqual(record.details, { before: { prefix, tenantId }, reason: 'key_revoked' });
    assert.deepEqual(notification.data, { keyIds: [id], reason: 'key_revoked' });
    const { items } = (await app.http.get('/api/notifications', manager)).body;
    assert.notEqual(items[0]?.title, 'Your workspace pays for an API key again');

    assert.equal((await revoke()).status, 204);
    assert.equal((await scene.demote()).status, 200);
    assert.equal((await newestOf(scene.payer, scene.owner)).count, count, 'nothing has changed');
  });

  test('notifies both payers when one replaces the other', async () => {
    const scene = await arrange();
    const manager = await arrangeAccount(app, scene.publisher, 'admin');
    const { id } = (await scene.create()).body;
    const next = await arrangeTenant(app);
    const owner = await arrangeAccount(app, next, 'owner');
    await app.owner.query(
      `INSERT INTO memberships (workspace_id, account_id, role) VALUES ($1, $2, 'admin')`,
      [next.workspaceId, scene.agent.accountId],
    );
    const changed = await scene.change(id, { subscriberWorkspaceId: next.workspaceId });
    assert.equal(changed.status, 200, changed.text);
    const ended = (await newestOf(scene.payer, scene.owner)).notification;
    assert.equal(ended.type, 'paid_key.ended');
    assert.deepEqual(ended.data, { keyIds: [id], reason: 'payer_replaced' });
    const { record, notification } = await newestOf(next, owner);
    assert.deepEqual([record.action, notification.type], ['paid_key.agreed', 'paid_key.agreed']);
    const titles = async () =>
      (await app.http.get('/api/notifications', manager)).body.items.map(
        (item: { title: string }) => item.title,
      );
    const agreed = 'Another workspace pays for an API key';
    assert.deepEqual(await titles(), [agreed, agreed]);

    const own = await scene.change(id, { subscriberWorkspaceId: scene.publisher.workspaceId });
    assert.equal(own.status, 200, own.text);
    assert.deepEqual(await titles(), ['Your workspace pays for an API key again', agreed, agreed]);
  });

  test('writes an audit record of the payer for a rotation, and notifies nobody', async () => {
    const scene = await arrange();
    const manager = await arrangeAccount(app, scene.publisher, 'admin');
    const old = (await scene.create()).body;
    const rotated = await app.http.post(`${scene.keysPath}/${old.id}/rotate`, {}, manager);
    assert.equal(rotated.status, 201, rotated.text);
    const { id, prefix } = rotated.body;
    const { tenantId } = scene.publisher;
    const { record, notification, count } = await newestOf(scene.payer, scene.owner);
    assert.equal(record.action, 'paid_key.agreed');
    assert.equal(record.targetId, id);
    assert.equal(record.ipAddress, null);
    assert.deepEqual(record.details, { after: { prefix, tenantId }, rotatedFrom: old.id });
    assert.deepEqual([count, notification.data], [1, { keyId: old.id, tenantId }]);
  });

  test('notifies the payer once when the other workspace revokes all keys of an agreement', async () => {
    const scene = await arrange();
    const keys = [(await scene.create()).body];
    for (const gracePeriodSeconds of [60, 0, 60])
      keys.push((await scene.rotate(keys.at(-1).id, { gracePeriodSeconds })).body);
    const types = async () =>
      (await app.http.get('/api/notifications', scene.owner)).body.items.map(
        (item: { type: string }) => item.type,
      );
    for (const { id } of keys.toReversed()) {
      assert.deepEqual(await types(), ['paid_key.agreed']);
      assert.equal((await app.http.delete(`${scene.keysPath}/${id}`, scene.agent)).status, 204);
    }
    assert.deepEqual(await types(), ['paid_key.ended', 'paid_key.agreed']);
  });

  test('does not outlive the grace period of a rotated key', async () => {
    const scene = await arrange();
    const subscriberWorkspaceId = scene.payer.workspaceId;
    for (const gracePeriodSeconds of [0, 3600]) {
      const { id, key } = (await scene.create()).body;
      assert.equal((await scene.rotate(id, { gracePeriodSeconds })).status, 201);
      const later = new Date(Date.now() + 86_400_000).toISOString();
      for (const change of [
        { expiresAt: null },
        { expiresAt: later },
        { expiresAt: null, subscriberWorkspaceId },
      ]) {
        const refused = await scene.change(id, change);
        assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
        assert.match(refused.body.detail, /set subscriberWorkspaceId to null/);
      }
      assert.equal((await scene.change(id, { name: 'old' })).status, 200);
      const sooner = new Date(Date.now() + 60_000).toISOString();
      const shortened = await scene.change(id, { expiresAt: sooner });
      assert.equal(shortened.status, gracePeriodSeconds === 0 ? 409 : 200, shortened.text);
      const own = await scene.change(id, { expiresAt: null, subscriberWorkspaceId: null });
      assert.equal(own.status, 200, own.text);
      assert.equal(await scene.billed(key), 'publisher');
    }
  });

  test('does not begin again with a later expiry of an expired key', async () => {
    const scene = await arrange();
    const { id } = (await scene.create()).body;
    for (const seconds of [60, 120]) {
      const expiresAt = new Date(Date.now() + seconds * 1_000).toISOString();
      assert.equal((await scene.change(id, { expiresAt })).status, 200, 'a key that has not expired');
    }
    await app.owner.query('UPDATE tenant_keys SET expires_at = now() WHERE id = $1', [id]);
    assert.equal((await scene.change(id, { expiresAt: null })).status, 409);
    assert.equal((await scene.change(id, { expiresAt: null, subscriberWorkspaceId: null })).status, 200);
    assert.equal(await scene.payerOf(id), null);
    const { record, count } = await newestOf(scene.payer, scene.owner);
    assert.deepEqual([record.action, count], ['paid_key.agreed', 1], 'the payment ended with the expiry');
  });

  test('writes nothing about a key that its own workspace pays for', async () => {
    const scene = await arrange();
    const path = `/api/bus_tenants/${scene.payer.tenantId}/api-keys`;
    const wanted = { name: 'own', subscriberWorkspaceId: scene.payer.workspaceId };
    const { id } = (await app.http.post(path, wanted, scene.owner)).body;
    await app.http.post(`${path}/${id}/rotate`, {}, scene.owner);
    assert.equal((await scene.end(id)).status, 404);
    await app.http.patch(`${path}/${id}`, { subscriberWorkspaceId: null }, scene.owner);
    const { record, count } = await newestOf(scene.payer, scene.owner);
    assert.deepEqual([record.action, count], ['api_key.updated', 0]);
  });

  test('keeps the agreement when another setting changes or the key is rotated', async () => {
    const scene = await arrange();
    const { id } = (await scene.create()).body;
    const [before] = (await scene.list()).items;
    assert.equal((await scene.change(id, { name: 'new' })).status, 200);
    const [after] = (await scene.list()).items;
    assert.deepEqual(after, { ...before, name: 'new' });
    const successor = (await scene.rotate(id)).body;
    assert.equal(await scene.payerOf(successor.id), scene.payer.workspaceId);
    assert.equal((await scene.list()).totalCount, 2);
    await scene.demote();
    assert.equal(await scene.payerOf(successor.id), null);
  });
});

describe('the payer of an API key', () => {
  /** Sends two requests that wait for the lock of a key, so that the second one follows the first. Returns both answers. */
  async function inOrder<First, Second>(
    keyId: string,
    first: () => Promise<First>,
    second: () => Promise<Second>,
  ): Promise<[First, Second]> {
    let answers: Promise<[First, Second]> | undefined;
    await whileLocked(
      app,
      (holder) => holder.query('SELECT FROM tenant_keys WHERE id = $1 FOR NO KEY UPDATE', [keyId]),
      async (waiting, release) => {
        const firstAnswer = first();
        await waiting(1);
        answers = Promise.all([firstAnswer, second()]);
        await waiting(2);
        await release();
      },
    );
    return answers!;
  }

  for (const how of ['begins', 'ends'] as const)
    test(`stops a rotation with 409 if it ${how} to pay in the meantime`, async () => {
      const scene = await arrange();
      const payerId = how === 'begins' ? scene.payer.workspaceId : null;
      const { id } = (await scene.create(how === 'begins' ? { name: 'x' } : undefined)).body;
      const [changed, rotated] = await inOrder(
        id,
        () => scene.change(id, { subscriberWorkspaceId: payerId }),
        () => scene.rotate(id),
      );
      assert.equal(changed.status, 200, changed.text);
      assert.deepEqual([rotated.status, rotated.body.code], [409, 'conflict'], rotated.text);
      assert.match(rotated.body.detail, /payer of the key changed/);
      const again = await scene.rotate(id);
      assert.equal(again.status, 201, again.text);
      assert.equal(await scene.payerOf(again.body.id), payerId);
    });

  test('does not pay for a successor that a rotation creates before the agreement ends', async () => {
    const scene = await arrange();
    const { id } = (await scene.create()).body;
    const [rotated, ended] = await inOrder(
      id,
      () => scene.rotate(id),
      () => scene.end(id),
    );
    assert.deepEqual([rotated.status, ended.status], [201, 204]);
    assert.equal(await scene.payerOf(rotated.body.id), null);
  });

  test('does not begin again if its agreement ends while a change names it', async () => {
    const scene = await arrange();
    const { id } = (await scene.create()).body;
    const [ended, changed] = await inOrder(
      id,
      () => scene.end(id),
      () => scene.change(id, { name: 'renamed', subscriberWorkspaceId: scene.payer.workspaceId }),
    );
    assert.equal(ended.status, 204, ended.text);
    assert.deepEqual([changed.status, changed.body.code], [409, 'conflict'], changed.text);
    assert.match(changed.body.detail, /payer of the key changed/);
    assert.equal(await scene.payerOf(id), null);
  });
});

describe('GET /api/workspaces/{workspaceId}/paid-keys', () => {
  test('returns the keys of other workspaces page by page, without their secrets', async () => {
    const scene = await arrange();
    const keys = [(await scene.create()).body, (await scene.create()).body];
    const own = `/api/bus_tenants/${scene.payer.tenantId}/api-keys`;
    const subscriberWorkspaceId = scene.payer.workspaceId;
    assert.equal((await app.http.post(own, { name: 'own', subscriberWorkspaceId }, scene.owner)).status, 201);
    const { items, totalCount } = await scene.list('?limit=1&offset=1');
    assert.equal(totalCount, 2);
    const { tenantName, agreedAt, ...item } = items[0];
    assert.equal(typeof tenantName, 'string');
    assert.ok(!Number.isNaN(Date.parse(agreedAt)));
    assert.deepEqual(item, {
      id: keys[1].id,
      name: 'reader',
      prefix: keys[1].prefix,
      tenantId: scene.publisher.tenantId,
      workspaceId: scene.publisher.workspaceId,
      agreedBy: scene.agent.accountId,
      expiresAt: null,
    });
  });

  test('returns the expiry of a rotated key, and no revoked or expired keys', async () => {
    const scene = await arrange();
    const [expired, revoked, old] = await Promise.all(
      Array.from({ length: 3 }, async () => (await scene.create()).body),
    );
    const next = (await scene.rotate(expired.id, { gracePeriodSeconds: 0 })).body;
    await app.http.delete(`${scene.keysPath}/${revoked.id}`, scene.agent);
    const successor = (await scene.rotate(old.id, { gracePeriodSeconds: 3600 })).body;
    const { items, totalCount } = await scene.list();
    assert.equal(totalCount, 3);
    const expiries = new Map(
      items.map((item: { id: string; expiresAt: string }) => [item.id, item.expiresAt]),
    );
    assert.deepEqual([...expiries.keys()].toSorted(), [old.id, successor.id, next.id].toSorted());
    assert.ok(Math.abs(Date.parse(String(expiries.get(old.id))) - Date.now() - 3_600_000) < 60_000);
    assert.equal(expiries.get(next.id), null);
  });
});

describe('DELETE /api/workspaces/{workspaceId}/paid-keys/{keyId}', () => {
  test('bills later reads to the key’s own workspace in every process', async () => {
    const scene = await arrange();
    const { id, key } = (await scene.create()).body;
    assert.equal(await scene.billed(key, other), 'payer');
    assert.equal((await scene.end(id)).status, 204);
    assert.equal(await scene.billed(key), 'publisher');
    await eventually(async () => (await scene.billed(key, other)) === 'publisher');
    assert.equal((await scene.end(id)).status, 404, 'the payment has already ended');
    assert.equal((await scene.list()).totalCount, 0);
  });

  test('ends the payment for all keys of the agreement, and for no others', async () => {
    const scene = await arrange();
    const unrelated = (await scene.create()).body;
    const first = (await scene.create()).body;
    const second = (await scene.rotate(first.id)).body;
    const third = (await scene.rotate(second.id)).body;
    assert.equal(await scene.billed(third.key), 'payer');
    assert.equal((await scene.end(second.id)).status, 204);
    for (const { id, key } of [first, second, third]) {
      assert.equal(await scene.payerOf(id), null);
      assert.equal(await scene.billed(key), 'publisher');
    }
    assert.equal(await scene.payerOf(unrelated.id), scene.payer.workspaceId);
    assert.equal((await scene.end(third.id)).status, 404, 'the payment has already ended');
  });

  test('ends the agreement of a key that has expired or is revoked', async () => {
    const scene = await arrange();
    for (const how of ['expire', 'revoke']) {
      const old = (await scene.create()).body;
      const successor = (await scene.rotate(old.id, { gracePeriodSeconds: how === 'expire' ? 0 : 60 })).body;
      if (how === 'revoke') await app.http.delete(`${scene.keysPath}/${old.id}`, scene.agent);
      assert.equal((await scene.end(old.id)).status, 204);
      assert.equal(await scene.payerOf(successor.id), null);
    }
  });

  test('ends the payment for a successor that is created in parallel', async () => {
    for (let round = 0; round < 12; round++) {
      const scene = await arrange();
      const { id } = (await scene.create()).body;
      const [ended, rotated] = await Promise.all([scene.end(id), scene.rotate(id, {}, other)]);
      assert.equal(ended.status, 204, ended.text);
      assert.ok([201, 409].includes(rotated.status), rotated.text);
      assert.equal((await scene.list()).totalCount, 0, `round ${round}`);
      if (rotated.status === 201) assert.equal(await scene.payerOf(rotated.body.id), null);
    }
  });

  test('returns 404 for a key that another workspace pays for', async () => {
    const [scene, foreign] = [await arrange(), await arrange()];
    const { id } = (await scene.create()).body;
    assert.equal((await foreign.end(id)).status, 404);
    assert.equal((await scene.end(id, foreign.owner)).status, 404);
    assert.equal(await scene.payerOf(id), scene.payer.workspaceId);
  });
});

describe('a member who loses the role of owner or admin', () => {
  for (const how of ['demote', 'remove', 'leave'] as const)
    test(`ends the payment (${how})`, async () => {
      const scene = await arrange();
      const { id, key } = (await scene.create()).body;
      assert.equal(await scene.billed(key), 'payer');
      assert.ok((await scene[how]()).status < 300);
      assert.equal(await scene.payerOf(id), null);
      assert.equal(await scene.billed(key), 'publisher');
    });

  test('keeps the payment as an admin', async () => {
    const scene = await arrange('owner');
    const { id } = (await scene.create()).body;
    assert.equal((await scene.demote('admin')).status, 200);
    assert.equal(await scene.payerOf(id), scene.payer.workspaceId);
  });

  test('ends agreements that are created, changed or rotated in parallel', async () => {
    for (let round = 0; round < 12; round++) {
      const scene = await arrange();
      const first = (await scene.create()).body;
      const plain = (await scene.create({ name: 'x' })).body;
      const { workspaceId } = scene.payer;
      const [demoted, ...others] = await Promise.all([
        scene.demote(),
        scene.create(),
        scene.rotate(first.id),
        scene.change(plain.id, { subscriberWorkspaceId: workspaceId }),
      ]);
      assert.equal(demoted.status, 200, demoted.text);
      for (const answer of others) assert.ok(answer.status < 500, answer.text);
      const { rows } = await app.owner.query(
        'SELECT id FROM tenant_keys WHERE subscriber_workspace_id = $1',
        [workspaceId],
      );
      assert.deepEqual(rows, [], `round ${round}`);
    }
  });
});

describe('the limit of 200 requests of an account that name a payer', () => {
  test('rejects others with 429, even if each ends the payment first', async () => {
    const { create, change, payer, end, keysPath, wanted, agent } = await arrange();
    const caller = { ...agent, headers: { 'idempotency-key': 'some-creation' } };
    const createOnce = () => app.http.post(keysPath, wanted, caller);
    const { id } = (await createOnce()).body;
    const name = () => change(id, { subscriberWorkspaceId: payer.workspaceId });
    for (let sent = 1; sent < 200; sent += 9) {
      const answers = await Promise.all(Array.from({ length: Math.min(9, 200 - sent) }, name));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    }
    const refused = await name();
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    assert.equal((await create()).status, 429);
    const repeated = await createOnce();
    assert.deepEqual([repeated.status, repeated.body.id], [201, id], 'a repetition gets the first answer');
    assert.equal((await change(id, { name: 'other' })).status, 200);
    assert.equal((await end(id)).status, 204);
  });
});
