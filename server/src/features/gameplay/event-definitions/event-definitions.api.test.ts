import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const admin = await arrangeAccount(app, tenant, 'admin');
const listOf = (tenantId: string) => `/api/bus_tenants/${tenantId}/event-definitions`;
const list = listOf(tenant.tenantId);
const create = (body: object) => app.http.post(list, body, admin);

function names(items: { eventKey: string; eventValue: string | null }[]): string[] {
  return items.map(({ eventKey, eventValue }) => eventKey + (eventValue ?? ''));
}

async function auditOf(action: string, targetId: string) {
  const { rows } = await app.owner.query(
    'SELECT details, actor_kind, actor_id, tenant_id, request_id FROM audit_records WHERE action = $1 AND target_id = $2 ORDER BY id',
    [action, targetId],
  );
  return rows;
}

describe('POST /api/bus_tenants/:tenantId/event-definitions', () => {
  test('creates a definition with defaults and an audit record', async () => {
    const { status, body } = await create({ eventKey: 'kill' });
    assert.equal(status, 201);
    const { id, createdAt, updatedAt, ...rest } = body;
    assert.deepEqual(rest, {
      eventKey: 'kill',
      eventValue: null,
      eventScope: 'match',
      eventCategory: null,
      eventDescription: null,
      isActive: true,
    });
    assert.equal(createdAt, updatedAt);
    const [record] = await auditOf('event_definition.created', id);
    assert.equal(record.actor_kind, 'account');
    assert.equal(record.actor_id, admin.accountId);
    assert.equal(record.tenant_id, tenant.tenantId);
    assert.equal(record.details.after.eventKey, 'kill');
  });

  test('normalises key and value and returns 409 for an existing pair', async () => {
    const decomposed = 'cafe\u0301';
    const first = await create({
      eventKey: `  ${decomposed} \t  run `,
      eventValue: ' fast ',
      eventScope: 'both',
      eventCategory: ' Movement ',
      eventDescription: ' how they ran ',
      isActive: false,
    });
    assert.equal(first.status, 201, first.text);
    assert.equal(first.body.eventKey, 'caf\u00e9 run');
    assert.equal(first.body.eventValue, 'fast');
    assert.equal(first.body.eventCategory, 'Movement');
    assert.equal(first.body.eventDescription, ' how they ran ');
    assert.equal(first.body.isActive, false);

    const again = await create({ eventKey: 'caf\u00e9 run', eventValue: 'fast' });
    assert.equal(again.status, 409);
    assert.equal(again.body.code, 'duplicate_definition');
    assert.equal((await create({ eventKey: 'caf\u00e9 run', eventValue: 'slow' })).status, 201);
  });

  test('treats an absent, null and empty value as the same', async () => {
    assert.equal((await create({ eventKey: 'bare', eventValue: null })).status, 201);
    for (const body of [{}, { eventValue: null }, { eventValue: '' }, { eventValue: '   ' }])
      assert.equal((await create({ eventKey: 'bare', ...body })).status, 409, JSON.stringify(body));
    // Keys are case-sensitive.
    const { status, body } = await create({ eventKey: 'Bare', eventCategory: ' ', eventDescription: '' });
    assert.deepEqual([status, body.eventCategory, body.eventDescription], [201, null, null]);
  });

  test('creates a pair once when requests arrive at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ eventKey: 'stampede' })));
    const statuses = answers.map((answer) => answer.status);
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [201, ...Array(7).fill(409)],
    );
  });

  test('counts lengths in code points after normalisation', async () => {
    const longest = {
      eventKey: '🎯'.repeat(32),
      eventValue: ` ${'e\u0301'.repeat(15)}${' '.repeat(20)}${'v'.repeat(16)} `,
      eventCategory: `  ${'🎯'.repeat(32)} `,
      eventDescription: '🎯'.repeat(512),
    };
    const created = await create(longest);
    assert.equal(created.status, 201, created.text);
    assert.equal(created.body.eventDescription, longest.eventDescription);

    const invalidBodies = [
      [{ eventKey: 'k'.repeat(33) }, 'eventKey'],
      [{ eventKey: '  \n ' }, 'eventKey'],
      [{ eventKey: '' }, 'eventKey'],
      [{}, 'eventKey'],
      [{ eventKey: 5 }, 'eventKey'],
      [{ eventKey: null }, 'eventKey'],
      [{ eventKey: 'k', eventValue: 'v'.repeat(33) }, 'eventValue'],
      [{ eventKey: 'k', eventValue: 5 }, 'eventValue'],
      [{ eventKey: 'k', eventCategory: 'c'.repeat(33) }, 'eventCategory'],
      [{ eventKey: 'k', eventDescription: 'd'.repeat(513) }, 'eventDescription'],
      [{ eventKey: 'k', eventScope: 'tenant' }, 'eventScope'],
      [{ eventKey: 'k', isActive: 'true' }, 'isActive'],
    ] as const;
    for (const [body, path] of invalidBodies) {
      const { status, body: problem } = await create(body);
      assert.equal(status, 400, JSON.stringify(body));
      assert.equal(problem.errors[0].path, path, JSON.stringify(body));
    }
    for (const body of ['', '[]', '{"eventKey":', '{"eventKey":"a\\u0000b"}', '{"eventKey":"\\ud800"}'])
      assert.equal((await app.http.raw('POST', list, body, admin)).status, 400, body);
    const xml = { ...admin, headers: { 'content-type': 'application/xml' } };
    assert.equal((await app.http.raw('POST', list, '<a/>', xml)).status, 415);
    assert.equal((await create({ eventKey: 'k'.repeat(1024 * 1024) })).status, 413);
  });
});

