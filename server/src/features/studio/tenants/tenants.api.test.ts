import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { commitWhileWaiting } from '../../../testing/while-locked.ts';

const app = await startTestApp();
const arranged = await arrangeTenant(app);
const foreign = await arrangeTenant(app);
const [admin, viewer, stranger] = [
  await arrangeAccount(app, arranged, 'admin'),
  await arrangeAccount(app, arranged, 'viewer'),
  await arrangeAccount(app, foreign, 'owner'),
];
const list = `/api/workspaces/${arranged.workspaceId}/bus_tenants`;
const someName = () => `Game ${randomBytes(4).toString('hex')}`;
const create = (body: object) => app.http.post(list, body, admin);
const pathOf = (tenantId: string) => `/api/bus_tenants/${tenantId}`;
const canSignIn = async ({ http }: typeof app, gameKey: string): Promise<boolean> => {
  const body = { provider: 'Mock', token: 'mock:ada:secret' };
  return (await http.post('/api/player-auth/login', body, { gameKey })).status === 200;
};
const auditOf = async (tenantId: string) =>
  (await app.owner.query(`SELECT * FROM audit_records WHERE tenant_id = $1 ORDER BY id`, [tenantId])).rows;

describe('POST /api/workspaces/{workspaceId}/bus_tenants', () => {
  test('creates a tenant that can be read and listed', async () => {
    const created = await create({ name: ' Space Invaders ', hiddenFromDiscovery: true });
    assert.equal(created.status, 201, created.text);
    const { id, createdAt, ...rest } = created.body;
    assert.deepEqual(rest, {
      workspaceId: arranged.workspaceId,
      name: 'Space Invaders',
      slug: 'space-invaders',
      hiddenFromDiscovery: true,
      isActive: true,
      isDemo: false,
      settings: { autoCreateDefinitions: false },
      disabledAt: null,
    });
    assert.deepEqual((await app.http.get(pathOf(id), viewer)).body, created.body);
    const page = (await app.http.get(`${list}?limit=1&offset=1`, viewer)).body;
    assert.deepEqual(page.items, [created.body]);
    assert.equal(page.totalCount, 2);
    const [record] = await auditOf(id);
    assert.equal(record.action, 'tenant.created');
    assert.equal(record.workspace_id, arranged.workspaceId);
    assert.equal(record.actor_id, admin.accountId);
  });

  test('keeps slugs unique within a workspace when requests run in parallel', async () => {
    const name = someName();
    const named = await Promise.all(Array.from({ length: 6 }, () => create({ name })));
    assert.equal(new Set(named.map((answer) => answer.body.slug)).size, 6);

    const slug = randomBytes(6).toString('hex');
    const given = await Promise.all([1, 2, 3].map(() => create({ name, slug })));
    assert.deepEqual(given.map((answer) => answer.status).toSorted(), [201, 409, 409]);
    const renamed = await app.http.patch(pathOf(named[0]!.body.id), { slug }, admin);
    assert.equal(renamed.body.code, 'slug_taken');
    const elsewhere = await app.http.post(
      `/api/workspaces/${foreign.workspaceId}/bus_tenants`,
      { name, slug },
      stranger,
    );
    assert.equal(elsewhere.status, 201);
  });

  test('ignores fields that only the operator can set', async () => {
    const body = { name: someName(), isDemo: true, autoCreateDefinitions: true, id: randomUUID() };
    const created = (await create(body)).body;
    assert.equal(created.isDemo, false);
    assert.equal(created.settings.autoCreateDefinitions, false);
    assert.notEqual(created.id, body.id);
  });
});

