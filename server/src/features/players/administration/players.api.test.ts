import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlayer, arrangeTenant, type TestTenant } from '../../../testing/arrange.ts';
import type { Caller } from '../../../testing/http-client.ts';
import { rowsRead } from '../../../testing/rows-read.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { listSlice } from './search-queries.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const viewer = await arrangeAccount(app, tenant, 'viewer');
const admin = await arrangeAccount(app, tenant, 'admin');

const pathOf = (at: TestTenant, playerId = '') =>
  `/api/bus_tenants/${at.tenantId}/players${playerId && `/${playerId}`}`;
const list = (
  query: Record<string, string | number | boolean | undefined> = {},
  at = tenant,
  caller: Caller = viewer,
) =>
  app.http.get(
    `${pathOf(at)}?${new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))}`,
    caller,
  );
const read = (playerId: string, at = tenant, caller: Caller = viewer) =>
  app.http.get(pathOf(at, playerId), caller);
const change = (playerId: string, body: unknown, at = tenant, caller: Caller = admin) =>
  app.http.patch(pathOf(at, playerId), body, caller);

const someText = () => randomBytes(6).toString('hex');

/** A tenant of its own with accounts, for tests that count players. */
async function newTenant() {
  const created = await arrangeTenant(app);
  return {
    ...created,
    viewer: await arrangeAccount(app, created, 'viewer'),
    admin: await arrangeAccount(app, created, 'admin'),
  };
}

const rename = async (playerId: string, displayName: string | null) => {
  await app.owner.query('UPDATE players SET display_name = $2 WHERE id = $1', [playerId, displayName]);
};

const idsOf = (body: { items: { playerId: string }[] }) => body.items.map(({ playerId }) => playerId);

/** The ids of the players that a search finds, in an arbitrary order. */
async function find(search: string, at = tenant, caller: Caller = viewer): Promise<string[]> {
  const { status, body, text } = await list({ search, sort: 'displayName' }, at, caller);
  assert.equal(status, 200, text);
  assert.equal(body.totalCount, body.items.length);
  return idsOf(body).toSorted();
}

/** Adds a sign-in method that was not used yet. */
async function link(playerId: string, provider: string, providerUserId: string, email: string | null = null) {
  const id = randomUUID();
  await app.owner.query(
    `INSERT INTO auth_methods (id, player_id, auth_provider, provider_user_id, email, linked_at) VALUES ($1, $2, $3, $4, $5, now())`,
    [id, playerId, provider, providerUserId, email],
  );
  return id;
}

/** Records the use of a sign-in method in a tenant, as a sign-in does. */
async function use(at: TestTenant, methodId: string) {
  await app.owner.query(
    `INSERT INTO tenant_sign_in_methods
     SELECT $1, id, player_id, auth_provider, guildhall_search_form(provider_user_id),
            guildhall_search_form(nullif(email, provider_user_id)), now() FROM auth_methods WHERE id = $2`,
    [at.tenantId, methodId],
  );
}

/** Logs a player in again and returns their detail. */
async function logInAgain(playerId: string) {
  const { rows } = await app.owner.query('SELECT provider_user_id FROM auth_methods WHERE player_id = $1', [
    playerId,
  ]);
  await arrangePlayer(app, tenant, rows[0].provider_user_id);
  return (await read(playerId)).body;
}

