import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import type { Querier } from '../../../database/database.ts';
import type { Sql } from '../../../database/sql.ts';
import type { Caller } from '../../../testing/http-client.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { commitWhileWaiting, whileLocked } from '../../../testing/while-locked.ts';
import { lockAccess } from './entry-queries.ts';
import type { MatchPlayer } from './queries.ts';

interface ItemError {
  index: number;
  statusCode: number;
  matchPlayerId?: string;
}

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const viewer = await arrangeAccount(app, tenant, 'viewer');
const admin = await arrangeAccount(app, tenant, 'admin');
const server = { gameKey: tenant.gameKey };
const MATCHES = '/api/game/matches';

const create = (players: object[], more: object = {}, caller: Caller = server) =>
  app.http.post(MATCHES, { players, ...more }, caller);
const join = (match: string, body: object, caller: Caller = server) =>
  app.http.post(`${MATCHES}/${match}/join`, body, caller);
const leave = (match: string, matchPlayerId: string, caller: Caller = server) =>
  app.http.post(`${MATCHES}/${match}/leave`, { matchPlayerId }, caller);
const end = (match: string, caller: Caller = server) =>
  app.http.post(`${MATCHES}/${match}/end`, undefined, caller);
const record = (match: string, results: object[], caller: Caller = server) =>
  app.http.put(`${MATCHES}/${match}/results`, { results }, caller);
const read = (match: string, caller: Caller = server) => app.http.get(`${MATCHES}/${match}`, caller);
/** Reads a match as a member of the workspace, with the sessions of the players. */
const readAsViewer = (match: string) =>
  app.http.get(`/api/bus_tenants/${tenant.tenantId}/matches/${match}`, viewer);

/** Moves the start and the last activity of a session into the past. */
const ageSession = (sessionId: string, interval: string) =>
  app.owner.query(
    'UPDATE login_sessions SET started_at = now() - $2::interval, last_seen_at = now() - $2::interval WHERE session_id = $1',
    [sessionId, interval],
  );
const logOut = (sessionId: string) => app.http.post('/api/player-auth/logout', { sessionId }, server);
const players = (count: number) =>
  Promise.all(Array.from({ length: count }, () => arrangePlayer(app, tenant)));

async function countMatches(tenantId: string): Promise<number> {
  const { rows } = await app.owner.query(
    'SELECT count(*)::int AS count FROM match_sessions WHERE tenant_id = $1',
    [tenantId],
  );
  return rows[0].count;
}

/** Inserts many players with one session each, without sign-in. */
async function arrangeManyPlayers(count: number): Promise<{ playerId: string }[]> {
  const { rows } = await app.owner.query(
    `WITH player AS (
       INSERT INTO players (id, created_at) SELECT gen_random_uuid(), now() FROM generate_series(1, $2::int) RETURNING id),
     access AS (
       INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at) SELECT $1, id, now(), now() FROM player)
     INSERT INTO login_sessions (tenant_id, session_id, player_id, started_at, last_seen_at, auth_provider, platform)
     SELECT $1, gen_random_uuid(), id, now(), now(), 'mock', 'Unknown' FROM player RETURNING player_id AS "playerId"`,
    [tenant.tenantId, count],
  );
  return rows;
}

/** Creates a running match with `count` new players. */
async function arrangeMatch(count = 2) {
  const them = await players(count);
  const { body } = await create(them.map(({ playerId }) => ({ playerId })));
  return {
    players: them,
    match: body.matchSessionId,
    roster: body.players.map((one: MatchPlayer) => one.matchPlayerId),
  };
}

