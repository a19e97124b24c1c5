import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlatformAdmin, arrangeTenant } from '../../../../testing/arrange.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { arrangeDeliveries, arrangeWebhook } from '../../../../testing/webhooks.ts';

// Without a worker, so that a redelivery stays as it began.
const app = await startTestApp();
const platformAdmin = await arrangePlatformAdmin(app);

/** A webhook of a new workspace, because redeliveries have a limit for each workspace. */
async function arrange() {
  const tenant = await arrangeTenant(app);
  const admin = await arrangeAccount(app, tenant, 'admin');
  const webhooks = `/api/workspaces/${tenant.workspaceId}/webhooks`;
  const createWebhook = () => arrangeWebhook(app, webhooks, admin, { url: 'https://hooks.example.com' });
  return { tenant, admin, webhooks, createWebhook, webhook: await createWebhook() };
}

const redeliveriesOf = async (webhookId: string): Promise<number> => {
  const { rowCount } = await app.owner.query('SELECT FROM webhook_redeliveries WHERE webhook_id = $1', [
    webhookId,
  ]);
  return rowCount ?? 0;
};

describe('POST /api/workspaces/:workspaceId/webhooks/:webhookId/redeliveries', () => {
  test('returns 400 for malformed bodies and starts nothing', async () => {
    const { webhook, webhooks, admin } = await arrange();
    await arrangeDeliveries(app, webhook.id, 1);
    for (const body of [
      {},
      [],
      { state: 'failed' },
      { status: 'failed', state: 'failed' },
      { status: 'lost' },
      { status: null },
      { deliveryIds: [] },
      { deliveryIds: null },
      { deliveryIds: ['x'] },
      { deliveryIds: randomUUID() },
      { deliveryIds: Array.from({ length: 10_001 }, () => randomUUID()) },
      { eventType: 'unknown' },
      { from: 'yesterday' },
      { to: '2026-01-01' },
    ]) {
      const { status, body: problem } = await webhook.requestRedelivery(body);
      assert.deepEqual([status, problem.code], [400, 'invalid_request'], JSON.stringify(body).slice(0, 80));
    }
    for (const text of ['', '{"status":', 'null'])
      assert.equal(
        (await app.http.raw('POST', `${webhooks}/${webhook.id}/redeliveries`, text, admin)).status,
        400,
        text,
      );
    const { body: empty } = await webhook.requestRedelivery({});
    assert.match(empty.detail, /must not be empty/);
    assert.equal(await redeliveriesOf(webhook.id), 0);
  });

  test('returns 413 for a body of more than 512 KiB', async () => {
    const { webhook } = await arrange();
    const deliveryIds = ['x'.repeat(512 * 1024)];
    assert.equal((await webhook.requestRedelivery({ deliveryIds })).status, 413);
  });

  test('selects by all members, and only from the webhook in the path', async () => {
    const { webhook, createWebhook } = await arrange();
    const other = await createWebhook();
    const [first = '', second = ''] = await arrangeDeliveries(app, webhook.id, 3);
    const [foreign = ''] = await arrangeDeliveries(app, other.id, 1);
    const totalOf = async (body: object): Promise<number> => {
      const { total } = await webhook.startRedelivery(body);
      await app.owner.query('DELETE FROM webhook_redeliveries');
      return total;
    };
    assert.equal(await totalOf({ status: 'failed' }), 3);
    assert.equal(await totalOf({ status: 'failed', eventType: 'webhook.test' }), 0);
    assert.equal(await totalOf({ deliveryIds: [first, second, first, foreign, randomUUID()] }), 2);
    assert.equal(await totalOf({ deliveryIds: [first.toUpperCase()] }), 1);
    assert.equal(await totalOf({ deliveryIds: [first], status: 'delivered' }), 0);
    assert.equal(await totalOf({ to: '2026-01-01T00:00:00Z' }), 0);
    assert.equal(await totalOf({ from: '2026-01-01T00:00:00+23:59' }), 3);
    assert.equal(await totalOf({ to: '2026-01-01T00:00:00-23:59' }), 0);
  });

  test('accepts 10,000 ids', async () => {
    const { webhook } = await arrange();
    const deliveryIds = await arrangeDeliveries(app, webhook.id, 10_000);
    assert.equal((await webhook.startRedelivery({ deliveryIds })).total, 10_000);
  });

  test('ends at once if nothing matches', async () => {
    const { webhook } = await arrange();
    const { id, createdAt, endedAt, ...rest } = await webhook.startRedelivery();
    assert.equal(createdAt, endedAt);
    assert.deepEqual(rest, { status: 'completed', total: 0, delivered: 0, failed: 0, skipped: 0 });
    const { rowCount } = await app.owner.query(
      `SELECT FROM pgboss.job WHERE name = 'webhook-redelivery' AND data->>'redeliveryId' = $1`,
      [id],
    );
    assert.equal(rowCount, 0);
  });

  test('returns 409 while one is running, even for concurrent requests', async () => {
    const { webhook } = await arrange();
    await arrangeDeliveries(app, webhook.id, 1);
    const body = { status: 'failed' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => webhook.requestRedelivery(body)));
    const codes = answers.map(({ status, body: { code } }) => (status === 202 ? 202 : `${status} ${code}`));
    assert.deepEqual(codes.toSorted(), [202, ...Array.from({ length: 4 }, () => '409 redelivery_running')]);
    assert.equal(await redeliveriesOf(webhook.id), 1);
  });

  test('returns 409 for a disabled webhook', async () => {
    const { webhook } = await arrange();
    await webhook.change({ enabled: false });
    const { status, body } = await webhook.requestRedelivery({ status: 'failed' });
    assert.deepEqual([status, body.code], [409, 'webhook_disabled']);
  });

  test('returns 429 after 10 requests per minute and workspace', async () => {
    const { webhook, createWebhook } = await arrange();
    for (let count = 0; count < 10; count++) await webhook.startRedelivery();
    const answer = await (await createWebhook()).requestRedelivery({ status: 'failed' });
    assert.deepEqual([answer.status, answer.body.code], [429, 'too_many_attempts']);
    assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  });

  test('returns 429 after 10 requests per minute and account, in all of its workspaces', async () => {
    const { admin, webhook } = await arrange();
    const elsewhere = await arrange();
    await app.owner.query(
      `INSERT INTO memberships (workspace_id, account_id, role) VALUES ($1, $2, 'admin')`,
      [elsewhere.tenant.workspaceId, admin.accountId],
    );
    for (let count = 0; count < 10; count++) await webhook.startRedelivery();
    const another = { status: 'failed' };
    const answer = await elsewhere.webhook.requestRedelivery(another, admin);
    assert.deepEqual([answer.status, answer.body.code], [429, 'too_many_attempts']);
    assert.equal((await elsewhere.webhook.requestRedelivery(another)).status, 202, 'by its own admin');
  });

  test('counts no request for the account that the limit of a workspace refuses', async () => {
    const { tenant, webhook } = await arrange();
    const elsewhere = await arrange();
    await app.owner.query(
      `INSERT INTO memberships (workspace_id, account_id, role) VALUES ($1, $2, 'admin')`,
      [tenant.workspaceId, elsewhere.admin.accountId],
    );
    const body = { status: 'failed' };
    for (let count = 0; count < 10; count++) await webhook.startRedelivery();
    for (let count = 0; count < 10; count++)
      assert.equal((await webhook.requestRedelivery(body, elsewhere.admin)).status, 429);
    assert.equal((await elsewhere.webhook.requestRedelivery(body)).status, 202);
  });
});