describe('GET /api/bus_tenants/{tenantId}/players', () => {
  test('returns a player with all fields', async () => {
    const at = await newTenant();
    const player = await arrangePlayer(app, at);
    const { status, body } = await list({}, at, at.viewer);
    assert.equal(status, 200);
    const [item] = body.items;
    assert.deepEqual(body, { items: [item], limit: 50, offset: 0, totalCount: 1 });
    assert.deepEqual(item, {
      playerId: player.playerId,
      displayName: player.username,
      avatarUrl: null,
      profileVisibility: 'limited',
      isActive: true,
      tenantRole: 'player',
      hiddenFromDiscovery: false,
      firstSeenAt: item.firstSeenAt,
      lastSeenAt: item.firstSeenAt,
      loginCount: 1,
      ban: null,
      authMethods: [
        {
          id: item.authMethods[0].id,
          authProvider: 'Mock',
          providerUserId: player.username,
          email: null,
          username: player.username,
          firstUsedAt: item.firstSeenAt,
        },
      ],
    });
    const detail = await read(player.playerId.toUpperCase(), at, at.viewer);
    assert.equal(detail.status, 200);
    assert.deepEqual(detail.body, {
      ...item,
      mergedProfileIds: [],
      counts: { sessions: 1, openSessions: 1, devices: 0, bans: 0 },
    });
  });

  test('returns an empty list for a tenant without players', async () => {
    const at = await newTenant();
    assert.deepEqual((await list({}, at, at.viewer)).body, {
      items: [],
      limit: 50,
      offset: 0,
      totalCount: 0,
    });
    assert.deepEqual((await list({ search: 'a' }, at, at.viewer)).body.totalCount, 0);
  });

  test('sorts by each key in both directions, and pages through each order', async () => {
    const at = await newTenant();
    const players: string[] = [];
    for (let number = 0; number < 7; number++)
      players.push((await arrangePlayer(app, at, `name ${'gbefacd'[number]}`)).playerId);
    // Three equal times, so that the id decides. The others are within one hour and in several.
    await app.owner.query(
      `UPDATE tenant_access
     SET last_seen_at = now() - interval '20 minutes' * greatest(3, array_position($2, player_id)) WHERE tenant_id = $1`,
      [at.tenantId, players],
    );
    const byName = [...'abcdefg'].map((letter) => players['gbefacd'.indexOf(letter)]!);
    const equal = players.slice(0, 3).toSorted();
    const others = players.slice(3).toReversed();
    const orders: Record<string, string[]> = {
      firstSeenAt: players,
      lastSeenAt: [...others, ...equal],
      displayName: byName,
    };
    for (const [sort, expected] of Object.entries(orders)) {
      for (const [name, order] of [
        [sort, expected],
        [`-${sort}`, expected.toReversed()],
      ] as const) {
        for (const more of [
          {},
          { search: 'NAME' },
          { authProvider: 'Mock' },
          { banned: false, hidden: false },
        ]) {
          const whole = await list({ sort: name, ...more }, at, at.viewer);
          assert.deepEqual(idsOf(whole.body), order, `${name} ${JSON.stringify(more)}`);
          for (let offset = 0; offset <= 9; offset++) {
            const { body } = await list({ sort: name, ...more, limit: 2, offset }, at, at.viewer);
            assert.deepEqual(idsOf(body), order.slice(offset, offset + 2), `${name} from ${offset}`);
            assert.equal(body.totalCount, 7);
          }
        }
      }
    }
    const unsorted = await list({}, at, at.viewer);
    assert.deepEqual(
      idsOf(unsorted.body),
      orders['lastSeenAt']!.toReversed(),
      'the default is the last seen first',
    );
  });

  test('reads a page by name without all players of the same name', async () => {
    const { tenantId } = await arrangeTenant(app);
    await app.owner.query(
      `WITH crowd AS (
         INSERT INTO players (id, created_at) SELECT gen_random_uuid(), now() FROM generate_series(1, 3000)
         RETURNING id, search_name)
       INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at, search_name)
       SELECT $1, id, now(), now(), search_name FROM crowd`,
      [tenantId],
    );
    const page = { limit: 50, offset: 100 };
    for (const sort of ['displayName', '-displayName', 'firstSeenAt'] as const) {
      const read = await rowsRead(app.owner, { tenantId }, (db) =>
        listSlice(db, tenantId, {}, { sort, ...page }),
      );
      assert.equal(read, 150, sort);
    }
  });

  test('returns 400 for an invalid query', async () => {
    for (const query of [
      { limit: 0 },
      { limit: 201 },
      { offset: -1 },
      { offset: 2 ** 31 },
      { sort: 'tenantRole' },
      { sort: '--lastSeenAt' },
      { sort: '' },
      { banned: 'maybe' },
      { hidden: 'x' },
      { authProvider: 'mock' },
      { search: '' },
      { search: '   ' },
      { search: 'x'.repeat(129) },
      { search: 'a\u0000b' },
    ])
      assert.equal((await list(query)).status, 400, JSON.stringify(query));
    for (const query of [{ limit: 200 }, { offset: 2 ** 31 - 1 }, { search: '🎯'.repeat(128) }]) {
      const { status, body } = await list(query);
      assert.equal(status, 200, JSON.stringify(query));
      if ('offset' in query) assert.deepEqual(body.items, []);
    }
    assert.equal((await app.http.get(`${pathOf(tenant)}?search=%ff`, viewer)).status < 500, true);
  });

  test('finds and counts at most 2,500 players in a search', async () => {
    const at = await newTenant();
    await app.owner.query(
      `WITH crowd AS (
       INSERT INTO players (id, display_name, created_at)
       SELECT gen_random_uuid(), 'Crowd ' || number, now() FROM generate_series(1, 2501) number RETURNING id, search_name)
     INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at, search_name)
     SELECT $1, id, now(), now(), search_name FROM crowd`,
      [at.tenantId],
    );
    const { body } = await list({ search: 'crowd' }, at, at.viewer);
    assert.equal(body.totalCount, 2_500);
    const last = await list({ search: 'crowd', limit: 3, offset: 2_499 }, at, at.viewer);
    assert.equal(last.body.items.length, 1);
    assert.equal((await list({ search: 'crowd 250' }, at, at.viewer)).body.totalCount, 3);
  });

  test('finds and counts all players of a provider that more than 2,500 have used', async () => {
    const at = await newTenant();
    const { playerId: other } = await arrangePlayer(app, at);
    const { rows } = await app.owner.query(
      `WITH crowd AS (
         INSERT INTO players (id, created_at) SELECT gen_random_uuid(), now() FROM generate_series(1, 2501) RETURNING id),
       access AS (
         INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at) SELECT $1, id, now(), now() FROM crowd),
       method AS (
         INSERT INTO auth_methods (id, player_id, auth_provider, provider_user_id, linked_at)
         SELECT gen_random_uuid(), id, 'StoreB', id, now() FROM crowd RETURNING id, player_id)
       INSERT INTO tenant_sign_in_methods SELECT $1, id, player_id, 'StoreB', '', NULL, now() FROM method RETURNING player_id`,
      [at.tenantId],
    );
    const [{ player_id: banned }] = rows;
    for (const id of [banned, other])
      assert.equal((await app.http.post(`${pathOf(at, id)}/ban`, {}, at.admin)).status, 201);
    for (const [filter, expected] of [
      [{}, 2_501],
      [{ banned: false }, 2_500],
      [{ banned: true }, 1],
      [{ hidden: true }, 0],
    ] as const) {
      const query = { authProvider: 'StoreB', sort: 'firstSeenAt', ...filter };
      const { body } = await list(query, at, at.viewer);
      assert.equal(body.totalCount, expected, JSON.stringify(filter));
      assert.equal(body.items.length, Math.min(expected, 50));
      assert.ok(!idsOf(body).includes(other), 'the first of the tenant has not used it');
    }
  });

  test('finds and counts at most 50,000 banned and 50,000 hidden players', async () => {
    const at = await newTenant();
    await app.owner.query(
      `WITH crowd AS (INSERT INTO players (id, created_at) SELECT gen_random_uuid(), now() FROM generate_series(1, 50003) RETURNING id),
       numbered AS (SELECT id, row_number() OVER () AS number FROM crowd),
       counted AS (INSERT INTO tenant_player_counts (tenant_id, players) VALUES ($1, 50003))
     INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at, banned_until, hidden_from_discovery)
     SELECT $1, id, now(), now(), CASE WHEN number > 1 THEN now() + number * interval '1 hour' END, number > 1 FROM numbered`,
      [at.tenantId],
    );
    const totals: [Record<string, boolean>, number][] = [
      [{ banned: true }, 50_000],
      [{ hidden: true }, 50_000],
      [{ banned: true, hidden: true }, 50_000],
      [{ banned: true, hidden: false }, 0],
      [{ banned: false }, 3],
      [{}, 50_003],
    ];
    for (const [filter, expected] of totals)
      assert.equal((await list(filter, at, at.viewer)).body.totalCount, expected, JSON.stringify(filter));
    const last = await list({ banned: true, offset: 49_999 }, at, at.viewer);
    assert.equal(last.body.items.length, 1);
    assert.deepEqual((await list({ banned: true, offset: 50_000 }, at, at.viewer)).body.items, []);
    // The count includes 2 banned players above the limit. So the list has one player, and the last page is empty.
    const pages = await Promise.all(
      [0, 2].map(
        async (offset) => (await list({ banned: false, offset, limit: 2 }, at, at.viewer)).body.items.length,
      ),
    );
    assert.deepEqual(pages, [1, 0]);
  });

  test('combines filters, with and without a search', async () => {
    const at = await newTenant();
    const [plain, banned, hidden, both] = await Promise.all(
      ['plain', 'banned', 'hidden', 'both'].map(
        async (name) => (await arrangePlayer(app, at, `fil ${name}`)).playerId,
      ),
    );
    for (const id of [banned!, both!])
      assert.equal((await app.http.post(`${pathOf(at, id)}/ban`, { reason: 'rude' }, at.admin)).status, 201);
    for (const id of [hidden!, both!])
      assert.equal((await change(id, { hiddenFromDiscovery: true }, at, at.admin)).status, 200);
    await use(at, await link(plain, 'StoreB', someText()));
    const cases: [Record<string, string | boolean>, (string | undefined)[]][] = [
      [{ banned: true }, [banned, both]],
      [{ banned: false }, [plain, hidden]],
      [{ hidden: true }, [hidden, both]],
      [{ hidden: false }, [plain, banned]],
      [{ banned: true, hidden: true }, [both]],
      [{ banned: false, hidden: false }, [plain]],
      [{ banned: true, hidden: false }, [banned]],
      [{ banned: false, hidden: true }, [hidden]],
      [{ authProvider: 'Mock' }, [plain, banned, hidden, both]],
      [{ authProvider: 'StoreB' }, [plain]],
      [{ authProvider: 'StoreB', banned: true }, []],
      [{ authProvider: 'StoreA' }, []],
      [{ authProvider: 'Mock', hidden: true }, [hidden, both]],
    ];
    for (const [filter, expected] of cases) {
      for (const search of [{}, { search: 'fil ' }]) {
        const { body } = await list({ ...filter, ...search }, at, at.viewer);
        assert.deepEqual(idsOf(body).toSorted(), expected.toSorted(), JSON.stringify(filter));
        assert.equal(body.totalCount, expected.length, JSON.stringify(filter));
      }
    }
    const item = (await list({ banned: true, hidden: false }, at, at.viewer)).body.items[0];
    assert.deepEqual(item.ban, { reason: 'rude', until: null });
  });

  test('shows no ban after it expires or is lifted', async () => {
    const at = await newTenant();
    const { playerId } = await arrangePlayer(app, at);
    const until = '2099-01-01T00:00:00Z';
    await app.http.post(`${pathOf(at, playerId)}/ban`, { reason: 'old' }, at.admin);
    await app.http.post(`${pathOf(at, playerId)}/ban`, { reason: 'rude', until }, at.admin);
    assert.deepEqual((await read(playerId, at, at.viewer)).body.ban, { reason: 'rude', until });
    assert.equal((await list({ banned: true }, at, at.viewer)).body.totalCount, 1);

    for (const table of ['tenant_access SET banned_until', 'player_bans SET until'])
      await app.owner.query(`UPDATE ${table} = now() - interval '1 second' WHERE player_id = $1`, [playerId]);
    assert.equal((await list({ banned: true }, at, at.viewer)).body.totalCount, 0);
    const [item] = (await list({ banned: false }, at, at.viewer)).body.items;
    assert.equal(item.ban, null);
    const { ban, counts } = (await read(playerId, at, at.viewer)).body;
    assert.deepEqual([ban, counts.bans], [null, 2]);

    await app.http.post(`${pathOf(at, playerId)}/ban`, {}, at.admin);
    assert.deepEqual((await read(playerId, at, at.viewer)).body.ban, { reason: null, until: null });
    await app.http.delete(`${pathOf(at, playerId)}/ban`, at.admin);
    assert.equal((await read(playerId, at, at.viewer)).body.ban, null);
  });

  test('counts all concurrent first sign-ins', async () => {
    const at = await newTenant();
    await Promise.all(Array.from({ length: 40 }, () => arrangePlayer(app, at)));
    const twice = someText();
    await Promise.all(Array.from({ length: 10 }, () => arrangePlayer(app, at, twice)));
    const { body } = await list({ limit: 200 }, at, at.viewer);
    assert.equal(body.items.length, 41);
    assert.equal(body.totalCount, 41);
  });
});