describe('GET /api/workspaces/{workspaceId}/bus_tenants', () => {
  test('lists tenants that are not disabled first, then oldest first', async () => {
    const tenant = await arrangeTenant(app);
    const owner = await arrangeAccount(app, tenant, 'owner');
    const path = `/api/workspaces/${tenant.workspaceId}/bus_tenants`;
    const ids = [tenant.tenantId];
    for (let count = 0; count < 3; count++)
      ids.push((await app.http.post(path, { name: someName() }, owner)).body.id);
    for (const id of [ids[2]!, ids[0]!]) await app.http.delete(pathOf(id), owner);

    const pages = [];
    for (const offset of [0, 2])
      pages.push((await app.http.get(`${path}?limit=2&offset=${offset}`, owner)).body);
    assert.deepEqual(
      pages.map(({ items }) => items.map(({ id }: { id: string }) => id)),
      [
        [ids[1], ids[3]],
        [ids[0], ids[2]],
      ],
    );
  });
});

describe('PATCH and DELETE /api/bus_tenants/{tenantId}', () => {
  test('changes only the given fields and audits the difference', async () => {
    const { id, slug } = (await create({ name: 'Before' })).body;
    assert.equal((await app.http.patch(pathOf(id), {}, admin)).status, 200);
    const changed = await app.http.patch(pathOf(id), { name: 'After', hiddenFromDiscovery: true }, admin);
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual((await app.http.get(pathOf(id), admin)).body, changed.body);
    assert.equal(changed.body.slug, slug);
    const records = await auditOf(id);
    assert.equal(records.length, 2);
    assert.equal(records[1].action, 'tenant.updated');
    assert.deepEqual(records[1].details, {
      before: { name: 'Before', hiddenFromDiscovery: false },
      after: { name: 'After', hiddenFromDiscovery: true },
    });
  });

  test('keeps what another change sets meanwhile', async () => {
    const { id } = (await create({ name: 'Before' })).body;
    const changed = await commitWhileWaiting(
      app,
      (holder) => holder.query(`UPDATE tenants SET name = 'After' WHERE id = $1`, [id]),
      () => app.http.patch(pathOf(id), { hiddenFromDiscovery: true }, admin),
    );
    assert.deepEqual([changed.body.name, changed.body.hiddenFromDiscovery], ['After', true]);
  });

  test('turns auto-create on with the settings, and accepts what GET returns', async () => {
    const settings = { autoCreateDefinitions: true };
    const { id, settings: created } = (await create({ name: someName(), settings })).body;
    assert.deepEqual(created, settings);
    const read = async () => (await app.http.get(`${pathOf(id)}/event-definitions/settings`, admin)).body;
    assert.deepEqual(await read(), { autoCreate: true });
    const off = { settings: { autoCreateDefinitions: false } };
    assert.deepEqual((await app.http.patch(pathOf(id), off, admin)).body.settings, off.settings);
    assert.deepEqual(await read(), { autoCreate: false });
    assert.deepEqual((await auditOf(id)).at(-1).details, { before: { settings }, after: off });

    const tenant = (await app.http.get(pathOf(id), admin)).body;
    assert.deepEqual((await app.http.patch(pathOf(id), tenant, admin)).body, tenant);
    assert.deepEqual((await app.http.patch(pathOf(id), { settings: {} }, admin)).body, tenant);
    assert.equal((await auditOf(id)).length, 2);
    const wrong = await app.http.patch(pathOf(id), { settings: { autoCreateDefinitions: 'yes' } }, admin);
    assert.equal(wrong.status, 400);
  });

  test('applies changed settings to the next batch of events', async () => {
    const tenant = await arrangeTenant(app, { workspaceId: arranged.workspaceId });
    const { playerId, caller } = await arrangePlayer(app, tenant);
    const send = (eventKey: string) =>
      app.http.post(
        '/api/game/player-events',
        [{ playerId, eventKey, idempotencyKey: eventKey, occurredAt: new Date().toISOString() }],
        caller,
      );
    assert.equal((await send('first')).status, 422);
    await app.http.patch(pathOf(tenant.tenantId), { settings: { autoCreateDefinitions: true } }, admin);
    assert.equal((await send('second')).status, 201);
  });

  test('rejects the keys of a disabled tenant in every process, keeps its data, and can enable it again', async () => {
    const other = await startTestApp({ databaseUrl: app.databaseUrl });
    const tenant = await arrangeTenant(app, { workspaceId: arranged.workspaceId });
    await arrangePlayer(app, tenant, 'ada');
    assert.ok(await canSignIn(other, tenant.gameKey));

    assert.equal((await app.http.delete(pathOf(tenant.tenantId), admin)).status, 204);
    assert.equal(await canSignIn(app, tenant.gameKey), false);
    await eventually(async () => !(await canSignIn(other, tenant.gameKey)));
    const disabled = (await app.http.get(pathOf(tenant.tenantId), viewer)).body;
    assert.equal(disabled.isActive, false);
    assert.equal((await app.http.delete(pathOf(tenant.tenantId), admin)).status, 204);
    assert.deepEqual((await app.http.get(pathOf(tenant.tenantId), viewer)).body, disabled);

    const enabled = await app.http.patch(pathOf(tenant.tenantId), { isActive: true }, admin);
    assert.equal(enabled.body.disabledAt, null);
    assert.ok(await canSignIn(app, tenant.gameKey));
    const actions = (await auditOf(tenant.tenantId)).map((record) => record.action);
    assert.deepEqual(actions, ['tenant.disabled', 'tenant.enabled']);
  });
});