describe('POST /api/workspaces/:workspaceId/webhooks/:webhookId/redeliveries/:redeliveryId/cancel', () => {
  test('cancels once, allows the next redelivery, and records who did it', async () => {
    const { admin, webhook } = await arrange();
    await arrangeDeliveries(app, webhook.id, 2);
    const from = '2026-01-01T00:00:00Z';
    const { id } = await webhook.startRedelivery({ status: 'failed', from });
    const cancelled = await webhook.cancelRedelivery(id);
    assert.equal(cancelled.status, 'cancelled');
    assert.ok(cancelled.endedAt);
    assert.deepEqual(await webhook.cancelRedelivery(id), cancelled);
    const { rows } = await app.owner.query(
      `SELECT action, actor_id, details FROM audit_records
       WHERE target_id = $1 AND action LIKE 'webhook.redelivery%' ORDER BY id`,
      [webhook.id],
    );
    const actor_id = admin.accountId;
    assert.deepEqual(rows, [
      {
        action: 'webhook.redelivery_started',
        actor_id,
        details: { redeliveryId: id, total: 2, status: 'failed', from },
      },
      { action: 'webhook.redelivery_cancelled', actor_id, details: { redeliveryId: id } },
    ]);
    assert.equal((await webhook.startRedelivery()).status, 'running');
  });
});