describe('GET /api/bus_tenants/{tenantId}/players?search=', () => {
  test('finds by id, name, provider user id and email address', async () => {
    const mark = someText();
    const { playerId } = await arrangePlayer(app, tenant, `${mark}-mock`);
    await rename(playerId, `Lady ${mark}`);
    await use(tenant, await link(playerId, 'StoreA', `7656${mark}`));
    await use(tenant, await link(playerId, 'WalletJwt', `sub-${mark}`, `ada.${mark}@Example.com`));
    await use(tenant, await link(playerId, 'EmailOneTimeCode', `eve.${mark}@x.test`, `eve.${mark}@x.test`));
    for (const text of [
      playerId,
      playerId.toUpperCase(),
      `lady ${mark}`,
      ` LADY ${mark.slice(0, 5)} `,
      `${mark}-M`,
      `7656${mark}`,
      `SUB-${mark}`,
      `ada.${mark}`,
      `ADA.${mark}@EXAMPLE.COM`,
      `eve.${mark}@x.t`,
    ])
      assert.deepEqual(await find(text), [playerId], text);
    for (const text of [`y ${mark}`, `lady ${mark}x`, playerId.slice(0, 20), `example.com`, randomUUID()])
      assert.deepEqual(await find(text), [], text);
  });

  test('finds by the current name, in every tenant', async () => {
    const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const player = await arrangePlayer(app, tenant);
    await arrangePlayer(app, sibling, player.username);
    const me = { bearer: player.accessToken };
    const [first, second] = [`First ${someText()}`, `Second ${someText()}`];
    for (const displayName of [first, second])
      assert.equal((await app.http.patch('/api/player-profile/me', { displayName }, me)).status, 200);
    for (const at of [tenant, sibling]) {
      assert.deepEqual(await find(first, at), []);
      assert.deepEqual(await find(second, at), [player.playerId]);
    }
    await app.http.patch('/api/player-profile/me', { displayName: null }, me);
    assert.deepEqual(await find(second), []);
    assert.deepEqual(await find(player.username), [player.playerId], 'found by the Mock username');
    await app.http.patch('/api/player-profile/me', { displayName: first }, me);
    assert.deepEqual(await find(first), [player.playerId]);
  });

  test('treats every character literally', async () => {
    const at = await newTenant();
    const names = [
      '100%',
      '100x',
      'a_b',
      'axb',
      'c\\d',
      `e'f`,
      'g*',
      '[h]',
      '^i',
      'ÉCLAIR',
      'straße',
      'ЖУК',
      'e\u0301te',
      '🎯 x',
    ];
    const ids = new Map<string, string>();
    for (const name of names) {
      // The prefix keeps random usernames from matching a search.
      const { playerId } = await arrangePlayer(app, at, `zz-${someText()}`);
      await rename(playerId, name);
      ids.set(name, playerId);
    }
    const finds = async (text: string, ...expected: string[]) =>
      assert.deepEqual(
        await find(text, at, at.viewer),
        expected.map((name) => ids.get(name)!).toSorted(),
        text,
      );
    await finds('100%', '100%');
    await finds('10', '100%', '100x');
    await finds('%');
    await finds('_');
    await finds('a_', 'a_b');
    await finds('a%b');
    await finds('c\\', 'c\\d');
    await finds(`e'`, `e'f`);
    await finds('g*', 'g*');
    await finds('[h', '[h]');
    await finds('^', '^i');
    await finds('éc', 'ÉCLAIR');
    await finds('E\u0301C', 'ÉCLAIR');
    await finds('ÉTÉ');
    await finds('Ét', 'e\u0301te');
    await finds('STRASS');
    await finds('Straß', 'straße');
    await finds('жу', 'ЖУК');
    await finds('🎯', '🎯 x');
    await finds('\u{10FFFF}');
  });
});

