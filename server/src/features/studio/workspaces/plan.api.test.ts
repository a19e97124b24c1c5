import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  arrangeAccount,
  arrangePlatformAdmin,
  arrangePlayer,
  arrangeTenant,
} from '../../../testing/arrange.ts';
import { avoidEndOf } from '../../../testing/avoid-end-of.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { arrangeWebhook } from '../../../testing/webhooks.ts';
import { commitWhileWaiting } from '../../../testing/while-locked.ts';

const app = await startTestApp();
const other = await startTestApp({ databaseUrl: app.databaseUrl });
const tenant = await arrangeTenant(app);
const [platformAdmin, owner, stranger] = [
  await arrangePlatformAdmin(app),
  await arrangeAccount(app, tenant, 'owner'),
  await arrangeAccount(app, tenant),
];
const change = (body: unknown, caller: object = platformAdmin, workspaceId = tenant.workspaceId) =>
  app.http.patch(`/api/workspaces/${workspaceId}/plan`, body, caller);
const planOf = async () => (await app.http.get(`/api/workspaces/${tenant.workspaceId}`, owner)).body.plan;
const records = async () =>
  (
    await app.owner.query(
      `SELECT actor_id, details, ip_address, request_id FROM audit_records
       WHERE workspace_id = $1 AND action = 'workspace.plan_changed' ORDER BY id`,
      [tenant.workspaceId],
    )
  ).rows;

describe('PATCH /api/workspaces/{workspaceId}/plan', () => {
  test('changes only the given limits and audits the difference', async () => {
    const before = await planOf();
    assert.deepEqual((await change({})).body, before);
    const whole = {
      name: 'Studio',
      monthlyUnits: 5_000_000_000,
      hardStop: true,
      rateLimit: { perMinute: 10, perHour: 100 },
      maxMatchEventRecordsPerRequest: 10_000,
      maxPlayerEventRecordsPerRequest: 1,
    };
    const changed = await change({
      ...whole,
      name: ' Studio ',
      slug: 'x',
      rateLimit: { ...whole.rateLimit, x: 1 },
    });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(changed.body, whole);
    assert.deepEqual(await planOf(), whole);
    const half = await change({ monthlyUnits: null, rateLimit: { perHour: 7 } });
    assert.deepEqual(half.body, { ...whole, monthlyUnits: null, rateLimit: { perMinute: 10, perHour: 7 } });
    assert.deepEqual(
      (await change({ rateLimit: null, hardStop: null })).body,
      half.body,
      'null is the same as an omitted field',
    );

    const [first, second, ...more] = await records();
    assert.equal(more.length, 0);
    assert.equal(first.details.before.name, before.name);
    assert.deepEqual(Object.keys(first.details.after).toSorted(), [
      'hardStop',
      'maxPlayerEventRecordsPerRequest',
      'monthlyUnits',
      'name',
      'rateLimit',
    ]);
    assert.deepEqual(second, {
      actor_id: platformAdmin.accountId,
      details: {
        before: { monthlyUnits: 5_000_000_000, rateLimit: { perMinute: 10, perHour: 100 } },
        after: { monthlyUnits: null, rateLimit: { perMinute: 10, perHour: 7 } },
      },
      ip_address: '127.0.0.1',
      request_id: half.headers.get('x-request-id'),
    });
  });

  test('keeps what another change sets meanwhile', async () => {
    const { workspaceId } = await arrangeTenant(app);
    const changed = await commitWhileWaiting(
      app,
      (holder) => holder.query('UPDATE workspaces SET hard_stop = true WHERE id = $1', [workspaceId]),
      () => change({ name: 'Studio' }, platformAdmin, workspaceId),
    );
    assert.deepEqual([changed.body.name, changed.body.hardStop], ['Studio', true]);
  });

  test('warns a workspace that has used more than its new plan, once', async () => {
    await avoidEndOf('month');
    const payer = await arrangeTenant(app);
    const team = await arrangeAccount(app, payer, 'admin');
    await arrangePlayer(app, payer, 'ada');
    const webhook = await arrangeWebhook(app, `/api/workspaces/${payer.workspaceId}/webhooks`, team, {
      url: 'https://hooks.example.com',
    });
    const warnings = async () =>
      (await app.http.get('/api/notifications', team)).body.items
        .filter(({ type }: { type: string }) => type === 'usage.warning')
        .map(({ data }: { data: { percent: number; used: number; limit: number } }) => [
          data.percent,
          data.used,
          data.limit,
        ]);
    const set = async (body: object) =>
      assert.equal((await change(body, platformAdmin, payer.workspaceId)).status, 200);
    await set({ monthlyUnits: 100 });
    assert.deepEqual(await warnings(), []);
    await set({ monthlyUnits: 1, hardStop: true });
    await set({ hardStop: false });
    assert.deepEqual(await warnings(), [[100, 1, 1]]);
    const { rows } = await app.owner.query(
      'SELECT event_type FROM webhook_deliveries WHERE webhook_id = $1',
      [webhook.id],
    );
    assert.deepEqual(rows, [{ event_type: 'usage.warning' }]);
  });

  test('applies a changed batch size in every process', async () => {
    const player = await arrangePlayer(app, tenant);
    const events = [1, 2].map((index) => ({
      playerId: player.playerId,
      eventKey: 'x',
      idempotencyKey: `${index}`,
      occurredAt: new Date().toISOString(),
    }));
    const send = async ({ http } = app) =>
      (await http.post('/api/game/player-events', { events }, player.caller)).body.code ?? 'taken';
    await change({ maxPlayerEventRecordsPerRequest: 2 });
    for (const process of [app, other]) await eventually(async () => (await send(process)) !== 'batch_size');
    await change({ maxPlayerEventRecordsPerRequest: 1 });
    assert.equal(await send(), 'batch_size');
    await eventually(async () => (await send(other)) === 'batch_size');
  });

  test('returns 400 for values out of bounds and accepts values at the bounds', async () => {
    const bad = [
      { name: ' ' },
      { name: 'x'.repeat(65) },
      { monthlyUnits: -1 },
      { monthlyUnits: 2 ** 53 },
      { monthlyUnits: 1.5 },
      { monthlyUnits: '5' },
      { hardStop: 'yes' },
      { rateLimit: 5 },
      { rateLimit: { perMinute: 0 } },
      { rateLimit: { perHour: 2 ** 31 } },
      { maxMatchEventRecordsPerRequest: 0 },
      { maxMatchEventRecordsPerRequest: 10_001 },
      { maxPlayerEventRecordsPerRequest: 10_001 },
      [],
    ];
    for (const body of bad) assert.equal((await change(body)).status, 400, JSON.stringify(body));
    const good = [
      { name: '🎮'.repeat(64) },
      { monthlyUnits: 0 },
      { monthlyUnits: 2 ** 53 - 1 },
      { rateLimit: { perMinute: 1, perHour: 2 ** 31 - 1 } },
    ];
    for (const body of good) assert.partialDeepStrictEqual((await change(body)).body, body);
  });

  test('returns 403 to others, 401 without a console token, and 404 for unknown workspaces', async () => {
    for (const caller of [owner, stranger]) assert.equal((await change({}, caller)).status, 403);
    for (const caller of [{}, { gameKey: tenant.gameKey }, { apiKey: tenant.apiKey }])
      assert.equal((await change({}, caller)).status, 401);
    for (const id of [randomUUID(), tenant.tenantId, 'x'])
      assert.equal((await change({ name: 'x' }, platformAdmin, id)).status, 404, id);
  });
});
