import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const [owner, admin, viewer, stranger] = [
  await arrangeAccount(app, tenant, 'owner'),
  await arrangeAccount(app, tenant, 'admin'),
  await arrangeAccount(app, tenant, 'viewer'),
  await arrangeAccount(app, tenant),
];
const path = `/api/workspaces/${tenant.workspaceId}`;
const someName = () => `Studio ${randomBytes(4).toString('hex')}`;
const create = (body: object, caller = owner) => app.http.post('/api/workspaces', body, caller);
const auditOf = async (workspaceId: string) =>
  (await app.owner.query(`SELECT * FROM audit_records WHERE workspace_id = $1 ORDER BY id`, [workspaceId]))
    .rows;

describe('POST /api/workspaces', () => {
  test('makes the creator the owner in every process', async () => {
    const other = await startTestApp({ databaseUrl: app.databaseUrl });
    const created = await create({ name: '  Ada’s Games  ' }, stranger);
    assert.equal(created.status, 201, created.text);
    const { id, createdAt, ...rest } = created.body;
    assert.deepEqual(rest, {
      name: 'Ada’s Games',
      slug: 'ada-s-games',
      role: 'owner',
      plan: {
        name: 'default',
        monthlyUnits: null,
        hardStop: false,
        rateLimit: { perMinute: 60000, perHour: 2000000 },
        maxMatchEventRecordsPerRequest: 10000,
        maxPlayerEventRecordsPerRequest: 10000,
      },
    });
    for (const { http } of [app, other])
      assert.deepEqual((await http.get(`/api/workspaces/${id}`, stranger)).body, created.body);
    const me = await app.http.get('/api/saas-auth/me', stranger);
    assert.deepEqual(me.body.memberships, [
      { workspaceId: id, workspaceName: 'Ada’s Games', workspaceSlug: 'ada-s-games', role: 'owner' },
    ]);
    const [record] = await auditOf(id);
    assert.equal(record.action, 'workspace.created');
    assert.equal(record.actor_id, stranger.accountId);
    assert.equal(record.ip_address, '127.0.0.1');
    assert.equal(record.request_id, created.headers.get('x-request-id'));
  });

  test('gives workspaces with the same name different slugs when requests run in parallel', async () => {
    const name = someName();
    const answers = await Promise.all(Array.from({ length: 12 }, () => create({ name })));
    assert.deepEqual(
      answers.map((answer) => answer.status),
      Array(12).fill(201),
    );
    const slugs = new Set(answers.map((answer) => answer.body.slug));
    assert.equal(slugs.size, 12);
    const base = name.toLowerCase().replace(' ', '-');
    assert.ok(slugs.has(base) && slugs.has(`${base}-2`), [...slugs].join());
  });

  test('creates a slug for a name without Latin letters', async () => {
    assert.match((await create({ name: '任天堂' })).body.slug, /^workspace/);
  });

  test('returns 409 when another workspace has the slug', async () => {
    const slug = randomBytes(6).toString('hex');
    const answers = await Promise.all([1, 2, 3].map(() => create({ name: 'x', slug })));
    assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [201, 409, 409]);
    assert.equal((await create({ name: 'x', slug })).body.code, 'slug_taken');

    const other = (await create({ name: someName() })).body;
    const changed = await app.http.patch(`/api/workspaces/${other.id}`, { name: 'new', slug }, owner);
    assert.equal(changed.body.code, 'slug_taken');
    assert.deepEqual((await app.http.get(`/api/workspaces/${other.id}`, owner)).body, other);
  });

  test('returns 400 for invalid names and slugs', async () => {
    const bad = [{}, { name: ' ' }, { name: 5 }, { name: 'x'.repeat(129) }, []];
    const badSlugs = ['', 'A', 'a--b', '-a', 'a b', 'x'.repeat(65), 'ü', 5, 'a\n'].map((slug) => ({
      name: 'x',
      slug,
    }));
    for (const body of [...bad, ...badSlugs])
      assert.equal((await create(body)).status, 400, JSON.stringify(body));
    assert.equal((await create({ name: '🎮'.repeat(128) })).status, 201);
    for (const name of ['a\nb\u0007', '\u200b\u200b', '\u202egnp']) {
      for (const refused of [await create({ name }), await app.http.patch(path, { name }, owner)]) {
        assert.equal(refused.status, 400, JSON.stringify(name));
        assert.equal(refused.body.errors[0].path, 'name');
      }
    }
    for (const slug of ['', 'A b'])
      assert.equal((await app.http.patch(path, { slug }, owner)).status, 400, slug);
  });

  test('ignores unknown fields and fields that the caller cannot set', async () => {
    const { body } = await create({ name: someName(), ownerId: stranger.accountId, plan: 'gold', id: 'x' });
    assert.equal(body.role, 'owner');
    assert.equal(body.plan.name, 'default');
  });
});