describe('a player in the list and the detail', () => {
  test('shows nothing from tenants of other workspaces', async () => {
    const theirs = await newTenant();
    const mark = someText();
    const player = await arrangePlayer(app, tenant, `here-${mark}`);
    await app.owner.query(`UPDATE players SET email = $2 WHERE id = $1`, [
      player.playerId,
      `profile-${mark}@example.com`,
    ]);
    // The same person plays in a tenant of another workspace, with another sign-in method and device.
    const foreign = await link(player.playerId, 'StoreA', `there-${mark}`, `there-${mark}@example.com`);
    const unused = await link(player.playerId, 'StoreB', `unused-${mark}`);
    const sent = { deviceFingerprint: `device-of-${mark}-there` };
    await app.owner.query(
      `WITH device AS (
       INSERT INTO devices (id, player_id, device_fingerprint, platform, first_seen_at, last_seen_at, created_at_gl, updated_at_gl)
       VALUES ($3, $2, $4, 'PC_Linux', now(), now(), now(), now())),
     access AS (
       INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at, login_count, search_name)
       SELECT $1, id, now(), now(), 7, search_name FROM players WHERE id = $2)
     INSERT INTO login_sessions (tenant_id, session_id, player_id, started_at, last_seen_at, auth_provider, device_id, platform)
     VALUES ($1, gen_random_uuid(), $2, now(), now(), 'store_a', $3, 'PC_Linux')`,
      [theirs.tenantId, player.playerId, randomUUID(), sent.deviceFingerprint],
    );
    await use(theirs, foreign);

    const methodsAt = async (at: TestTenant, caller: Caller) =>
      (await read(player.playerId, at, caller)).body.authMethods.map(
        (method: { providerUserId: string }) => method.providerUserId,
      );
    assert.deepEqual(await methodsAt(tenant, viewer), [`here-${mark}`]);
    assert.deepEqual(await methodsAt(theirs, theirs.viewer), [`there-${mark}`]);
    for (const text of [`there-${mark}`, `unused-${mark}`, `profile-${mark}`])
      assert.deepEqual(await find(text), [], text);
    assert.deepEqual(await find(`there-${mark}`, theirs, theirs.viewer), [player.playerId]);
    assert.deepEqual(await find(`there-${mark}@ex`, theirs, theirs.viewer), [player.playerId]);
    assert.equal((await list({ authProvider: 'StoreA', search: `here-${mark}` })).body.totalCount, 0);
    for (const answer of [
      await read(player.playerId),
      await list({ search: `here-${mark}` }),
      await app.http.get(`${pathOf(tenant, player.playerId)}/sessions`, viewer),
      await app.http.get(`${pathOf(tenant, player.playerId)}/devices`, viewer),
    ]) {
      assert.equal(answer.status, 200);
      for (const secret of [theirs.tenantId, foreign, unused, 'there', 'unused', `profile-${mark}`])
        assert.ok(!answer.text.includes(secret), `${secret} in ${answer.text}`);
    }
    const { loginCount, counts } = (await read(player.playerId)).body;
    assert.deepEqual([loginCount, counts.sessions, counts.devices], [1, 1, 0]);

    const stranger = await arrangePlayer(app, theirs, `stranger-${mark}`);
    assert.deepEqual(await find(`stranger-${mark}`), []);
    assert.deepEqual(await find(stranger.playerId), []);
  });

  test('shows a sign-in method from its first use until it is unlinked', async () => {
    const mark = someText();
    const player = await arrangePlayer(app, tenant, `one-${mark}`);
    const me = { bearer: player.accessToken };
    const second = { provider: 'Mock', token: `mock:two-${mark}:secret` };
    assert.equal((await app.http.post('/api/player-profile/me/auth-methods', second, me)).status, 201);
    assert.deepEqual(await find(`two-${mark}`), []);
    for (let time = 0; time < 2; time++)
      assert.equal((await app.http.post('/api/player-auth/login', second, tenant)).status, 200);
    assert.deepEqual(await find(`two-${mark}`), [player.playerId]);
    const { authMethods } = (await read(player.playerId)).body;
    assert.deepEqual(
      authMethods.map((method: { providerUserId: string }) => method.providerUserId),
      [`one-${mark}`, `two-${mark}`],
    );
    const unlinked = await app.http.delete(`/api/player-profile/me/auth-methods/${authMethods[1].id}`, me);
    assert.equal(unlinked.status, 204);
    assert.deepEqual(await find(`two-${mark}`), []);
    assert.equal((await read(player.playerId)).body.authMethods.length, 1);
  });

  test('is one player after a merge, found by both ids and all methods', async () => {
    const at = await newTenant();
    const mark = someText();
    const source = await arrangePlayer(app, at, `source-${mark}`);
    const target = await arrangePlayer(app, at, `target-${mark}`);
    const only = await arrangePlayer(app, at, `only-${mark}`);
    await app.http.post(`${pathOf(at, source.playerId)}/ban`, { reason: 'rude' }, at.admin);
    assert.equal((await list({}, at, at.viewer)).body.totalCount, 3);
    const merge = await app.http.post(
      '/api/player-profile/me/merge',
      {
        sourceProfileId: source.playerId,
        sourceProvider: 'Mock',
        sourceAuthToken: `mock:source-${mark}:secret`,
      },
      { bearer: target.accessToken },
    );
    assert.equal(merge.status, 200, merge.text);

    const { body } = await list({}, at, at.viewer);
    assert.deepEqual(idsOf(body).toSorted(), [target.playerId, only.playerId].toSorted());
    assert.equal(body.totalCount, 2);
    for (const text of [source.playerId, target.playerId, `source-${mark}`, `target-${mark}`])
      assert.deepEqual(await find(text, at, at.viewer), [target.playerId], text);
    const detail = await read(source.playerId, at, at.viewer);
    assert.equal(detail.body.playerId, target.playerId);
    assert.deepEqual(detail.body.ban, { reason: 'rude', until: null });
    assert.equal(detail.body.authMethods.length, 2);
    assert.deepEqual([detail.body.counts.sessions, detail.body.counts.bans], [2, 1]);
    assert.equal((await read(only.playerId, at, at.viewer)).body.counts.bans, 0);
    const sessions = await app.http.get(`${pathOf(at, source.playerId)}/sessions`, at.viewer);
    assert.deepEqual(
      sessions.body.items.map((session: { sessionId: string }) => session.sessionId),
      [target.sessionId, source.sessionId],
    );
    assert.equal((await change(source.playerId, { tenantRole: 'x' }, at, at.admin)).status, 404);

    // A merge into a profile without access to this tenant does not change the number of players.
    const elsewhere = await arrangeTenant(app, { workspaceId: at.workspaceId });
    const newcomer = await arrangePlayer(app, elsewhere);
    const absorbed = await app.http.post(
      '/api/player-profile/me/merge',
      { sourceProfileId: only.playerId, sourceProvider: 'Mock', sourceAuthToken: `mock:only-${mark}:secret` },
      { bearer: newcomer.accessToken },
    );
    assert.equal(absorbed.status, 200, absorbed.text);
    const after = (await list({}, at, at.viewer)).body;
    assert.deepEqual(idsOf(after).toSorted(), [target.playerId, newcomer.playerId].toSorted());
    assert.equal(after.totalCount, 2);
    assert.deepEqual(
      await find(newcomer.username, at, at.viewer),
      [newcomer.playerId],
      'found by the name of the target',
    );
  });

  test('stays in the list after a deletion, without a name and sign-in methods', async () => {
    const at = await newTenant();
    const player = await arrangePlayer(app, at);
    assert.equal(
      (await app.http.delete('/api/player-profile/me', { bearer: player.accessToken })).status,
      204,
    );
    const [item] = (await list({}, at, at.viewer)).body.items;
    assert.deepEqual(
      [item.playerId, item.isActive, item.displayName, item.authMethods, item.profileVisibility],
      [player.playerId, false, null, [], 'private'],
    );
    assert.deepEqual(await find(player.username, at, at.viewer), []);
    assert.deepEqual(await find(player.playerId, at, at.viewer), [player.playerId]);
    assert.equal((await read(player.playerId, at, at.viewer)).status, 200);
  });

  test('returns the same 404 for unknown players and for players of other tenants', async () => {
    const foreign = await arrangePlayer(app, await arrangeTenant(app));
    for (const id of [foreign.playerId, randomUUID(), 'nonsense']) {
      for (const answer of [
        await read(id),
        await change(id, { tenantRole: 'x' }),
        await app.http.get(`${pathOf(tenant, id)}/sessions`, viewer),
        await app.http.get(`${pathOf(tenant, id)}/devices`, viewer),
      ])
        assert.equal(answer.status, 404, id);
    }
    const [existing, unknown] = [await read(foreign.playerId), await read(randomUUID())];
    const { instance: _, requestId: __, ...same } = existing.body;
    const { instance: ___, requestId: ____, ...other } = unknown.body;
    assert.deepEqual(same, other);
  });
});

