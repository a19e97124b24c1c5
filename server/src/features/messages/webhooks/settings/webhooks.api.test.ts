import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlatformAdmin, arrangeTenant } from '../../../../testing/arrange.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { whileLocked } from '../../../../testing/while-locked.ts';

const lines: string[] = [];
const app = await startTestApp({ log: (line) => lines.push(line), env: { LOG_LEVEL: 'debug' } });
const tenant = await arrangeTenant(app);
const stranger = await arrangeTenant(app);
const admin = await arrangeAccount(app, tenant, 'admin');
const viewer = await arrangeAccount(app, tenant, 'viewer');
const strangeAdmin = await arrangeAccount(app, stranger, 'admin');
const platformAdmin = await arrangePlatformAdmin(app);
const webhooks = `/api/workspaces/${tenant.workspaceId}/webhooks`;
const url = 'https://hooks.example.com/guildhall?token=1';

const create = (body: object = {}, caller: object = admin, path = webhooks) =>
  app.http.post(path, { url, ...body }, caller);
async function created(body: object = {}) {
  const answer = await create(body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body as { id: string; secret: string };
}

describe('POST /api/workspaces/:workspaceId/webhooks', () => {
  test('creates a webhook whose secret appears in this response only', async () => {
    const answer = await create({ description: '  Alerts to chat ', eventTypes: ['usage.warning'] });
    assert.equal(answer.status, 201, answer.text);
    const { id, secret, createdAt, ...rest } = answer.body;
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
    assert.deepEqual(rest, {
      workspaceId: tenant.workspaceId,
      tenantId: null,
      url,
      description: 'Alerts to chat',
      eventTypes: ['usage.warning'],
      enabled: true,
      disabledAt: null,
      disabledReason: null,
      failingSince: null,
      previousSecretUntil: null,
    });
    const read = await app.http.get(`${webhooks}/${id}`, admin);
    assert.deepEqual(read.body, { id, createdAt, ...rest });
    const list = await app.http.get(webhooks, admin);
    assert.deepEqual(list.body, { items: [read.body], limit: 50, offset: 0, totalCount: 1 });

    const textOf = async (table: string) =>
      (await app.owner.query(`SELECT string_agg(row::text, '') AS text FROM ${table} row`)).rows[0].text;
    const [rows, audited] = [await textOf('webhooks'), await textOf('audit_records')];
    const bytes = Buffer.from(secret.slice(6), 'base64').toString('hex');
    for (const part of [secret, secret.slice(6), bytes])
      assert.ok(![rows, audited, ...lines].join('\n').includes(part));
    assert.ok(
      audited.includes('https://hooks.example.com') && !audited.includes('token=1'),
      'the audit record contains the origin only',
    );
  });

  test('shows viewers the origin of the URL only', async () => {
    const { id } = await created();
    const owner = await arrangeAccount(app, tenant, 'owner');
    const urlsFor = async (caller: object) => {
      const list = await app.http.get(`${webhooks}?limit=200`, caller);
      const listed = list.body.items.find((item: { id: string }) => item.id === id);
      const read = await app.http.get(`${webhooks}/${id}`, caller);
      return [listed.url, read.body.url, `${list.text}${read.text}`.includes('token=1')];
    };
    assert.deepEqual(await urlsFor(viewer), [
      'https://hooks.example.com',
      'https://hooks.example.com',
      false,
    ]);
    for (const caller of [admin, owner]) assert.deepEqual(await urlsFor(caller), [url, url, true]);
    const path = '/api/admin/webhooks';
    const ofDeployment = (await create({}, platformAdmin, path)).body;
    assert.equal((await app.http.get(`${path}/${ofDeployment.id}`, platformAdmin)).body.url, url);
    assert.equal((await app.http.delete(`${path}/${ofDeployment.id}`, platformAdmin)).status, 204);
  });

  test('accepts a tenant of the workspace only', async () => {
    const answer = await create({ tenantId: tenant.tenantId.toUpperCase() });
    assert.deepEqual([answer.status, answer.body.tenantId], [201, tenant.tenantId]);
    const [foreign, missing] = [
      await create({ tenantId: stranger.tenantId }),
      await create({ tenantId: randomUUID() }),
    ];
    for (const { status, body } of [foreign, missing]) {
      assert.deepEqual([status, body.code], [404, 'not_found']);
      assert.equal(body.detail, 'The workspace does not have this tenant.');
    }
  });
});

describe('webhooks', () => {
  test('reject unusable URLs on creation and on change', async () => {
    const { id } = await created();
    for (const bad of [
      'hooks.example.com',
      'ftp://hooks.example.com',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'https://ada:secret@hooks.example.com',
      'https://ada@hooks.example.com',
      'http://127.0.0.1/',
      'http://[::1]/',
      'http://2130706433/',
      'http://169.254.169.254/latest/meta-data',
      'http://localhost:8080',
      'https://',
      'https://exa mple.com',
    ]) {
      for (const answer of [
        await create({ url: bad }),
        await app.http.patch(`${webhooks}/${id}`, { url: bad }, admin),
      ]) {
        const { status, body } = answer;
        assert.deepEqual([status, body.code, body.errors[0].path], [400, 'webhook_url_refused', 'url'], bad);
      }
    }
    for (const good of ['http://hooks.example.com', 'https://8.8.8.8:8443/x', 'https://bücher.example/'])
      assert.equal((await app.http.patch(`${webhooks}/${id}`, { url: good }, admin)).status, 200, good);
  });

  test('return 400 for malformed requests', async () => {
    for (const body of [
      { url: null },
      { url: 5 },
      { url: '' },
      { url: `https://example.com/${'x'.repeat(2048)}` },
      { eventTypes: [] },
      { eventTypes: ['unknown'] },
      { eventTypes: ['webhook.test'] },
      { eventTypes: ['usage.warning', 'usage.warning'] },
      { eventTypes: 'usage.warning' },
      { description: 'x'.repeat(257) },
      { tenantId: 'x' },
    ]) {
      const answer = await create(body);
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_request'], JSON.stringify(body));
    }
    assert.equal((await create({ description: '𝒳'.repeat(256) })).status, 201);
    assert.equal((await create({ url: `https://example.com/${'x'.repeat(2028)}` })).status, 201);
    const { id } = await created();
    for (const [path, body] of [
      [`${webhooks}/${id}`, { enabled: 'yes' }],
      [`${webhooks}/${id}/rotate-secret`, { overlapSeconds: -1 }],
      [`${webhooks}/${id}/rotate-secret`, { overlapSeconds: 7 * 86_400 + 1 }],
      [`${webhooks}/${id}/rotate-secret`, { overlapSeconds: 1.5 }],
    ] as const) {
      const send = path.endsWith(id) ? app.http.patch : app.http.post;
      assert.equal((await send(path, body, admin)).status, 400, JSON.stringify(body));
    }
    for (const query of ['status=x', 'eventType=x', 'limit=0', 'limit=201'])
      assert.equal((await app.http.get(`${webhooks}/${id}/deliveries?${query}`, viewer)).status, 400, query);
  });
});

describe('PATCH /api/workspaces/:workspaceId/webhooks/:webhookId', () => {
  test('keeps absent fields, clears null fields and audits only real changes', async () => {
    const { id } = await created({ description: 'x', eventTypes: ['usage.warning'] });
    const path = `${webhooks}/${id}`;
    const audited = async () => {
      const { rows } = await app.owner.query(
        `SELECT action, details FROM audit_records WHERE target_id = $1 ORDER BY id`,
        [id],
      );
      return rows;
    };
    assert.equal((await app.http.patch(path, {}, admin)).status, 200);
    assert.equal((await app.http.patch(path, { description: 'x' }, admin)).status, 200);
    assert.equal((await audited()).length, 1);
    const answer = await app.http.patch(path, { description: null, eventTypes: null }, admin);
    assert.deepEqual([answer.body.description, answer.body.eventTypes, answer.body.url], [null, null, url]);
    assert.deepEqual((await audited()).at(-1), {
      action: 'webhook.updated',
      details: {
        before: { description: 'x', eventTypes: ['usage.warning'] },
        after: { description: null, eventTypes: null },
      },
    });

    const moved = await app.http.patch(path, { url: `${url}2` }, admin);
    assert.equal(moved.body.url, `${url}2`);
    const { origin } = new URL(url);
    assert.deepEqual((await audited()).at(-1)?.details, { before: { url: origin }, after: { url: origin } });

    const disabled = await app.http.patch(path, { enabled: false }, admin);
    assert.deepEqual([disabled.body.enabled, disabled.body.disabledReason], [false, 'by_hand']);
    assert.ok(disabled.body.disabledAt);
    const enabled = await app.http.patch(path, { enabled: true }, admin);
    assert.deepEqual(
      [enabled.body.enabled, enabled.body.disabledReason, enabled.body.disabledAt],
      [true, null, null],
    );
  });

  test('resets failingSince for a new URL', async () => {
    const { id } = await created();
    const path = `${webhooks}/${id}`;
    await app.owner.query(`UPDATE webhooks SET failing_since = now() - interval '5 days' WHERE id = $1`, [
      id,
    ]);
    const described = await app.http.patch(path, { description: 'new description' }, admin);
    assert.ok(described.body.failingSince);
    const moved = await app.http.patch(path, { url: `${url}2` }, admin);
    assert.deepEqual([moved.status, moved.body.failingSince], [200, null]);
  });
});

describe('POST /api/workspaces/:workspaceId/webhooks/:webhookId/test and redeliver', () => {
  test('return 409 for a disabled webhook', async () => {
    const { id } = await created();
    const test = await app.http.post(`${webhooks}/${id}/test`, undefined, admin);
    assert.equal(test.status, 202, test.text);
    await app.http.patch(`${webhooks}/${id}`, { enabled: false }, admin);
    for (const path of ['test', `deliveries/${test.body.id}/redeliver`]) {
      const answer = await app.http.post(`${webhooks}/${id}/${path}`, undefined, admin);
      assert.deepEqual([answer.status, answer.body.code], [409, 'webhook_disabled'], path);
    }
  });
});

describe('DELETE /api/workspaces/:workspaceId/webhooks/:webhookId', () => {
  test('deletes the webhook with its deliveries', async () => {
    const { id } = await created();
    await app.http.post(`${webhooks}/${id}/test`, undefined, admin);
    assert.equal((await app.http.delete(`${webhooks}/${id}`, admin)).status, 204);
    assert.equal((await app.http.delete(`${webhooks}/${id}`, admin)).status, 404);
    const { rows } = await app.owner.query('SELECT FROM webhook_deliveries WHERE webhook_id = $1', [id]);
    assert.equal(rows.length, 0);
  });

  test('lets others publish events while it deletes the deliveries', async () => {
    const { id } = await created();
    const publish = () => app.http.post(`${webhooks}/${id}/test`, undefined, admin);
    await publish();
    await whileLocked(
      app,
      (holder) => holder.query('SELECT FROM webhook_deliveries WHERE webhook_id = $1 FOR UPDATE', [id]),
      async (waiting, release) => {
        const deleting = app.http.delete(`${webhooks}/${id}`, admin);
        await waiting(1);
        assert.equal((await publish()).status, 202);
        await release();
        assert.equal((await deleting).status, 204);
      },
    );
    const { rows } = await app.owner.query('SELECT FROM webhook_deliveries WHERE webhook_id = $1', [id]);
    assert.equal(rows.length, 0);
  });
});

describe('webhook authorization', () => {
  test('returns 404 on every path for a webhook of another workspace', async () => {
    const { id } = await created();
    const { body: delivery } = await app.http.post(`${webhooks}/${id}/test`, undefined, admin);
    const { id: other } = await created();
    const strange = `/api/workspaces/${stranger.workspaceId}/webhooks`;
    const requests: ['GET' | 'POST' | 'PATCH' | 'DELETE', string, object?][] = [
      ['GET', ''],
      ['PATCH', '', { enabled: true }],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/rotate-secret', {}],
      ['GET', '/deliveries'],
      ['GET', `/deliveries/${delivery.id}`],
      ['POST', `/deliveries/${delivery.id}/redeliver`],
    ];
    for (const [method, rest, body] of requests) {
      const json = body && JSON.stringify(body);
      for (const [path, caller] of [
        [`${strange}/${id}`, strangeAdmin],
        [`/api/admin/webhooks/${id}`, platformAdmin],
        [`${webhooks}/${randomUUID()}`, admin],
        [`${webhooks}/nonsense`, admin],
      ] as const) {
        const answer = await app.http.raw(method, path + rest, json, caller);
        assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], `${method} ${path}${rest}`);
      }
    }
    // A delivery belongs to one webhook, not to the workspace.
    for (const [method, rest] of [
      ['GET', ''],
      ['POST', '/redeliver'],
    ] as const)
      for (const deliveryId of [delivery.id, randomUUID(), 'nonsense']) {
        const path = `${webhooks}/${other}/deliveries/${deliveryId}${rest}`;
        assert.equal((await app.http.raw(method, path, undefined, admin)).status, 404, path);
      }
  });

  test('allows only platform administrators to use webhooks of the deployment', async () => {
    const path = '/api/admin/webhooks';
    const made = await create({ tenantId: tenant.tenantId }, platformAdmin, path);
    assert.deepEqual([made.status, made.body.workspaceId, made.body.tenantId], [201, null, null]);
    assert.deepEqual(
      (await app.http.get(path, platformAdmin)).body.items.map((item: { id: string }) => item.id),
      [made.body.id],
    );
    assert.equal((await app.http.get(path, admin)).status, 403);
    assert.equal((await app.http.get(`${webhooks}/${made.body.id}`, admin)).status, 404);
  });
});