describe('PATCH /api/bus_tenants/:tenantId/event-definitions/:definitionId', () => {
  test('audits the changed fields and keeps key and value', async () => {
    const { body: before } = await create({
      eventKey: 'change',
      eventCategory: 'old',
      eventDescription: 'text',
    });
    const changed = await app.http.patch(
      `${list}/${before.id.toUpperCase()}`,
      { eventKey: 5, eventValue: 'other', eventScope: 'player', eventCategory: null, isActive: false },
      admin,
    );
    assert.equal(changed.status, 200, changed.text);
    const { updatedAt } = changed.body;
    assert.deepEqual(changed.body, {
      ...before,
      eventScope: 'player',
      eventCategory: null,
      isActive: false,
      updatedAt,
    });
    assert.notEqual(updatedAt, before.updatedAt);
    const records = await auditOf('event_definition.updated', before.id);
    assert.deepEqual(records[0].details, {
      before: { eventScope: 'match', eventCategory: 'old', isActive: true },
      after: { eventScope: 'player', eventCategory: null, isActive: false },
    });
    assert.equal(records[0].actor_id, admin.accountId);
    assert.ok(records[0].request_id);

    const cleared = await app.http.patch(`${list}/${before.id}`, { eventDescription: '' }, admin);
    assert.equal(cleared.body.eventDescription, null);
    const same = await app.http.patch(
      `${list}/${before.id}`,
      { isActive: false, eventCategory: ' ', eventDescription: '' },
      admin,
    );
    assert.deepEqual(same.body, cleared.body, 'a change without effect keeps updatedAt');
    assert.equal((await auditOf('event_definition.updated', before.id)).length, 2);

    for (const body of [
      { eventScope: 'all' },
      { isActive: 1 },
      { eventCategory: 'c'.repeat(33) },
      { eventDescription: 'd'.repeat(513) },
    ])
      assert.equal(
        (await app.http.patch(`${list}/${before.id}`, body, admin)).status,
        400,
        JSON.stringify(body),
      );
  });

  test('returns 404 for a definition of another tenant', async () => {
    const other = await arrangeTenant(app);
    const theirAdmin = await arrangeAccount(app, other, 'owner');
    const { body: theirs } = await app.http.post(listOf(other.tenantId), { eventKey: 'theirs' }, theirAdmin);
    for (const id of [randomUUID(), 'nonsense', theirs.id]) {
      const answer = await app.http.patch(`${list}/${id}`, { isActive: false }, admin);
      assert.equal(answer.status, 404, id);
    }
    const { body } = await app.http.get(listOf(other.tenantId), theirAdmin);
    assert.equal(body[0].isActive, true);
  });
});