describe('POST /api/bus_tenants/{tenantId}/players/bulk', () => {
  const readAll = (playerIds: unknown, at: TestTenant = tenant, caller: Caller = viewer) =>
    app.http.post(pathOf(at, 'bulk'), { playerIds }, caller);

  test('returns players as the list shows them, in the order of the distinct ids', async () => {
    const at = await newTenant();
    const [first, second] = [await arrangePlayer(app, at), await arrangePlayer(app, at)];
    const { body: listed } = await list({ sort: 'lastSeenAt' }, at, at.viewer);
    const [ofFirst, ofSecond] = listed.items;
    const unknown = randomUUID();
    const ids = [second.playerId, unknown, first.playerId.toUpperCase(), second.playerId];
    const { status, body, text } = await readAll(ids, at, at.viewer);
    assert.equal(status, 200, text);
    assert.deepEqual(body, {
      items: [
        { ...ofSecond, requestedId: second.playerId },
        { ...ofFirst, requestedId: first.playerId },
      ],
      notFound: [unknown],
    });
  });

  test('returns the remaining profile for the id of a merged one, even if both are requested', async () => {
    const source = await arrangePlayer(app, tenant);
    const target = await arrangePlayer(app, tenant);
    const merge = await app.http.post(
      '/api/player-profile/me/merge',
      {
        sourceProfileId: source.playerId,
        sourceProvider: 'Mock',
        sourceAuthToken: `mock:${source.username}:secret`,
      },
      { bearer: target.accessToken },
    );
    assert.equal(merge.status, 200, merge.text);
    const { body } = await readAll([source.playerId, target.playerId]);
    assert.deepEqual(
      body.items.map(({ requestedId, playerId }: Record<string, string>) => [requestedId, playerId]),
      [
        [source.playerId, target.playerId],
        [target.playerId, target.playerId],
      ],
    );
    assert.deepEqual(body.notFound, []);
  });

  test('finds neither players of other tenants nor their sign-in methods', async () => {
    const theirs = await newTenant();
    const stranger = await arrangePlayer(app, theirs);
    const { body } = await readAll([stranger.playerId]);
    assert.deepEqual(body, { items: [], notFound: [stranger.playerId] });
    assert.equal((await readAll([stranger.playerId], theirs)).status, 404);
  });

  test('returns 400 for no id, more than 100 ids and malformed ids', async () => {
    for (const playerIds of [
      undefined,
      null,
      [],
      'x',
      ['x'],
      Array.from({ length: 101 }, () => randomUUID()),
    ]) {
      const { status, body } = await readAll(playerIds);
      assert.deepEqual([status, body.code], [400, 'invalid_request']);
    }
    const { body } = await readAll(Array.from({ length: 100 }, () => randomUUID()));
    assert.equal(body.notFound.length, 100);
  });
});