describe('redelivery authorization', () => {
  test('returns 404 on every path for a redelivery of another webhook or workspace', async () => {
    const { admin, webhooks, webhook, createWebhook } = await arrange();
    const other = await createWebhook();
    const stranger = await arrange();
    await arrangeDeliveries(app, webhook.id, 1);
    const { id } = await webhook.startRedelivery();
    for (const [path, caller] of [
      [`${stranger.webhooks}/${webhook.id}`, stranger.admin],
      [`/api/admin/webhooks/${webhook.id}`, platformAdmin],
      [`${webhooks}/${randomUUID()}`, admin],
      [`${webhooks}/nonsense`, admin],
    ] as const)
      for (const [method, rest, body] of [
        ['POST', '', '{"status":"failed"}'],
        ['GET', ''],
        ['GET', `/${id}`],
        ['POST', `/${id}/cancel`],
      ] as const) {
        const answer = await app.http.raw(method, `${path}/redeliveries${rest}`, body, caller);
        assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], `${method} ${path}${rest}`);
      }
    for (const redeliveryId of [id, randomUUID(), 'nonsense'])
      for (const [method, rest] of [
        ['GET', ''],
        ['POST', '/cancel'],
      ] as const) {
        const path = `${webhooks}/${other.id}/redeliveries/${redeliveryId}${rest}`;
        assert.equal((await app.http.raw(method, path, undefined, admin)).status, 404, path);
      }
    assert.equal((await webhook.redelivery(id)).status, 'running');
  });

  test('lists redeliveries newest first to viewers, who may not start or cancel them', async () => {
    const { tenant, webhooks, webhook } = await arrange();
    const viewer = await arrangeAccount(app, tenant, 'viewer');
    const first = await webhook.startRedelivery();
    await arrangeDeliveries(app, webhook.id, 1);
    const second = await webhook.startRedelivery();
    const path = `${webhooks}/${webhook.id}/redeliveries`;
    const { body } = await app.http.get(path, viewer);
    assert.deepEqual(body, { items: [second, first], limit: 50, offset: 0, totalCount: 2 });
    assert.deepEqual((await app.http.get(`${path}?limit=1&offset=1`, viewer)).body.items, [first]);
    assert.equal((await webhook.requestRedelivery({ status: 'failed' }, viewer)).status, 403);
    assert.equal((await app.http.post(`${path}/${second.id}/cancel`, undefined, viewer)).status, 403);
    assert.equal((await webhook.requestRedelivery({ status: 'failed' }, {})).status, 401);
  });

  test('allows only platform administrators to redeliver to webhooks of the deployment', async () => {
    const { admin } = await arrange();
    const url = 'https://hooks.example.com';
    const webhook = await arrangeWebhook(app, '/api/admin/webhooks', platformAdmin, { url });
    await arrangeDeliveries(app, webhook.id, 1);
    assert.equal((await webhook.requestRedelivery({ status: 'failed' }, admin)).status, 403);
    const { id, total } = await webhook.startRedelivery();
    assert.equal(total, 1);
    assert.equal((await webhook.cancelRedelivery(id)).status, 'cancelled');
  });
});