describe('validation and authorization of tenants', () => {
  test('returns 400 for invalid bodies and 415 for other media types', async () => {
    const bad = [
      {},
      { name: '' },
      { name: '\u202egnp' },
      { name: 'x', slug: 'Not a slug' },
      { name: 'x', hiddenFromDiscovery: 'no' },
    ];
    for (const body of bad) assert.equal((await create(body)).status, 400, JSON.stringify(body));
    const change = (body: object) => app.http.patch(pathOf(arranged.tenantId), body, admin);
    for (const body of [
      { name: '' },
      { name: 'a\nb' },
      { slug: '' },
      { isActive: 1 },
      { name: 'x'.repeat(129) },
    ])
      assert.equal((await change(body)).status, 400, JSON.stringify(body));
    const xml = await app.http.raw('PATCH', pathOf(arranged.tenantId), '<name/>', {
      ...admin,
      headers: { 'content-type': 'application/xml' },
    });
    assert.equal(xml.status, 415);
  });

  test('lets viewers read and admins change, and returns 404 to others', async () => {
    const one = pathOf(arranged.tenantId);
    const requests = (caller: { bearer?: string }, workspaceId: string, tenantPath: string) => ({
      read: [
        app.http.get(`/api/workspaces/${workspaceId}/bus_tenants`, caller),
        app.http.get(tenantPath, caller),
      ],
      change: [
        app.http.post(`/api/workspaces/${workspaceId}/bus_tenants`, { name: someName() }, caller),
        app.http.patch(tenantPath, { hiddenFromDiscovery: false }, caller),
        app.http.delete(tenantPath, caller),
      ],
    });
    const statuses = async (answers: Promise<{ status: number }>[]) =>
      (await Promise.all(answers)).map((answer) => answer.status);

    const asViewer = requests(viewer, arranged.workspaceId, one);
    assert.deepEqual(await statuses(asViewer.read), [200, 200]);
    assert.deepEqual(await statuses(asViewer.change), [403, 403, 403]);
    const all404 = [404, 404, 404, 404, 404];
    const asStranger = requests(stranger, arranged.workspaceId, one);
    assert.deepEqual(await statuses([...asStranger.read, ...asStranger.change]), all404);
    const missing = requests(admin, randomUUID(), pathOf(randomUUID()));
    assert.deepEqual(await statuses([...missing.read, ...missing.change]), all404);
    // The id of a workspace instead of a tenant, and the reverse.
    const swapped = requests(admin, arranged.tenantId, pathOf(arranged.workspaceId));
    assert.deepEqual(await statuses([...swapped.read, ...swapped.change]), all404);
    const unnamed = requests(admin, 'x', pathOf('x'));
    assert.deepEqual(await statuses([...unnamed.read, ...unnamed.change]), all404);
    const nobody = requests({}, arranged.workspaceId, one);
    assert.deepEqual(await statuses([...nobody.read, ...nobody.change]), [401, 401, 401, 401, 401]);
  });
});
