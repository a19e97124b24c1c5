import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  arrangeAccount,
  arrangePlayer,
  arrangeStoreAPlayer,
  arrangeTenant,
  mockClient,
  signedToken,
  type TestTenant,
} from '../../../testing/arrange.ts';
import type { Caller } from '../../../testing/http-client.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId });

const history = (caller: Caller, query: Record<string, string> = {}) =>
  app.http.get(`/api/player/sessions/history?${new URLSearchParams(query)}`, caller);
const summary = (caller: Caller) => app.http.get('/api/player/sessions/summary', caller);
const { logIn } = mockClient(app, tenant);
const login = (username: string, more: object = {}, at: TestTenant = tenant) => logIn(username, at, more);
const idsOf = (body: { sessions: { sessionId: string }[] }) =>
  body.sessions.map(({ sessionId }) => sessionId);

/** A portal token, which has no tenant. */
const portalToken = async (playerId: string) => ({
  bearer: await signedToken(app, 'player', playerId, { tid: null, sid: randomUUID() }),
});

/** Follows the cursors to the end. */
async function walk(caller: Caller, query: Record<string, string> = {}) {
  const pages = [];
  let cursor: Record<string, string> = {};
  while (true) {
    const { status, body, text } = await history(caller, { ...query, ...cursor });
    assert.equal(status, 200, text);
    pages.push(body);
    if (!body.hasMore) return pages;
    cursor = { cursorTimestamp: body.nextCursorTimestamp, cursorId: body.nextCursorId };
  }
}

/** Inserts logins into the ledger, one minute apart, and returns their session ids, newest first. */
async function addLogins(playerId: string, count: number, { tenantId } = tenant, platform = 'PC_Linux') {
  const sessions = Array.from({ length: count }, () => randomUUID());
  await app.owner.query(
    `INSERT INTO login_ledger (tenant_id, id, session_id, player_id, auth_provider, platform, occurred_at, created_at_gl,
                               received_at_db, personal_data, row_hash)
     SELECT $1, gen_random_uuid(), session_id, $2, 'mock', $4, at, at, at, '', ''
     FROM unnest($3::uuid[]) WITH ORDINALITY AS session (session_id, number),
          LATERAL (SELECT now() - interval '1 day' - number * interval '1 minute' AS at) moment`,
    [tenantId, playerId, sessions, platform],
  );
  return sessions;
}

