import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import type { Caller } from '../../../testing/http-client.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const ME = '/api/player-profile/me';
const read = (caller: Caller) => app.http.get(ME, caller);
const change = (body: unknown, caller: Caller) => app.http.patch(ME, body, caller);

describe('GET /api/player-profile/me', () => {
  test('returns exactly the fields of the own profile, in their order', async () => {
    const player = await arrangePlayer(app, tenant, 'ada');
    const { status, body } = await read({ bearer: player.accessToken });
    assert.equal(status, 200);
    const { createdAt, authMethods, tenantAccess, ...rest } = body;
    assert.deepEqual(rest, {
      id: player.playerId,
      displayName: 'ada',
      avatarUrl: null,
      email: null,
      platformRole: 'User',
      profileVisibility: 'limited',
      isActive: true,
      mergedIntoId: null,
      mergedProfileIds: [],
    });
    assert.deepEqual(Object.keys(body), [
      'id',
      'displayName',
      'avatarUrl',
      'email',
      'platformRole',
      'profileVisibility',
      'createdAt',
      'isActive',
      'mergedIntoId',
      'mergedProfileIds',
      'authMethods',
      'tenantAccess',
    ]);
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT.*Z$/);
    assert.equal(authMethods.length, 1);
    const { id, linkedAt, lastUsedAt, ...method } = authMethods[0];
    assert.match(id, /^[0-9a-f-]{36}$/);
    for (const time of [linkedAt, lastUsedAt]) assert.match(time, /Z$/);
    assert.deepEqual(method, {
      authProvider: 'Mock',
      providerUserId: 'ada',
      email: null,
      username: 'ada',
      displayName: 'ada',
      avatarUrl: null,
      isPrimary: true,
    });
    const [{ firstSeenAt, lastSeenAt, ...access }] = tenantAccess;
    for (const time of [firstSeenAt, lastSeenAt]) assert.match(time, /Z$/);
    assert.deepEqual(access, { tenantId: tenant.tenantId, tenantRole: 'player', loginCount: 1 });
  });
});

describe('GET /api/player-profile/me/bus_tenants', () => {
  test('returns the logins per tenant, the last visited first', async () => {
    const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const player = await arrangePlayer(app, tenant);
    await arrangePlayer(app, tenant, player.username);
    await arrangePlayer(app, sibling, player.username);
    await arrangePlayer(app, tenant);
    const { status, body } = await app.http.get(`${ME}/bus_tenants`, { bearer: player.accessToken });
    assert.equal(status, 200);
    assert.deepEqual(
      body.map(({ tenantId, tenantRole, loginCount }: Record<string, unknown>) => [
        tenantId,
        tenantRole,
        loginCount,
      ]),
      [
        [sibling.tenantId, 'player', 1],
        [tenant.tenantId, 'player', 2],
      ],
    );
    assert.deepEqual(body, (await read({ bearer: player.accessToken })).body.tenantAccess);
  });
});