describe('PATCH /api/bus_tenants/{tenantId}/players/{playerId}', () => {
  test('changes role and visibility, returns the player and writes an audit record', async () => {
    const { playerId } = await arrangePlayer(app, tenant);
    const unchanged = (await read(playerId)).body;
    assert.deepEqual((await change(playerId, {})).body, unchanged);
    assert.deepEqual((await change(playerId, { tenantRole: 'player', other: 1 })).body, unchanged);

    const changed = await change(playerId, { tenantRole: ' moderator ', hiddenFromDiscovery: true });
    assert.equal(changed.status, 200);
    assert.deepEqual(changed.body, { ...unchanged, tenantRole: 'moderator', hiddenFromDiscovery: true });
    assert.deepEqual((await read(playerId)).body, changed.body);
    await change(playerId, { hiddenFromDiscovery: false, tenantRole: null });
    const { rows } = await app.owner.query(
      `SELECT action, actor_id, tenant_id, details FROM audit_records WHERE target_id = $1 ORDER BY id`,
      [playerId],
    );
    const common = { action: 'player.updated', actor_id: admin.accountId, tenant_id: tenant.tenantId };
    assert.deepEqual(rows, [
      {
        ...common,
        details: {
          before: { tenantRole: 'player', hiddenFromDiscovery: false },
          after: { tenantRole: 'moderator', hiddenFromDiscovery: true },
        },
      },
      {
        ...common,
        details: { before: { hiddenFromDiscovery: true }, after: { hiddenFromDiscovery: false } },
      },
    ]);
    const afterLogin = await logInAgain(playerId);
    assert.equal(afterLogin.tenantRole, 'moderator', 'a login does not change the role');
  });

  test('returns 400 or 415 for an invalid change', async () => {
    const { playerId } = await arrangePlayer(app, tenant);
    for (const body of [
      { tenantRole: '' },
      { tenantRole: '  ' },
      { tenantRole: 'r'.repeat(65) },
      { tenantRole: 5 },
      { tenantRole: 'a\u0000b' },
      { hiddenFromDiscovery: 'true' },
      { hiddenFromDiscovery: 1 },
      [],
    ])
      assert.equal((await change(playerId, body)).status, 400, JSON.stringify(body));
    assert.equal((await change(playerId, { tenantRole: '🎯'.repeat(64) })).status, 200);
    const path = pathOf(tenant, playerId);
    assert.equal((await app.http.raw('PATCH', path, '{', admin)).status, 400);
    const xml = { ...admin, headers: { 'content-type': 'application/xml' } };
    assert.equal((await app.http.raw('PATCH', path, '<a/>', xml)).status, 415);
  });

  test('hides the player from API keys and public games immediately, in this tenant only', async () => {
    const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const player = await arrangePlayer(app, tenant);
    await arrangePlayer(app, sibling, player.username);
    await app.http.patch(
      '/api/player-profile/me',
      { profileVisibility: 'full' },
      { bearer: player.accessToken },
    );
    const profile = `/api/player-profiles/${player.playerId}`;
    const seen = async (at: TestTenant) => {
      const apiKey = { apiKey: at.apiKey };
      const bulk = await app.http.post('/api/player-profiles/bulk', { playerIds: [player.playerId] }, apiKey);
      const open = await app.http.get(`/api/public/player-profiles/${player.playerId}`);
      return [
        (await app.http.get(profile, apiKey)).status,
        (await app.http.get(profile, { gameKey: at.gameKey })).status,
        bulk.body.returnedCount,
        open.body.games.some((game: { gameId: string }) => game.gameId === at.tenantId),
      ];
    };
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(await seen(tenant), [200, 200, 1, true]);
      await change(player.playerId, { hiddenFromDiscovery: true });
      assert.deepEqual(await seen(tenant), [404, 200, 0, false]);
      assert.deepEqual(await seen(sibling), [200, 200, 1, true]);
      await change(player.playerId, { hiddenFromDiscovery: false });
    }
  });

  test('serializes concurrent changes, and audits them in order', async () => {
    for (let round = 0; round < 5; round++) {
      const { playerId } = await arrangePlayer(app, tenant);
      const roles = Array.from({ length: 8 }, (_, index) => `role ${index}`);
      const answers = await Promise.all([
        ...roles.map((tenantRole) => change(playerId, { tenantRole })),
        change(playerId, { hiddenFromDiscovery: true }),
      ]);
      for (const { status, text } of answers) assert.equal(status, 200, text);
      const { body } = await read(playerId);
      assert.equal(body.hiddenFromDiscovery, true, 'a concurrent change of the role does not undo it');
      const { rows } = await app.owner.query(
        `SELECT details FROM audit_records WHERE target_id = $1 AND details -> 'after' ? 'tenantRole'`,
        [playerId],
      );
      const next = new Map<string, string>(
        rows.map(({ details }) => [details.before.tenantRole, details.after.tenantRole]),
      );
      let role = 'player';
      let steps = 0;
      for (let after = next.get(role); after !== undefined; after = next.get(role), steps++) role = after;
      assert.deepEqual([steps, role], [8, body.tenantRole]);
    }
  });
});