describe('POST /api/game/matches', () => {
  test('creates a match with its roster', async () => {
    const [ada, bob] = await players(2);
    const created = await create(
      [
        { playerId: ada!.playerId.toUpperCase() },
        { playerId: bob!.playerId, loginSessionId: bob!.sessionId },
      ],
      { mode: '  ranked ', metadata: { map: 'fort', depth: { level: [1, null] } } },
    );
    assert.equal(created.status, 201, created.text);
    assert.deepEqual(
      created.body.players.map((one: MatchPlayer) => one.playerId),
      [ada!.playerId, bob!.playerId],
    );
    const { status, body } = await readAsViewer(created.body.matchSessionId);
    assert.equal(status, 200);
    const { players: roster, ...match } = body;
    assert.deepEqual(match, {
      matchSessionId: created.body.matchSessionId,
      mode: 'ranked',
      metadata: { map: 'fort', depth: { level: [1, null] } },
      startedAt: body.startedAt,
      endedAt: null,
    });
    assert.equal(Date.parse(body.startedAt), Date.parse(created.body.startedAt));
    assert.deepEqual(roster[0], {
      matchPlayerId: created.body.players[0].matchPlayerId,
      playerId: ada!.playerId,
      loginSessionId: ada!.sessionId,
      joinedAt: body.startedAt,
      leftAt: null,
      placement: null,
      score: null,
      outcome: null,
    });
    assert.equal(roster[1].loginSessionId, bob!.sessionId);
  });

  test('accepts a match without mode, metadata and session', async () => {
    const [ada] = await players(1);
    const created = await create([{ playerId: ada!.playerId, loginSessionId: null }], { mode: null });
    assert.equal(created.status, 201, created.text);
    const { body } = await read(created.body.matchSessionId);
    assert.equal(body.mode, null);
    assert.deepEqual(body.metadata, {});
  });

  test('delays no sign-in, rename, change of settings, forced logout or ban of its players', async () => {
    const [ada] = await players(1);
    const path = `/api/bus_tenants/${tenant.tenantId}/players/${ada!.playerId}`;
    await whileLocked(
      app,
      async (holder) => {
        const run = async (statement: Sql) => (await holder.query(statement)).rowCount ?? 0;
        await lockAccess({ run } as Querier, tenant.tenantId, [ada!.playerId]);
      },
      async () => {
        const { caller } = await arrangePlayer(app, tenant, ada!.username);
        const changes = [
          () => app.http.patch('/api/player-profile/me', { displayName: 'Ada' }, caller),
          () => app.http.patch(path, { hiddenFromDiscovery: true }, admin),
          () => app.http.post(`${path}/force-logout`, {}, admin),
          () => app.http.post(`${path}/ban`, {}, admin),
        ];
        const statuses: number[] = [];
        for (const change of changes) statuses.push((await change()).status);
        assert.deepEqual(statuses, [200, 200, 200, 201]);
      },
    );
  });

  test('returns 410, lists each expired session and creates nothing', async () => {
    const [alive, expired, ended, given] = await players(4);
    const old = given!.sessionId;
    const fresh = await arrangePlayer(app, tenant, given!.username);
    await ageSession(expired!.sessionId, '2 hours 1 second');
    await ageSession(old, '3 hours');
    await logOut(ended!.sessionId);
    const before = await countMatches(tenant.tenantId);

    const refused = await create([
      { playerId: alive!.playerId },
      { playerId: expired!.playerId },
      { playerId: ended!.playerId },
      { playerId: given!.playerId, loginSessionId: old },
      { playerId: expired!.playerId.replace(/.$/, (last: string) => (last === '0' ? '1' : '0')) },
    ]);
    assert.equal(refused.status, 410, refused.text);
    assert.equal(refused.body.code, 'players_rejected');
    assert.deepEqual(
      refused.body.errors.map((error: ItemError) => [error.index, error.statusCode]),
      [
        [1, 410],
        [2, 410],
        [3, 410],
        [4, 404],
      ],
    );
    assert.equal(refused.body.errors[0].playerId, expired!.playerId);
    for (const { error } of refused.body.errors.slice(0, 3)) assert.match(error, /Sign the player in again/);
    assert.equal(await countMatches(tenant.tenantId), before);

    // Without a given session, the latest open session is used.
    assert.equal((await create([{ playerId: given!.playerId }])).status, 201);
    assert.equal(
      (await create([{ playerId: given!.playerId, loginSessionId: fresh.sessionId }])).status,
      201,
    );
  });

  test('accepts a session that was seen within two hours when a later one has ended', async () => {
    const [ada] = await players(1);
    await ageSession(ada!.sessionId, '1 hour 59 minutes 50 seconds');
    assert.equal((await create([{ playerId: ada!.playerId }])).status, 201);
    const later = await arrangePlayer(app, tenant, ada!.username);
    await logOut(later.sessionId);
    const created = await create([{ playerId: ada!.playerId }]);
    assert.equal(created.status, 201, 'a player may be signed in twice, and here still is once');
    const given = await create([{ playerId: ada!.playerId, loginSessionId: later.sessionId }]);
    assert.equal(given.status, 410, 'the session that is given is the one that counts');
  });

  test('keeps the latest session active when an older one logs out', async () => {
    const [first] = await players(1);
    await arrangePlayer(app, tenant, first!.username);
    await logOut(first!.sessionId);
    assert.equal((await create([{ playerId: first!.playerId }])).status, 201);
  });

  test('returns 404 and lists each unknown player and session', async () => {
    const [ada, bob] = await players(2);
    const elsewhere = await arrangeTenant(app);
    const foreign = await arrangePlayer(app, elsewhere);
    const both = await arrangePlayer(
      app,
      await arrangeTenant(app, { workspaceId: tenant.workspaceId }),
      ada!.username,
    );
    assert.equal(both.playerId, ada!.playerId);
    const before = await countMatches(tenant.tenantId);
    const refused = await create([
      { playerId: ada!.playerId, loginSessionId: both.sessionId },
      { playerId: bob!.playerId, loginSessionId: ada!.sessionId },
      { playerId: foreign.playerId, loginSessionId: foreign.sessionId },
      { playerId: randomUUID() },
    ]);
    assert.equal(refused.status, 404, refused.text);
    assert.deepEqual(
      refused.body.errors.map((error: ItemError) => [error.index, error.statusCode]),
      [0, 1, 2, 3].map((index) => [index, 404]),
    );
    assert.equal(await countMatches(tenant.tenantId), before);
  });

  test('accepts 1,000 players and rejects 1,001', async () => {
    const many = await arrangeManyPlayers(1001);
    assert.equal((await create(many)).status, 400);
    const created = await create(many.slice(1));
    assert.equal(created.status, 201, created.text);
    const { body } = await read(created.body.matchSessionId);
    assert.deepEqual(
      body.players.map((one: MatchPlayer) => one.playerId),
      many.slice(1).map((one) => one.playerId),
    );
  });

  test('returns 400 for a malformed request', async () => {
    const [ada] = await players(1);
    const one = { playerId: ada!.playerId };
    for (const [list, more] of [
      [[], {}],
      [[one, { playerId: one.playerId.toUpperCase() }], {}],
      [[{}], {}],
      [[{ playerId: 'nonsense' }], {}],
      [[{ ...one, loginSessionId: 'nonsense' }], {}],
      [[one], { mode: 'm'.repeat(65) }],
      [[one], { mode: '' }],
      [[one], { mode: 5 }],
      [[one], { metadata: [] }],
      [[one], { metadata: 'text' }],
    ] as [object[], object][])
      assert.equal((await create(list, more)).status, 400, JSON.stringify([list, more]));
    assert.equal((await create([one], { mode: '🎯'.repeat(64) })).status, 201);
    assert.equal((await app.http.raw('POST', MATCHES, '{"players":', server)).status, 400);
    const xml = { ...server, headers: { 'content-type': 'application/xml' } };
    assert.equal((await app.http.raw('POST', MATCHES, '<a/>', xml)).status, 415);
  });
});

