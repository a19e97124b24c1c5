import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlayer, arrangeTenant, type TestTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app, { autoCreate: true });
const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId, autoCreate: true });
const admin = await arrangeAccount(app, tenant, 'admin');

type Player = Awaited<ReturnType<typeof arrangePlayer>>;

const read = (path: string, { tenantId } = tenant) =>
  app.http.get(`/api/bus_tenants/${tenantId}/${path}`, admin);

async function merge(source: Player, target: Player): Promise<void> {
  const { status, text } = await app.http.post(
    '/api/player-profile/me/merge',
    {
      sourceProfileId: source.playerId,
      sourceProvider: 'Mock',
      sourceAuthToken: `mock:${source.username}:secret`,
    },
    { bearer: target.accessToken },
  );
  assert.equal(status, 200, text);
}

/** Creates a match of players, with the matchPlayerId of each. */
async function arrangeMatch(players: Player[], caller: object = tenant) {
  const { status, body, text } = await app.http.post(
    '/api/game/matches',
    { players: players.map(({ playerId }) => ({ playerId })) },
    caller,
  );
  assert.equal(status, 201, text);
  const { matchSessionId } = body as { matchSessionId: string };
  const matchPlayerIds = body.players.map(
    (entry: { matchPlayerId: string }) => entry.matchPlayerId,
  ) as string[];
  return { matchSessionId, matchPlayerIds, matchPlayerId: matchPlayerIds[0]! };
}

const eventOf = (actor: object) => ({
  ...actor,
  eventKey: 'playerId' in actor ? 'step' : 'shot',
  value: 1,
  idempotencyKey: randomUUID(),
  occurredAt: new Date(Date.now() - 60_000).toISOString(),
});

async function sendEvents(player: Player, match: Awaited<ReturnType<typeof arrangeMatch>>, at = tenant) {
  const caller = { gameKey: at.gameKey, bearer: player.accessToken };
  const { matchSessionId, matchPlayerId } = match;
  for (const [path, event] of [
    ['player-events', eventOf({ playerId: player.playerId })],
    ['events', eventOf({ matchSessionId, matchPlayerId })],
  ] as const) {
    const { status, text } = await app.http.post(`/api/game/${path}`, { events: [event] }, caller);
    assert.equal(status, 201, text);
  }
}

/** A player who was noted, banned and unbanned, and who then played a match and sent an event of each scope. */
async function arrangeHistory(at: TestTenant = tenant) {
  const { username, playerId } = await arrangePlayer(app, at);
  const path = `/api/bus_tenants/${at.tenantId}/players/${playerId}`;
  assert.equal((await app.http.post(`${path}/notes`, { text: 'cheats' }, admin)).status, 201);
  assert.equal((await app.http.post(`${path}/ban`, { reason: 'cheats' }, admin)).status, 201);
  assert.equal((await app.http.delete(`${path}/ban`, admin)).status, 204);
  const player = await arrangePlayer(app, at, username);
  const match = await arrangeMatch([player], at);
  await sendEvents(player, match, at);
  return { ...player, match };
}

/** The numbers of records that the studio finds about a player. */
async function found(playerId: string, at: TestTenant = tenant) {
  const count = async (path: string): Promise<number> => {
    const { status, body, text } = await read(path, at);
    assert.equal(status, 200, text);
    return body.items.length;
  };
  const lines = async (scope: string): Promise<number> =>
    (await read(`events/export?scope=${scope}&playerId=${playerId}`, at)).text.split('\n').length - 1;
  const summed = async (scope: string): Promise<number> => {
    const { body } = await read(`events/summary?scope=${scope}&bucket=hour&playerId=${playerId}`, at);
    return body.items.reduce((sum: number, item: { count: number }) => sum + item.count, 0);
  };
  const queried = async (scope: string): Promise<number> => {
    const range = { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date().toISOString() };
    const { status, body, text } = await app.http.post(
      `/api/bus_tenants/${at.tenantId}/queries`,
      { scope, ...range, where: { playerIds: [playerId] } },
      { apiKey: at.apiKey },
    );
    assert.equal(status, 200, text);
    return body.rows[0].events;
  };
  return {
    matches: await count(`matches?playerId=${playerId}`),
    audit: await count(`audit-records?targetId=${playerId}`),
    events: Object.fromEntries(
      await Promise.all(
        ['player', 'match'].map(async (scope) => [
          scope,
          [
            await count(`events?scope=${scope}&playerId=${playerId}`),
            await lines(scope),
            await summed(scope),
            await queried(scope),
          ],
        ]),
      ),
    ),
  };
}

const historyOf = (players: number, audit: number) => ({
  matches: players,
  audit,
  events: { player: Array(4).fill(players), match: Array(4).fill(players) },
});
const NOTHING = historyOf(0, 0);