describe('GET /api/player/sessions/history', () => {
  test('returns the player’s logins, newest first, in all tenants or in one', async () => {
    const username = randomUUID();
    const { body: first } = await login(username);
    const { body: second } = await login(username, {}, sibling);
    const { body: third } = await login(username, {
      deviceInfo: { deviceFingerprint: randomUUID() },
      clientInfo: { platform: 'ConsoleB5Pro', clientVersion: '1.2', clientBuild: 'b7' },
    });
    const caller = { bearer: first.accessToken };
    const { body: devices } = await app.http.get('/api/player/devices', caller);
    const { status, body } = await history(caller);
    assert.equal(status, 200);
    const { sessions, ...page } = body;
    assert.deepEqual(page, {
      totalCount: 3,
      pageSize: 50,
      hasMore: false,
      nextCursorTimestamp: null,
      nextCursorId: null,
    });
    assert.deepEqual(idsOf(body), [third.sessionId, second.sessionId, first.sessionId]);
    const { id, occurredAt, ipAddress, ...rest } = sessions[0];
    assert.deepEqual(rest, {
      sessionId: third.sessionId,
      tenantId: tenant.tenantId,
      authProvider: 'mock',
      platform: 'ConsoleB5Pro',
      platformDisplayName: 'Console B5 Pro',
      deviceId: devices[0].id,
      clientVersion: '1.2',
      clientBuild: 'b7',
    });
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.match(occurredAt, /Z$/);
    assert.match(ipAddress, /^(127\.0\.0\.1|::1)$/);
    assert.deepEqual(
      [sessions[2].deviceId, sessions[2].clientVersion, sessions[2].clientBuild, sessions[2].platform],
      [null, null, null, 'Unknown'],
    );

    const there = await history(caller, { tenantId: sibling.tenantId.toUpperCase() });
    assert.deepEqual([idsOf(there.body), there.body.totalCount], [[second.sessionId], 1]);
    assert.deepEqual(
      (await history({ bearer: second.accessToken })).body,
      body,
      'the tenant of the token does not matter',
    );
    assert.deepEqual((await history(await portalToken(first.playerId))).body, body);
    assert.deepEqual((await summary(await portalToken(first.playerId))).body, (await summary(caller)).body);
  });

  test('returns no logins of other players, and none for other tenants', async () => {
    const [ada, bob] = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
    const foreign = await arrangeTenant(app);
    await arrangePlayer(app, foreign);
    for (const tenantId of [foreign.tenantId, randomUUID()]) {
      const { status, body } = await history(ada.caller, { tenantId });
      assert.deepEqual(
        [status, body],
        [
          200,
          {
            sessions: [],
            totalCount: 0,
            pageSize: 50,
            hasMore: false,
            nextCursorTimestamp: null,
            nextCursorId: null,
          },
        ],
      );
    }
    assert.deepEqual(idsOf((await history(ada.caller)).body), [ada.sessionId]);
    const { body } = await history(bob.caller, { pageSize: '1' });
    const { sessions } = body;
    const ofBob = { cursorTimestamp: new Date(Date.now() + 60_000).toISOString(), cursorId: sessions[0].id };
    assert.deepEqual(
      idsOf((await history(ada.caller, ofBob)).body),
      [ada.sessionId],
      'a cursor grants no access',
    );
  });

  test('returns every login exactly once over all pages, even with equal times', async () => {
    const { caller, playerId, sessionId } = await arrangePlayer(app, tenant);
    const older = await addLogins(playerId, 7);
    const elsewhere = await addLogins(playerId, 3, sibling);
    await app.owner.query(
      `UPDATE login_ledger SET received_at_db = date_trunc('minute', received_at_db) + interval '7 microseconds' WHERE player_id = $1 AND session_id = ANY($2)`,
      [playerId, older],
    );
    await app.owner.query(
      `UPDATE login_ledger SET received_at_db = (SELECT max(received_at_db) FROM login_ledger WHERE session_id = ANY($2)) WHERE player_id = $1 AND session_id = ANY($2)`,
      [playerId, older.slice(2, 6)],
    );
    for (const pageSize of ['1', '2', '3', '11', '200']) {
      const pages = await walk(caller, { pageSize });
      const seen = pages.flatMap(idsOf);
      assert.deepEqual(new Set(seen), new Set([sessionId, ...older, ...elsewhere]));
      assert.equal(seen.length, 11, `pages of ${pageSize}`);
      for (const page of pages) assert.deepEqual([page.totalCount, page.pageSize], [11, Number(pageSize)]);
      assert.equal(pages.length, Math.ceil(11 / Number(pageSize)), 'no page is empty');
    }
    const [first] = await walk(caller, { pageSize: '3', tenantId: tenant.tenantId });
    assert.match(first.nextCursorTimestamp, /\.\d{5}7Z$/);
    const inTenant = (await walk(caller, { pageSize: '3', tenantId: tenant.tenantId })).flatMap(idsOf);
    assert.deepEqual(new Set(inTenant), new Set([sessionId, ...older]));
    assert.equal(inTenant.length, 8);

    const shifted = new Date(Date.parse(first.nextCursorTimestamp) + 23 * 3_600_000)
      .toISOString()
      .slice(0, 19);
    const micros = first.nextCursorTimestamp.slice(19, -1);
    const next = { cursorId: first.nextCursorId.toUpperCase(), pageSize: '3' };
    assert.deepEqual(
      (await history(caller, { ...next, cursorTimestamp: `${shifted}${micros}+23:00` })).body,
      (await history(caller, { ...next, cursorTimestamp: first.nextCursorTimestamp })).body,
    );
  });

  test('returns 400 for an incomplete or invalid cursor or page', async () => {
    const { caller, sessionId } = await arrangePlayer(app, tenant);
    const cursorTimestamp = new Date().toISOString();
    for (const query of [
      { cursorTimestamp },
      { cursorId: sessionId },
      { cursorTimestamp: 'now', cursorId: sessionId },
      { cursorTimestamp: cursorTimestamp.slice(0, -1), cursorId: sessionId },
      { cursorTimestamp: '2026-02-30T00:00:00Z', cursorId: sessionId },
      { cursorTimestamp, cursorId: 'x' },
      { cursorTimestamp: '', cursorId: '' },
      { tenantId: 'x' },
      { pageSize: '0' },
      { pageSize: '201' },
      { pageSize: '-1' },
      { pageSize: '1.5' },
      { pageSize: 'x' },
    ] as Record<string, string>[]) {
      const { status, body } = await history(caller, query);
      assert.deepEqual([status, body.code], [400, 'invalid_request'], JSON.stringify(query));
    }
    assert.equal(
      (await history(caller, { cursorTimestamp: '9999-12-31T23:59:59.9999999Z', cursorId: sessionId }))
        .status,
      200,
    );
    assert.equal(
      (await history(caller, { cursorTimestamp: '0001-01-01T00:00:00Z', cursorId: sessionId })).body
        .totalCount,
      1,
    );
  });

  test('includes the logins of merged profiles', async () => {
    const [target, source, older, stranger] = await Promise.all(
      Array.from({ length: 4 }, () => arrangePlayer(app, tenant)),
    );
    const before = await addLogins(older!.playerId, 5, sibling, 'Mobile_iOS');
    const merge = (from: string, into: string) =>
      app.owner.query(
        'UPDATE players SET merged_into_id = $2, is_active = false, is_back_merged = true WHERE id = $1',
        [from, into],
      );
    await merge(older!.playerId, source!.playerId);
    await merge(source!.playerId, target!.playerId);
    const all = [target!.sessionId, source!.sessionId, older!.sessionId, ...before];
    for (const pageSize of ['2', '50']) {
      const seen = (await walk(target!.caller, { pageSize })).flatMap(idsOf);
      assert.deepEqual([seen.length, new Set(seen)], [8, new Set(all)]);
      assert.deepEqual(seen.slice(3), before, 'ordered by time');
    }
    const { body } = await summary(target!.caller);
    assert.deepEqual(
      [body.totalLogins, body.totalGamesPlayed, body.platformsUsed],
      [8, 2, ['Mobile_iOS', 'Unknown']],
    );
    assert.equal((await history(target!.caller, { tenantId: sibling.tenantId })).body.totalCount, 5);
    assert.deepEqual(idsOf((await history(stranger!.caller)).body), [stranger!.sessionId]);
    assert.equal((await history(source!.caller)).status, 401, 'tokens of a merged profile are invalid');
  });

  test('misses and repeats no login while 50 clients write', async () => {
    // Delays each commit by a random time of at most 20 ms.
    await app.owner.query(`
    CREATE FUNCTION delay_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.02 * random() ^ 3); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER delay_commit AFTER INSERT ON login_sessions DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION delay_commit()`);
    // One player with a sign-in method in each of four workspaces. Only the player's row is shared by all logins.
    const username = randomBytes(6).toString('hex');
    const tenants = await Promise.all(Array.from({ length: 4 }, () => arrangeTenant(app)));
    const [main, ...others] = await Promise.all(tenants.map((at) => arrangePlayer(app, at, username)));
    await app.owner.query(
      'UPDATE auth_methods SET player_id = $1, is_primary = false WHERE player_id = ANY($2)',
      [main!.playerId, others.map(({ playerId }) => playerId)],
    );
    const reader = await startTestApp({ databaseUrl: app.databaseUrl });

    const seen: string[] = [];
    /** Reads from the newest login to the newest one of the previous read. */
    const readNew = async () => {
      const fresh: string[] = [];
      let cursor: Record<string, string> = {};
      while (true) {
        const query = new URLSearchParams({ pageSize: '2', ...cursor });
        const { body } = await reader.http.get(`/api/player/sessions/history?${query}`, main!.caller);
        const page = idsOf(body);
        const known = page.findIndex((id) => id === seen.at(-1));
        fresh.push(...(known < 0 ? page : page.slice(0, known)));
        if (known >= 0 || !body.hasMore) break;
        cursor = { cursorTimestamp: body.nextCursorTimestamp, cursorId: body.nextCursorId };
      }
      seen.push(...fresh.toReversed());
    };
    let writing = true;
    const reading = (async () => {
      while (writing) await readNew();
    })();
    const written = await Promise.all(
      Array.from({ length: 50 }, async (_, writer) => {
        const sessions: string[] = [];
        for (let round = 0; round < 4; round++) {
          const answer = await login(username, {}, tenants[(writer + round) % tenants.length]);
          assert.equal(answer.status, 200, answer.text);
          assert.equal(answer.body.playerId, main!.playerId);
          sessions.push(answer.body.sessionId);
        }
        return sessions;
      }),
    );
    writing = false;
    await reading;
    await readNew();
    const all = [main!.sessionId, ...written.flat()];
    assert.equal(seen.length, all.length);
    assert.deepEqual(new Set(seen), new Set(all));
  });
});