describe('POST /api/game/matches/:matchSessionId/join', () => {
  test('adds players with an active session and rejects others', async () => {
    const {
      match,
      players: [first],
    } = await arrangeMatch(1);
    const [late, expired] = await players(2);
    await ageSession(expired!.sessionId, '2 hours 1 second');

    const joined = await join(match, { playerId: late!.playerId });
    assert.equal(joined.status, 201, joined.text);
    assert.equal(joined.body.playerId, late!.playerId);
    assert.equal(joined.body.matchSessionId, match);
    const { body } = await readAsViewer(match);
    assert.deepEqual(
      body.players.map((one: MatchPlayer) => [one.playerId, one.loginSessionId]),
      [
        [first!.playerId, first!.sessionId],
        [late!.playerId, late!.sessionId],
      ],
    );

    const refusals = [
      [{ playerId: late!.playerId }, 409, 'already_in_match'],
      [{ playerId: expired!.playerId }, 409, 'session_expired'],
      [{ playerId: expired!.playerId, loginSessionId: expired!.sessionId }, 409, 'session_expired'],
      [{ playerId: randomUUID() }, 404, 'player_not_found'],
      [{ playerId: expired!.playerId, loginSessionId: late!.sessionId }, 404, 'not_found'],
      [{ playerId: 'nonsense' }, 400, 'invalid_request'],
      [{}, 400, 'invalid_request'],
    ] as const;
    for (const [one, status, code] of refusals) {
      const answer = await join(match, one);
      assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(one));
      if (code === 'session_expired') assert.match(answer.body.detail, /A refresh does not count\. Sign the/);
    }
    for (const unknown of [randomUUID(), 'nonsense'])
      assert.equal((await join(unknown, { playerId: late!.playerId })).status, 404);

    await end(match);
    const [another] = await players(1);
    const tooLate = await join(match, { playerId: another!.playerId });
    assert.deepEqual([tooLate.status, tooLate.body.code], [409, 'match_ended']);
  });

  test('adds a player once when eight joins arrive at the same time', async () => {
    const { match } = await arrangeMatch(1);
    const [ada] = await players(1);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => join(match, { playerId: ada!.playerId })),
    );
    const statuses = answers.map((answer) => answer.status);
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [201, ...Array(7).fill(409)],
    );
  });

  test('returns match_ended when the match ends at the same time', async () => {
    const { match } = await arrangeMatch(1);
    const [ada] = await players(1);
    await whileLocked(
      app,
      async (ending) => {
        await ending.query('UPDATE match_sessions SET ended_at = now() WHERE id = $1', [match]);
      },
      async (waiting, release) => {
        const joining = join(match, { playerId: ada!.playerId });
        await waiting(1);
        await release();
        assert.equal((await joining).body.code, 'match_ended');
      },
    );
  });
});