describe('GET /api/bus_tenants/{tenantId}/players/{playerId}/sessions and /devices', () => {
  test('return pages of the records in the tenant', async () => {
    const at = await newTenant();
    const username = someText();
    const login = async (fingerprint: string | undefined, platform: string) => {
      const answer = await app.http.post(
        '/api/player-auth/login',
        {
          provider: 'Mock',
          token: `mock:${username}:secret`,
          clientInfo: { platform, clientVersion: '1.2' },
          ...(fingerprint && {
            deviceInfo: {
              deviceFingerprint: fingerprint,
              hardwareModel: 'Deck',
              osVersion: '3',
              metadata: { private: 'metadata' },
            },
          }),
        },
        at,
      );
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const [first, second] = ['fingerprint-number-one', 'fingerprint-number-two'];
    const one = await login(first, 'PC_Windows');
    const two = await login(second, 'ConsoleB5Pro');
    const three = await login(first, 'PC_Windows');
    const four = await login(undefined, 'PC_Mac');
    await app.http.post('/api/player-auth/logout', { sessionId: two.sessionId }, at);
    const path = pathOf(at, one.playerId);

    const { body: sessions } = await app.http.get(`${path}/sessions`, at.viewer);
    assert.deepEqual(
      sessions.items.map((session: { sessionId: string }) => session.sessionId),
      [four, three, two, one].map(({ sessionId }) => sessionId),
    );
    const ended = sessions.items[2];
    assert.deepEqual(ended, {
      sessionId: two.sessionId,
      isActive: false,
      startedAt: ended.startedAt,
      lastSeenAt: ended.endedAt,
      endedAt: ended.endedAt,
      endReason: 'user_logout',
      authProvider: 'mock',
      platform: 'ConsoleB5Pro',
      platformDisplayName: 'Console B5 Pro',
      deviceId: ended.deviceId,
      clientVersion: '1.2',
      ipAddress: '127.0.0.1',
    });
    assert.deepEqual([sessions.items[0].endedAt, sessions.items[0].endReason], [null, null]);
    assert.deepEqual({ ...sessions, items: [] }, { items: [], limit: 50, offset: 0, totalCount: 4 });
    const page = await app.http.get(`${path}/sessions?limit=2&offset=1`, at.viewer);
    assert.deepEqual(page.body.items, sessions.items.slice(1, 3));

    const { body: devices } = await app.http.get(`${path}/devices`, at.viewer);
    assert.deepEqual({ ...devices, items: [] }, { items: [], limit: 50, offset: 0, totalCount: 2 });
    const [latest] = devices.items;
    assert.deepEqual(latest, {
      id: sessions.items[1].deviceId,
      deviceFingerprint: first,
      platform: 'PC_Windows',
      platformDisplayName: 'PC Windows',
      hardwareModel: 'Deck',
      osVersion: '3',
      isBlocked: false,
      firstSeenAt: sessions.items[3].startedAt,
      lastSeenAt: sessions.items[1].startedAt,
      loginCount: 2,
    });
    const rest = await app.http.get(`${path}/devices?limit=1&offset=1`, at.viewer);
    assert.deepEqual(rest.body.items, devices.items.slice(1));
    assert.deepEqual((await read(one.playerId, at, at.viewer)).body.counts, {
      sessions: 4,
      openSessions: 3,
      devices: 2,
      bans: 0,
    });
    for (const query of ['?limit=0', '?limit=201', '?offset=-1']) {
      assert.equal((await app.http.get(`${path}/devices${query}`, at.viewer)).status, 400);
      assert.equal((await app.http.get(`${path}/sessions${query}`, at.viewer)).status, 400);
    }
  });
});