describe('GET /api/bus_tenants/:tenantId/event-definitions', () => {
  test('returns sorted pages and omits inactive definitions by default', async () => {
    const here = await arrangeTenant(app);
    const caller = await arrangeAccount(app, here, 'admin');
    const at = listOf(here.tenantId);
    for (const body of [
      { eventKey: 'b' },
      { eventKey: 'a', eventValue: '2' },
      { eventKey: 'a' },
      { eventKey: 'a', eventValue: '1', isActive: false },
    ])
      await app.http.post(at, body, caller);

    const plain = await app.http.get(at, caller);
    assert.equal(plain.status, 200, plain.text);
    assert.deepEqual(names(plain.body), ['a', 'a2', 'b']);
    assert.deepEqual(names((await app.http.get(`${at}?includeInactive=true`, caller)).body), [
      'a',
      'a1',
      'a2',
      'b',
    ]);
    const paged = await app.http.get(`${at}?paged=true&limit=2&offset=1&includeInactive=true`, caller);
    assert.deepEqual(names(paged.body.items), ['a1', 'a2']);
    assert.deepEqual({ ...paged.body, items: [] }, { items: [], limit: 2, offset: 1, totalCount: 4 });
    const byDefault = await app.http.get(`${at}?paged=true`, caller);
    assert.deepEqual({ ...byDefault.body, items: [] }, { items: [], limit: 200, offset: 0, totalCount: 3 });
    assert.equal((await app.http.get(`${at}?paged=true&limit=1000`, caller)).status, 200);

    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'offset=-1', 'offset=9e99', 'paged=perhaps'])
      assert.equal((await app.http.get(`${at}?${query}`, caller)).status, 400, query);
  });

  test('selects definitions by text, scope and state', async () => {
    const here = await arrangeTenant(app);
    const caller = await arrangeAccount(app, here, 'admin');
    const at = listOf(here.tenantId);
    for (const body of [
      { eventKey: 'Boss 100%', eventCategory: 'combat' },
      { eventKey: 'coin', eventValue: 'Über_gold', eventScope: 'player' },
      { eventKey: 'door', eventDescription: `${'x'.repeat(500)} to the boss`, isActive: false },
      { eventKey: 'emote', eventScope: 'both', isActive: false },
    ])
      assert.equal((await app.http.post(at, body, caller)).status, 201);

    const cases: [query: string, found: string[]][] = [
      ['search=BOSS', ['Boss 100%']],
      ['search=BOSS&includeInactive=true', ['Boss 100%', 'door']],
      ['search=BOSS&isActive=false', ['door']],
      ['search=bat', ['Boss 100%']],
      [`search=${encodeURIComponent('ÜBER_')}`, ['coinÜber_gold']],
      // Neither a wildcard nor the end of one text with the beginning of the next.
      ['search=%25', ['Boss 100%']],
      ['search=_', ['coinÜber_gold']],
      ['search=coin%C3%BC', []],
      ['search=%20coin%20', ['coinÜber_gold']],
      [`search=${encodeURIComponent("'; --")}`, []],
      ['eventScope=player', ['coinÜber_gold']],
      ['eventScope=both&isActive=false', ['emote']],
      ['isActive=false', ['door', 'emote']],
      ['isActive=true&includeInactive=true', ['Boss 100%', 'coinÜber_gold']],
    ];
    for (const [query, found] of cases) {
      const whole = await app.http.get(`${at}?${query}`, caller);
      assert.deepEqual(names(whole.body), found, query);
      const { body } = await app.http.get(`${at}?paged=true&limit=1&${query}`, caller);
      assert.deepEqual([names(body.items), body.totalCount], [found.slice(0, 1), found.length], query);
    }
    for (const query of [
      'search=',
      `search=${'x'.repeat(129)}`,
      'eventScope=all',
      'isActive=1',
      'search=%00',
    ])
      assert.equal((await app.http.get(`${at}?${query}`, caller)).status, 400, query);
  });
});