describe('POST /api/game/matches/:matchSessionId/leave', () => {
  test('keeps the first time and lets the player return as the same match player', async () => {
    const {
      match,
      roster,
      players: [ada],
    } = await arrangeMatch(2);
    const left = await leave(match, roster[0]);
    assert.equal(left.status, 200, left.text);
    assert.ok(left.body.leftAt);
    assert.deepEqual((await leave(match, roster[0].toUpperCase())).body, left.body);

    const fresh = await arrangePlayer(app, tenant, ada!.username);
    const back = await join(match, { playerId: ada!.playerId });
    assert.equal(back.status, 201, back.text);
    assert.equal(back.body.matchPlayerId, roster[0]);
    const { body } = await readAsViewer(match);
    assert.equal(body.players.length, 2);
    const again = body.players.find((one: MatchPlayer) => one.matchPlayerId === roster[0]);
    assert.deepEqual([again.leftAt, again.loginSessionId], [null, fresh.sessionId]);

    const other = await arrangeMatch(1);
    for (const [where, who] of [
      [match, randomUUID()],
      [match, other.roster[0]],
      [randomUUID(), roster[0]],
      ['nonsense', roster[0]],
    ])
      assert.equal((await leave(where, who)).status, 404);
    for (const body of [{}, { matchPlayerId: 'nonsense' }])
      assert.equal((await app.http.post(`${MATCHES}/${match}/leave`, body, server)).status, 400);
  });
});