describe('GET /api/player/sessions/summary', () => {
  test('returns totals over all tenants and the ten latest logins', async () => {
    const username = randomUUID();
    const { body: first } = await login(username, { clientInfo: { platform: 'PC_Mac', clientVersion: '3' } });
    const caller = { bearer: first.accessToken };
    await login(username, { clientInfo: { platform: 'ConsoleB5' } }, sibling);
    await login(username, { clientInfo: { platform: 'PC_Mac' } }, sibling);
    const { body: logins } = await history(caller);
    const { status, body } = await summary(caller);
    assert.equal(status, 200);
    const at = logins.sessions.map(({ occurredAt }: { occurredAt: string }) => occurredAt);
    assert.deepEqual(body, {
      totalLogins: 3,
      totalGamesPlayed: 2,
      platformsUsed: ['ConsoleB5', 'PC_Mac'],
      firstLoginAt: at[2],
      lastLoginAt: at[0],
      recentSessions: [
        ['PC_Mac', 'PC Mac', null, sibling],
        ['ConsoleB5', 'Console B5', null, sibling],
        ['PC_Mac', 'PC Mac', '3', tenant],
      ].map(([platform, platformDisplayName, clientVersion, where], index) => ({
        tenantId: (where as TestTenant).tenantId,
        platform,
        platformDisplayName,
        clientVersion,
        loginAt: at[index],
      })),
    });
    const older = await addLogins(first.playerId, 9);
    const { body: later } = await summary(caller);
    assert.deepEqual([later.totalLogins, later.recentSessions.length], [12, 10]);
    assert.equal((await history(caller)).body.sessions.at(-1).sessionId, older.at(-1));
    assert.equal(later.firstLoginAt, (await history(caller)).body.sessions.at(-1).occurredAt);
  });

  test('returns empty values for a player who has never signed in to a tenant', async () => {
    const nobody = await portalToken((await arrangeStoreAPlayer(app)).playerId);
    assert.deepEqual((await summary(nobody)).body, {
      totalLogins: 0,
      totalGamesPlayed: 0,
      platformsUsed: [],
      firstLoginAt: null,
      lastLoginAt: null,
      recentSessions: [],
    });
    assert.equal((await history(nobody)).body.totalCount, 0);
  });
});

describe('/api/player/sessions', () => {
  test('returns 401 without a player’s access token', async () => {
    const player = await arrangePlayer(app, tenant);
    const callers: Caller[] = [
      {},
      { gameKey: tenant.gameKey },
      { apiKey: tenant.apiKey },
      { bearer: 'nonsense' },
      { bearer: player.refreshToken },
      { bearer: (await arrangeAccount(app, tenant, 'owner')).bearer },
    ];
    for (const caller of callers) {
      assert.equal((await history(caller)).status, 401);
      assert.equal((await summary(caller)).status, 401);
    }
  });
});