describe('PATCH /api/player-profile/me', () => {
  test('limits changes of the name to 100 a day, and nothing else', async () => {
    const caller = { bearer: (await arrangePlayer(app, tenant)).accessToken };
    for (let count = 0; count < 100; count++)
      assert.equal((await change({ displayName: `Ada ${count}` }, caller)).status, 200);
    const refused = await change({ displayName: 'Ada', profileVisibility: 'full' }, caller);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    const { status, body } = await change({ displayName: 'Ada 99', profileVisibility: 'private' }, caller);
    assert.deepEqual([status, body.displayName, body.profileVisibility], [200, 'Ada 99', 'private']);
    const exported = await app.http.get(`${ME}/export`, caller);
    assert.equal(exported.status, 200, exported.text);
  });

  test('returns the whole profile, keeps fields that are left out, and clears fields with null', async () => {
    const caller = { bearer: (await arrangePlayer(app, tenant)).accessToken };
    const before = (await read(caller)).body;
    const named = await change({ displayName: `  ${'🎲'.repeat(64)} ` }, caller);
    assert.equal(named.status, 200, named.text);
    assert.deepEqual(named.body, { ...before, displayName: '🎲'.repeat(64) });
    const shown = await change(
      { avatarUrl: 'https://example.com/a.png?b=c#d', profileVisibility: 'full' },
      caller,
    );
    const after = { ...named.body, avatarUrl: 'https://example.com/a.png?b=c#d', profileVisibility: 'full' };
    assert.deepEqual(shown.body, after);
    assert.deepEqual((await change({}, caller)).body, after);
    assert.deepEqual(
      (await change({ profileVisibility: null }, caller)).body,
      after,
      'null in a field that cannot be cleared',
    );
    assert.deepEqual((await read(caller)).body, after);
    const cleared = await change({ displayName: null, avatarUrl: null }, caller);
    assert.deepEqual(cleared.body, { ...after, displayName: null, avatarUrl: null });
  });

  test('ignores fields that a player may not change', async () => {
    const caller = { bearer: (await arrangePlayer(app, tenant)).accessToken };
    const before = (await read(caller)).body;
    const answer = await change(
      {
        email: 'other@example.com',
        platformRole: 'Admin',
        isActive: false,
        id: crypto.randomUUID(),
        mergedIntoId: crypto.randomUUID(),
        avatarName: 'x',
        createdAt: '2020-01-01T00:00:00Z',
        displayName: 'Grace',
      },
      caller,
    );
    assert.deepEqual([answer.status, answer.body], [200, { ...before, displayName: 'Grace' }]);
  });

  test('returns 400 for an invalid change, and changes nothing', async () => {
    const caller = { bearer: (await arrangePlayer(app, tenant)).accessToken };
    const before = (await read(caller)).body;
    const long = 'https://example.com/'.padEnd(2048, 'x');
    for (const body of [
      { displayName: '' },
      { displayName: '  ' },
      { displayName: '🎲'.repeat(65) },
      { displayName: 5 },
      { displayName: 'a\0b' },
      { displayName: '\u200b' },
      { displayName: '\u3164' },
      { displayName: 'a\nb' },
      { displayName: 'a\u0007b' },
      { displayName: '\u202egnp.exe' },
      { profileVisibility: 'public' },
      { profileVisibility: 'Full' },
      { profileVisibility: 1 },
      { avatarUrl: '' },
      { avatarUrl: 'http://example.com/a.png' },
      { avatarUrl: 'javascript:alert(1)' },
      { avatarUrl: 'data:image/png;base64,AAAA' },
      { avatarUrl: '/avatars/x.png' },
      { avatarUrl: 'https://' },
      { avatarUrl: 'https://user:secret@example.com/a.png' },
      { avatarUrl: ' https://example.com/a b.png' },
      { avatarUrl: `${app.issuer}/avatars/../secret.png` },
      { avatarUrl: `${app.issuer}/avatars/x.png` },
      { avatarUrl: `${long}x` },
      { displayName: 'fine', profileVisibility: 'none' },
      [],
    ])
      assert.equal((await change(body, caller)).status, 400, JSON.stringify(body));
    assert.equal((await app.http.raw('PATCH', ME, '{', caller)).status, 400);
    const xml = { ...caller, headers: { 'content-type': 'application/xml' } };
    assert.equal((await app.http.raw('PATCH', ME, '<a/>', xml)).status, 415);
    assert.deepEqual((await read(caller)).body, before);
    assert.equal((await change({ avatarUrl: long }, caller)).status, 200, 'at the limit');
  });

  test('applies each of several concurrent changes', async () => {
    const caller = { bearer: (await arrangePlayer(app, tenant)).accessToken };
    const names = Array.from({ length: 12 }, (_, index) => `name ${index}`);
    const answers = await Promise.all(names.map((displayName) => change({ displayName }, caller)));
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.displayName]),
      names.map((name) => [200, name]),
    );
    assert.ok(names.includes((await read(caller)).body.displayName));
  });
});