describe('POST /api/game/matches/:matchSessionId/end', () => {
  test('returns the first end when called again, and requires no active session', async () => {
    const { match, roster, players: them } = await arrangeMatch(2);
    for (const { sessionId } of them) await ageSession(sessionId, '3 hours');
    assert.equal((await leave(match, roster[1])).status, 200);
    const ended = await end(match);
    assert.equal(ended.status, 200, ended.text);
    assert.ok(Date.parse(ended.body.endedAt) >= Date.parse(ended.body.startedAt));
    assert.deepEqual((await end(match)).body, ended.body);
    assert.equal((await record(match, [{ matchPlayerId: roster[0], placement: 1 }])).status, 200);
    assert.equal((await read(match)).body.endedAt, ended.body.endedAt);
    for (const unknown of [randomUUID(), 'nonsense']) {
      assert.equal((await end(unknown)).status, 404);
      assert.equal((await read(unknown)).status, 404);
      assert.equal((await record(unknown, [{ matchPlayerId: roster[0] }])).status, 404);
    }
  });

  test('refuses a player whose match another one joins at the same moment', async () => {
    const {
      match,
      players: [ada],
    } = await arrangeMatch(1);
    const ben = await arrangePlayer(app, tenant);
    const ended = await commitWhileWaiting(
      app,
      async (joining) => {
        await joining.query('SELECT FROM match_sessions WHERE id = $1 FOR SHARE', [match]);
        await joining.query(
          `INSERT INTO match_players (tenant_id, id, match_session_id, player_id, joined_at)
           VALUES ($1, gen_random_uuid(), $2, $3, now())`,
          [tenant.tenantId, match, ben.playerId],
        );
      },
      () => end(match, ada!.caller),
    );
    assert.deepEqual([ended.status, ended.body.code], [403, 'forbidden']);
    assert.equal((await read(match)).body.endedAt, null);
  });
});