describe('GET /api/workspaces', () => {
  test('returns the workspaces of the caller page by page', async () => {
    const fresh = await arrangeAccount(app, tenant);
    const created = [];
    for (let index = 0; index < 3; index++) created.push((await create({ name: someName() }, fresh)).body);
    const all = await app.http.get('/api/workspaces', fresh);
    assert.deepEqual(all.body, { items: created, limit: 50, offset: 0, totalCount: 3 });
    const page = await app.http.get('/api/workspaces?limit=2&offset=2', fresh);
    assert.deepEqual(page.body, { items: [created[2]], limit: 2, offset: 2, totalCount: 3 });
    const beyond = await app.http.get('/api/workspaces?offset=9', fresh);
    assert.deepEqual(beyond.body, { items: [], limit: 50, offset: 9, totalCount: 3 });
    assert.equal((await app.http.get('/api/workspaces?limit=200', fresh)).status, 200);
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'offset=-1', 'offset=1.5', 'offset=99999999999'])
      assert.equal((await app.http.get(`/api/workspaces?${query}`, fresh)).status, 400, query);
  });
});

describe('GET and PATCH /api/workspaces/{workspaceId}', () => {
  test('lets members read and owners change, and returns 404 to others', async () => {
    for (const [member, role] of [
      [owner, 'owner'],
      [admin, 'admin'],
      [viewer, 'viewer'],
    ] as const)
      assert.equal((await app.http.get(path, member)).body.role, role);
    const name = someName();
    assert.equal((await app.http.patch(path, { name }, owner)).body.name, name);
    for (const member of [admin, viewer])
      assert.equal((await app.http.patch(path, { name: 'x' }, member)).status, 403);

    const missing = await app.http.get(`/api/workspaces/${randomUUID()}`, owner);
    const foreign = await app.http.get(path, stranger);
    for (const answer of [missing, foreign]) {
      assert.equal(answer.status, 404);
      assert.equal(answer.body.code, 'not_found');
    }
    assert.equal(missing.body.detail, foreign.body.detail);
    assert.equal((await app.http.patch(path, { name: 'x' }, stranger)).status, 404);
    assert.equal((await app.http.get('/api/workspaces/x', owner)).status, 404);
    assert.equal((await app.http.get(`/api/workspaces/${tenant.tenantId}`, owner)).status, 404);
  });

  test('audits a change with its difference and ignores a change without difference', async () => {
    const { id, name, slug } = (await create({ name: someName() })).body;
    const target = `/api/workspaces/${id.toUpperCase()}`;
    assert.equal((await app.http.patch(target, {}, owner)).status, 200);
    assert.equal((await app.http.patch(target, { name, slug }, owner)).status, 200);
    const renamed = await app.http.patch(target, { name: 'Renamed' }, owner);
    assert.equal(renamed.body.slug, slug);
    const records = await auditOf(id);
    assert.deepEqual(
      records.map((record) => record.action),
      ['workspace.created', 'workspace.updated'],
    );
    assert.deepEqual(records[1].details, { before: { name }, after: { name: 'Renamed' } });
  });

  test('returns 401 without a console token', async () => {
    for (const caller of [{}, { bearer: 'x' }, { gameKey: tenant.gameKey }, { apiKey: tenant.apiKey }]) {
      assert.equal((await app.http.get('/api/workspaces', caller)).status, 401);
      assert.equal((await app.http.post('/api/workspaces', { name: 'x' }, caller)).status, 401);
      assert.equal((await app.http.get(path, caller)).status, 401);
      assert.equal((await app.http.patch(path, { name: 'x' }, caller)).status, 401);
    }
  });
});