describe('GET /api/workspaces/:workspaceId/webhooks/:webhookId/deliveries', () => {
  test('lists and counts the last 10,000 of a time range, before it filters by status', async () => {
    const { id } = (await create()).body;
    const oldest = '2026-01-01T00:00:00Z';
    await app.owner.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_type, body, status, created_at)
       SELECT ('019b76da-a800-7000-8000-' || substr($1, 1, 4) || lpad(to_hex(number), 8, '0'))::uuid, $1::uuid, 'webhook.test', '{}',
              CASE WHEN number IN (1, 10002) THEN 'failed' ELSE 'delivered' END, $2::timestamptz + number * interval '1 microsecond'
       FROM generate_series(1, 10002) number`,
      [id, oldest],
    );
    const list = async (query: string) =>
      (await app.http.get(`${webhooks}/${id}/deliveries?${query}`, viewer)).body;
    const last = await list('limit=1');
    assert.deepEqual([last.items.length, last.totalCount], [1, 10_000]);
    assert.equal((await list('offset=9999')).items.length, 1);
    assert.deepEqual((await list('offset=10000')).items, []);
    assert.equal((await list('status=failed')).totalCount, 1);
    assert.equal((await list(`status=failed&to=2026-01-01T00:00:00.000100Z`)).totalCount, 1);
    assert.equal((await list('status=delivered')).totalCount, 9_999);
    assert.equal((await list(`from=${oldest}&to=2026-01-01T00:00:00.000100Z`)).totalCount, 99);
  });

  test('returns pages and filters by status and type', async () => {
    const { id } = await created();
    const ids: string[] = [];
    for (let index = 0; index < 3; index++)
      ids.unshift((await app.http.post(`${webhooks}/${id}/test`, undefined, admin)).body.id);
    await app.owner.query(`UPDATE webhook_deliveries SET status = 'failed' WHERE id = $1`, [ids[1]]);
    const list = async (query: string) => {
      const { body } = await app.http.get(`${webhooks}/${id}/deliveries${query}`, viewer);
      return [body.items.map((item: { id: string }) => item.id), body.totalCount];
    };
    assert.deepEqual(await list(''), [ids, 3]);
    assert.deepEqual(await list('?limit=1&offset=1'), [[ids[1]], 3]);
    assert.deepEqual(await list('?status=failed'), [[ids[1]], 1]);
    assert.deepEqual(await list('?status=pending&eventType=webhook.test'), [[ids[0], ids[2]], 2]);
    assert.deepEqual(await list('?eventType=usage.warning'), [[], 0]);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    assert.deepEqual(await list(`?from=${yesterday}`), [ids, 3]);
    assert.deepEqual(await list(`?to=${yesterday}`), [[], 0]);
    // PostgreSQL refuses offsets of 16 hours and more.
    const inAnyZone = (offset: string) => encodeURIComponent(`${yesterday.slice(0, -1)}${offset}`);
    assert.deepEqual(await list(`?from=${inAnyZone('+16:00')}`), [ids, 3]);
    assert.deepEqual(await list(`?to=${inAnyZone('+23:59')}`), [[], 0]);

    const { body } = await app.http.get(`${webhooks}/${id}/deliveries/${ids[0]}`, viewer);
    const { createdAt, nextAttemptAt, body: sent, ...rest } = body;
    assert.ok(Date.parse(createdAt) <= Date.now() + 1000 && Date.parse(nextAttemptAt) <= Date.now() + 1000);
    assert.deepEqual(JSON.parse(sent).data, { workspaceId: tenant.workspaceId });
    assert.deepEqual(rest, {
      id: ids[0],
      eventType: 'webhook.test',
      status: 'pending',
      attempts: 0,
      lastStatusCode: null,
      lastError: null,
      lastAttemptAt: null,
      history: [],
    });
  });
});

describe('webhook limit', () => {
  test('allows 50 webhooks per workspace, even with concurrent requests', async () => {
    const full = await arrangeTenant(app);
    const fullAdmin = await arrangeAccount(app, full, 'admin');
    const path = `/api/workspaces/${full.workspaceId}/webhooks`;
    for (let index = 0; index < 45; index++) assert.equal((await create({}, fullAdmin, path)).status, 201);
    const answers = await Promise.all(Array.from({ length: 12 }, () => create({}, fullAdmin, path)));
    assert.equal(answers.filter(({ status }) => status === 201).length, 5);
    for (const { status, body } of answers)
      if (status !== 201) assert.deepEqual([status, body.code], [409, 'webhook_limit']);
  });
});