describe('PUT /api/game/matches/:matchSessionId/results', () => {
  test('replaces the whole result of the given players', async () => {
    const { match, roster } = await arrangeMatch(2);
    const [first, second] = roster;
    const sent = await record(match, [
      { matchPlayerId: first, placement: 1, score: Number.MAX_SAFE_INTEGER, outcome: ' won ' },
      {
        matchPlayerId: second,
        placement: 2 ** 31 - 1,
        score: Number.MIN_SAFE_INTEGER,
        outcome: '🎯'.repeat(32),
      },
    ]);
    assert.equal(sent.status, 200, sent.text);
    assert.equal(sent.body.matchSessionId, match);
    assert.equal(sent.body.results.length, 2);
    const results = async () =>
      (await read(match)).body.players.map((one: MatchPlayer) => [one.placement, one.score, one.outcome]);
    const secondResult = [2 ** 31 - 1, Number.MIN_SAFE_INTEGER, '🎯'.repeat(32)];
    assert.deepEqual(await results(), [[1, Number.MAX_SAFE_INTEGER, 'won'], secondResult]);

    await record(match, [{ matchPlayerId: first, score: 0, placement: null }]);
    assert.deepEqual(await results(), [[null, 0, null], secondResult]);

    for (const result of [
      { placement: 0 },
      { placement: 1.5 },
      { placement: 2 ** 31 },
      { placement: '1' },
      { score: Number.MAX_SAFE_INTEGER + 1 },
      { score: 0.5 },
      { score: '5' },
      { outcome: '' },
      { outcome: 'o'.repeat(33) },
      { outcome: 1 },
    ])
      assert.equal(
        (await record(match, [{ matchPlayerId: first, ...result }])).status,
        400,
        JSON.stringify(result),
      );
    assert.equal((await record(match, [])).status, 400);
    assert.equal((await record(match, [{ placement: 1 }])).status, 400);
    assert.equal(
      (
        await record(
          match,
          Array.from({ length: 1001 }, () => ({ matchPlayerId: first })),
        )
      ).status,
      400,
    );
    const twice = [{ matchPlayerId: first }, { matchPlayerId: first.toUpperCase() }];
    assert.equal((await record(match, twice)).status, 400);
    assert.deepEqual(await results(), [[null, 0, null], secondResult]);
  });

  test('returns 404, lists unknown players and writes nothing', async () => {
    const { match, roster } = await arrangeMatch(1);
    const other = await arrangeMatch(1);
    const stranger = randomUUID();
    const refused = await record(match, [
      { matchPlayerId: roster[0], placement: 1 },
      { matchPlayerId: other.roster[0], placement: 2 },
      { matchPlayerId: stranger, placement: 3 },
    ]);
    assert.equal(refused.status, 404, refused.text);
    assert.deepEqual(
      refused.body.errors.map((error: ItemError) => [error.index, error.matchPlayerId, error.statusCode]),
      [
        [1, other.roster[0], 404],
        [2, stranger, 404],
      ],
    );
    for (const { body } of [await read(match), await read(other.match)])
      assert.equal(body.players[0].placement, null);
  });

  test('serialises concurrent writers of the same results', async () => {
    const { body: created } = await create(await arrangeManyPlayers(500));
    const match = created.matchSessionId;
    const roster: string[] = created.players.map((one: MatchPlayer) => one.matchPlayerId);
    const orders = [roster, roster.toReversed()];
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, writer) =>
          record(
            match,
            orders[writer % 2]!.map((matchPlayerId) => ({ matchPlayerId, score: writer })),
          ),
        ),
      );
      for (const answer of answers) assert.equal(answer.status, 200, answer.text);
      const { body } = await read(match);
      assert.equal(
        new Set(body.players.map((one: MatchPlayer) => one.score)).size,
        1,
        'all results are from the same writer',
      );
    }
  });
});