describe('PATCH /api/bus_tenants/:tenantId/event-definitions/settings', () => {
  test('turns auto-create on and writes one audit record', async () => {
    const here = await arrangeTenant(app);
    const caller = await arrangeAccount(app, here, 'admin');
    const settings = `${listOf(here.tenantId)}/settings`;
    assert.deepEqual((await app.http.get(settings, caller)).body, { autoCreate: false });
    for (let round = 0; round < 2; round++) {
      const changed = await app.http.patch(settings, { autoCreate: true }, caller);
      assert.equal(changed.status, 200, changed.text);
      assert.deepEqual(changed.body, { autoCreate: true });
    }
    assert.deepEqual((await app.http.get(settings, caller)).body, { autoCreate: true });
    const records = await auditOf('event_definition_settings.updated', here.tenantId);
    assert.deepEqual(
      records.map((record) => record.details),
      [{ before: { autoCreate: false }, after: { autoCreate: true } }],
    );
    for (const body of [{}, { autoCreate: 'yes' }, { autoCreate: null }])
      assert.equal((await app.http.patch(settings, body, caller)).status, 400, JSON.stringify(body));
  });
});

describe('event definition endpoints', () => {
  test('apply changes to the next event', async () => {
    const here = await arrangeTenant(app);
    const caller = await arrangeAccount(app, here, 'admin');
    const player = await arrangePlayer(app, here);
    const at = listOf(here.tenantId);
    const send = async (eventKey: string) => {
      const event = {
        playerId: player.playerId,
        eventKey,
        idempotencyKey: randomUUID(),
        occurredAt: new Date().toISOString(),
      };
      const { body } = await app.http.post('/api/game/player-events', { events: [event] }, player.caller);
      return body.records?.length === 1 ? 'accepted' : body.errors[0].statusCode;
    };
    for (let round = 0; round < 5; round++) {
      const eventKey = `key ${round}`;
      assert.equal(await send(eventKey), 422);
      await app.http.patch(`${at}/settings`, { autoCreate: true }, caller);
      assert.equal(await send(eventKey), 'accepted');
      await app.http.patch(`${at}/settings`, { autoCreate: false }, caller);
      assert.equal(await send(`${eventKey} too`), 422);

      const { body: definitions } = await app.http.get(at, caller);
      const { id, eventScope } = definitions.find((one: { eventKey: string }) => one.eventKey === eventKey);
      assert.equal(eventScope, 'player');
      await app.http.patch(`${at}/${id}`, { isActive: false }, caller);
      assert.equal(await send(eventKey), 409);
      await app.http.patch(`${at}/${id}`, { isActive: true, eventScope: 'match' }, caller);
      assert.equal(await send(eventKey), 409);
      await app.http.patch(`${at}/${id}`, { eventScope: 'both' }, caller);
      assert.equal(await send(eventKey), 'accepted');
      const { body: created } = await app.http.post(
        at,
        { eventKey: `${eventKey} too`, eventScope: 'player' },
        caller,
      );
      assert.equal(created.eventKey, `${eventKey} too`);
      assert.equal(await send(`${eventKey} too`), 'accepted');
    }
  });

  test('allow only admins and owners of the tenant', async () => {
    const viewer = await arrangeAccount(app, tenant, 'viewer');
    const owner = await arrangeAccount(app, tenant, 'owner');
    const stranger = await arrangeAccount(app, tenant);
    const player = await arrangePlayer(app, tenant);
    const callers = [
      [owner, 200],
      [viewer, 403],
      [stranger, 404],
      [{}, 401],
      [{ bearer: 'nonsense' }, 401],
      [{ gameKey: tenant.gameKey }, 401],
      [{ apiKey: tenant.apiKey }, 401],
      [player.caller, 401],
    ] as const;
    for (const [caller, status] of callers) {
      assert.equal((await app.http.get(list, caller)).status, status);
      assert.equal((await app.http.get(`${list}/settings`, caller)).status, status);
      assert.equal((await app.http.patch(`${list}/settings`, { autoCreate: false }, caller)).status, status);
      if (status !== 200) {
        assert.equal((await app.http.post(list, { eventKey: 'x' }, caller)).status, status);
        assert.equal((await app.http.patch(`${list}/${randomUUID()}`, {}, caller)).status, status);
      }
    }
    assert.equal((await app.http.get(listOf(randomUUID()), owner)).status, 404);
    assert.equal((await app.http.get(listOf('nonsense'), owner)).status, 404);
  });
});