describe('what the studio finds about a player after a merge', () => {
  test('includes what the player did under the merged profile', async () => {
    const source = await arrangeHistory();
    assert.deepEqual(await found(source.playerId), historyOf(1, 3));
    const target = await arrangePlayer(app, tenant);
    await sendEvents(target, await arrangeMatch([target]));
    await merge(source, target);

    // The fourth record is that of the merge.
    for (const { playerId } of [target, source]) assert.deepEqual(await found(playerId), historyOf(2, 4));
    const { body } = await read(`players/${target.playerId}`);
    assert.deepEqual(body.mergedProfileIds, [source.playerId]);
    const { items } = (await read(`events?scope=player&playerId=${target.playerId}`)).body;
    assert.deepEqual(
      items.map(({ playerId }: Player) => playerId).toSorted(),
      [source.playerId, target.playerId].toSorted(),
      'rows keep the id under which they were written',
    );
  });

  test('finds bans and notes with the id of the merged profile too', async () => {
    const source = await arrangeHistory();
    const target = await arrangePlayer(app, tenant);
    await merge(source, target);
    for (const list of ['bans', 'notes']) {
      const expected = await read(`players/${target.playerId}/${list}`);
      assert.equal(expected.body.items.length, 1, expected.text);
      const { status, body, text } = await read(`players/${source.playerId}/${list}`);
      assert.equal(status, 200, text);
      assert.deepEqual(body, expected.body);
      const elsewhere = await read(`players/${source.playerId}/${list}`, sibling);
      assert.deepEqual([elsewhere.status, elsewhere.body.code], [404, 'player_not_found']);
    }
  });

  test('includes the profiles of earlier merges', async () => {
    const first = await arrangeHistory();
    const [second, third] = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
    await merge(first, second);
    await merge(second, third);
    for (const { playerId } of [first, second, third])
      assert.deepEqual(await found(playerId), historyOf(1, 5));
    const { body } = await read(`players/${first.playerId}`);
    assert.deepEqual(
      [body.playerId, body.mergedProfileIds],
      [third.playerId, [first.playerId, second.playerId].toSorted()],
    );
  });

  test('names the source in the audit record, in tenants that know it', async () => {
    const [source, target] = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
    await arrangePlayer(app, sibling, target.username);
    await merge(source, target);
    const detailsIn = async (at: TestTenant) => {
      const { body } = await read(
        `audit-records?action=player.profiles_merged&targetId=${target.playerId}`,
        at,
      );
      return body.items.map(({ details }: { details: object }) => details);
    };
    assert.deepEqual(await detailsIn(tenant), [{ sourceProfileId: source.playerId }]);
    assert.deepEqual(await detailsIn(sibling), [{}]);
  });

  test('lists a match of both profiles once, and pages over the matches of both', async () => {
    const [source, target] = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
    const expected: string[] = [];
    for (const players of [[source], [source, target], [target], [source]])
      expected.unshift((await arrangeMatch(players)).matchSessionId);
    await merge(source, target);
    const listed: string[] = [];
    for (let cursor: string | undefined, hasMore = true; hasMore;) {
      const page = cursor ? `&cursor=${cursor}` : '';
      const { body } = await read(`matches?limit=1&playerId=${target.playerId}${page}`);
      listed.push(...body.items.map((match: { matchSessionId: string }) => match.matchSessionId));
      ({ nextCursor: cursor, hasMore } = body);
    }
    assert.deepEqual(listed, expected);
  });

  test('pages over the audit records of both profiles', async () => {
    const source = await arrangeHistory();
    const target = await arrangeHistory();
    await merge(source, target);
    const query = `audit-records?targetId=${target.playerId}`;
    const whole = (await read(query)).body.items;
    const listed: unknown[] = [];
    for (let cursor: string | undefined, hasMore = true; hasMore;) {
      const { body } = await read(`${query}&limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      listed.push(...body.items);
      ({ nextCursor: cursor, hasMore } = body);
    }
    assert.equal(listed.length, 7);
    assert.deepEqual(listed, whole);
    assert.equal((await read(`${query}&action=player.banned`)).body.items.length, 2);
  });

  test('counts events once if a query names several profiles of a player', async () => {
    const source = await arrangeHistory();
    const target = await arrangePlayer(app, tenant);
    await merge(source, target);
    for (const scope of ['player', 'match']) {
      const { body } = await app.http.post(
        `/api/bus_tenants/${tenant.tenantId}/queries`,
        {
          scope,
          from: new Date(Date.now() - 3_600_000).toISOString(),
          to: new Date().toISOString(),
          where: { playerIds: [source.playerId, target.playerId, target.playerId] },
          groupBy: ['playerId'],
        },
        { apiKey: tenant.apiKey },
      );
      assert.deepEqual(
        body.rows.map(({ playerId, events }: { playerId: string; events: number }) => [playerId, events]),
        [[source.playerId, 1]],
      );
    }
  });

  test('includes no profile that only other tenants know', async () => {
    const elsewhere = await arrangeTenant(app, { workspaceId: tenant.workspaceId, autoCreate: true });
    const source = await arrangeHistory(elsewhere);
    const target = await arrangePlayer(app, tenant);
    await merge(source, target);
    const { body } = await read(`players/${target.playerId}`);
    assert.deepEqual(body.mergedProfileIds, []);
    // The record of the merge.
    assert.deepEqual(await found(target.playerId), historyOf(0, 1));
    assert.deepEqual(await found(source.playerId), NOTHING, 'the id does not lead to the player');
    assert.deepEqual((await read(`players/${target.playerId}`, elsewhere)).body.mergedProfileIds, [
      source.playerId,
    ]);
    assert.deepEqual(await found(target.playerId, elsewhere), historyOf(1, 4));
  });
});

describe('a player client after a merge', () => {
  test('finishes the match of the merged profile, and sends its waiting events', async () => {
    const [source, target] = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
    const { matchSessionId, matchPlayerId } = await arrangeMatch([source], source.caller);
    await merge(source, target);
    const path = `/api/game/matches/${matchSessionId}`;
    const { caller } = target;
    const results = [{ matchPlayerId, placement: 1 }];
    assert.equal((await app.http.put(`${path}/results`, { results }, caller)).status, 200);
    assert.equal((await app.http.post(`${path}/leave`, { matchPlayerId }, caller)).status, 200);
    assert.equal((await app.http.post(`${path}/end`, undefined, caller)).status, 200);
    for (const [endpoint, event] of [
      ['player-events', eventOf({ playerId: source.playerId })],
      ['events', eventOf({ matchSessionId, matchPlayerId })],
    ] as const) {
      const send = () => app.http.post(`/api/game/${endpoint}`, { events: [event] }, caller);
      const { status, body, text } = await send();
      assert.equal(status, 201, text);
      assert.deepEqual([body.records.length, body.errors], [1, []]);
      const again = await send();
      assert.deepEqual([again.body.records, again.body.duplicateCount], [[], 1], 'a replay is a duplicate');
    }
    assert.equal(
      (await read(`events?scope=player&playerId=${target.playerId}`)).body.items[0].playerId,
      source.playerId,
    );
  });

  test('returns 403 for other players, and for the player that absorbed the profile of the token', async () => {
    const [source, target, other] = [
      await arrangePlayer(app, tenant),
      await arrangePlayer(app, tenant),
      await arrangePlayer(app, tenant),
    ];
    const match = await arrangeMatch([target]);
    const mixed = await arrangeMatch([source, other]);
    const ofOther = await arrangeMatch([other]);
    await merge(source, target);
    const cases = [
      { caller: target.caller, actor: other, ...ofOther },
      { caller: other.caller, actor: source, ...mixed },
      // The token of the source works until it expires.
      { caller: source.caller, actor: target, ...match },
    ];
    for (const { caller, actor, matchSessionId, matchPlayerId } of cases) {
      const path = `/api/game/matches/${matchSessionId}`;
      const answers = [
        await app.http.put(`${path}/results`, { results: [{ matchPlayerId, placement: 1 }] }, caller),
        await app.http.post(`${path}/leave`, { matchPlayerId }, caller),
        await app.http.post(`${path}/end`, undefined, caller),
      ];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [403, 403, 403],
      );
      for (const [endpoint, event] of [
        ['player-events', eventOf({ playerId: actor.playerId })],
        ['events', eventOf({ matchSessionId, matchPlayerId })],
      ] as const) {
        const { status, body } = await app.http.post(`/api/game/${endpoint}`, { events: [event] }, caller);
        assert.deepEqual([status, body.errors[0].statusCode], [422, 403]);
      }
    }
    assert.equal(
      (await app.http.post(`/api/game/matches/${mixed.matchSessionId}/end`, undefined, target.caller)).status,
      403,
      'somebody else is in the match',
    );
  });

  test('cannot act for the profile in a tenant that does not know it', async () => {
    const [source, target] = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
    const { accessToken } = await arrangePlayer(app, sibling, target.username);
    await merge(source, target);
    const { status, body } = await app.http.post(
      '/api/game/player-events',
      { events: [eventOf({ playerId: source.playerId })] },
      { gameKey: sibling.gameKey, bearer: accessToken },
    );
    assert.deepEqual([status, body.errors[0].statusCode], [422, 403]);
  });
});