describe('match endpoints', () => {
  test('let a player with a bearer token act for that player only', async () => {
    const [ada, bob] = await players(2);
    const solo = await create([{ playerId: ada!.playerId }], {}, ada!.caller);
    assert.equal(solo.status, 201, solo.text);
    const match = solo.body.matchSessionId;
    const own = solo.body.players[0].matchPlayerId;
    for (const list of [
      [{ playerId: bob!.playerId }],
      [{ playerId: ada!.playerId }, { playerId: bob!.playerId }],
    ])
      assert.equal((await create(list, {}, ada!.caller)).status, 403);
    assert.equal((await record(match, [{ matchPlayerId: own, score: 5 }], bob!.caller)).status, 403);
    assert.equal((await end(match, bob!.caller)).status, 403);
    assert.equal((await record(match, [{ matchPlayerId: own, score: 5 }], ada!.caller)).status, 200);

    assert.equal((await join(match, { playerId: bob!.playerId }, ada!.caller)).status, 403);
    const joined = await join(match, { playerId: bob!.playerId }, bob!.caller);
    assert.equal(joined.status, 201, joined.text);
    const { matchPlayerId } = joined.body;
    assert.equal((await leave(match, matchPlayerId, ada!.caller)).status, 403);
    assert.equal((await end(match, ada!.caller)).status, 403, 'another player is in the roster');
    const mixed = [{ matchPlayerId: own }, { matchPlayerId }];
    assert.equal((await record(match, mixed, ada!.caller)).status, 403);
    assert.equal((await leave(match, matchPlayerId, bob!.caller)).status, 200);
    assert.equal((await read(match, bob!.caller)).status, 200);
    const refused = await end(match, ada!.caller);
    assert.equal(refused.status, 403, 'another player was in the roster');
    assert.match(refused.body.detail, /let the game server send its game key alone/);
    assert.equal((await end(match)).status, 200);

    const alone = await create([{ playerId: ada!.playerId }], {}, ada!.caller);
    assert.equal((await end(alone.body.matchSessionId, ada!.caller)).status, 200);
  });

  test('show no session, because a game key and the id of a session end the session', async () => {
    const { match, roster } = await arrangeMatch(1);
    const answers = [
      (await read(match)).body.players,
      (await record(match, [{ matchPlayerId: roster[0], score: 1 }])).body.results,
      [(await leave(match, roster[0])).body],
    ];
    for (const [entry] of answers) {
      assert.equal(entry.matchPlayerId, roster[0]);
      assert.equal('loginSessionId' in entry, false);
    }
  });

  test('return 404 for a match of another tenant', async () => {
    const { match, roster } = await arrangeMatch(1);
    const elsewhere = await arrangeTenant(app);
    const foreign = await arrangePlayer(app, elsewhere);
    const caller = { gameKey: elsewhere.gameKey };
    const missing = await read(randomUUID(), caller);
    const answers = [
      await read(match, caller),
      await end(match, caller),
      await leave(match, roster[0], caller),
      await join(match, { playerId: foreign.playerId }, caller),
      await record(match, [{ matchPlayerId: roster[0], score: 1 }], caller),
    ];
    for (const { status, body } of answers)
      assert.deepEqual([status, body.code], [404, 'not_found'], body.instance);
    assert.equal(answers[0]!.body.detail, missing.body.detail);
    const { body } = await read(match);
    assert.deepEqual([body.endedAt, body.players[0].leftAt, body.players[0].score], [null, null, null]);
  });

  test('return 401 without a game key or with an invalid bearer token', async () => {
    const {
      match,
      roster,
      players: [ada],
    } = await arrangeMatch(1);
    const elsewhere = await arrangePlayer(app, await arrangeTenant(app));
    const callers: Caller[] = [
      {},
      { gameKey: 'nonsense' },
      { gameKey: tenant.apiKey },
      { apiKey: tenant.apiKey },
      { bearer: ada!.accessToken },
      { ...server, bearer: 'nonsense' },
      { ...server, bearer: elsewhere.accessToken },
      { ...server, bearer: (await arrangeAccount(app, tenant, 'owner')).bearer },
    ];
    for (const caller of callers) {
      const answers = await Promise.all([
        create([{ playerId: ada!.playerId }], {}, caller),
        join(match, { playerId: ada!.playerId }, caller),
        leave(match, roster[0], caller),
        end(match, caller),
        record(match, [{ matchPlayerId: roster[0] }], caller),
        read(match, caller),
      ]);
      for (const { status } of answers) assert.equal(status, 401, JSON.stringify(caller));
    }
  });
});

describe('a game key with requirePlayerToken', () => {
  const keysPath = `/api/bus_tenants/${tenant.tenantId}/game-keys`;
  const createKey = async (requirePlayerToken: boolean) => {
    const { status, text, body } = await app.http.post(
      keysPath,
      { name: 'client', requirePlayerToken },
      admin,
    );
    assert.equal(status, 201, text);
    return { id: body.id as string, gameKey: body.key as string };
  };
  /** One request to each endpoint of matches. */
  const requestAll = (
    caller: Caller,
    { playerId, match, matchPlayerId }: { playerId: string; match: string; matchPlayerId: string },
  ) =>
    Promise.all([
      create([{ playerId }], {}, caller),
      join(match, { playerId }, caller),
      leave(match, matchPlayerId, caller),
      record(match, [{ matchPlayerId, score: 9 }], caller),
      end(match, caller),
      read(match, caller),
    ]);

  test('refuses every request without the token of a player', async () => {
    const { gameKey } = await createKey(true);
    const scene = await arrangeMatch(1);
    const { playerId } = await arrangePlayer(app, tenant);
    const count = await countMatches(tenant.tenantId);
    const answers = await requestAll(
      { gameKey },
      { playerId, match: scene.match, matchPlayerId: scene.roster[0] },
    );
    for (const { status, body } of answers) {
      assert.deepEqual([status, body.code], [401, 'missing_bearer'], body.instance);
      assert.match(body.detail, /^This game key requires the access token of a player\. /);
    }
    assert.equal(await countMatches(tenant.tenantId), count);
    const { body } = await read(scene.match);
    assert.equal(body.endedAt, null);
    assert.partialDeepStrictEqual(body.players, [{ leftAt: null, score: null }]);
    assert.equal(body.players.length, 1);
  });

  test('lets the player of the token act for that player only', async () => {
    const { gameKey } = await createKey(true);
    const [ada, bob] = (await players(2)).map((one) => ({ ...one, caller: { ...one.caller, gameKey } }));
    const created = await create([{ playerId: ada!.playerId }], {}, ada!.caller);
    assert.equal(created.status, 201, created.text);
    const match = created.body.matchSessionId;
    const matchPlayerId = created.body.players[0].matchPlayerId;

    const asOther = await requestAll(bob!.caller, { playerId: ada!.playerId, match, matchPlayerId });
    assert.deepEqual(
      asOther.map(({ status }) => status),
      [403, 403, 403, 403, 403, 200],
    );
    assert.equal((await leave(match, matchPlayerId, ada!.caller)).status, 200);
    assert.equal((await join(match, { playerId: ada!.playerId }, ada!.caller)).status, 201);
    assert.equal((await record(match, [{ matchPlayerId, score: 5 }], ada!.caller)).status, 200);
    assert.equal((await end(match, ada!.caller)).status, 200);
    assert.equal((await read(match, ada!.caller)).body.players[0].score, 5);

    // The key of the game server works as before.
    const others = { playerId: bob!.playerId, match: (await arrangeMatch(1)).match };
    assert.equal((await create([{ playerId: bob!.playerId }])).status, 201);
    assert.equal((await join(others.match, others)).status, 201);
    assert.equal((await end(others.match)).status, 200);
  });

  test('refuses wrong tokens and those of other tenants', async () => {
    const { gameKey } = await createKey(true);
    const scene = await arrangeMatch(1);
    const elsewhere = await arrangePlayer(app, await arrangeTenant(app));
    const wanted = { playerId: elsewhere.playerId, match: scene.match, matchPlayerId: scene.roster[0] };
    for (const bearer of ['nonsense', elsewhere.accessToken, admin.bearer])
      for (const { status, body } of await requestAll({ gameKey, bearer }, wanted))
        assert.deepEqual([status, body.code], [401, 'invalid_bearer'], body.instance);
    for (const authorization of ['', 'Basic eA==']) {
      const { status, body } = await read(scene.match, { gameKey, headers: { authorization } });
      assert.deepEqual([status, body.code], [401, 'missing_bearer']);
    }
  });

  test('applies a change to a cached key in every process', async () => {
    const other = await startTestApp({ databaseUrl: app.databaseUrl });
    const { id, gameKey } = await createKey(false);
    const { match } = await arrangeMatch(1);
    const status = async ({ http } = app) => (await http.get(`${MATCHES}/${match}`, { gameKey })).status;
    assert.deepEqual([await status(), await status(other)], [200, 200]);
    for (const requirePlayerToken of [true, false]) {
      const changed = await app.http.patch(`${keysPath}/${id}`, { requirePlayerToken }, admin);
      assert.equal(changed.status, 200, changed.text);
      const expected = requirePlayerToken ? 401 : 200;
      assert.equal(await status(), expected);
      await eventually(async () => (await status(other)) === expected);
    }
  });
});
