import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { EMPTY_GUID } from '../../../core/ids.ts';
import {
  arrangeAccount,
  arrangeKeyWithoutData,
  arrangePlayer,
  arrangeTenant,
  type TestTenant,
} from '../../../testing/arrange.ts';
import type { Caller } from '../../../testing/http-client.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const neighbour = await startTestApp({ databaseUrl: app.databaseUrl });
const tenant = await arrangeTenant(app);
const game: Caller = { gameKey: tenant.gameKey };
const dataKey: Caller = { apiKey: tenant.apiKey };

const one = (id: string, caller: Caller = game, at = app) =>
  at.http.get(`/api/player-profiles/${id}`, caller);
const many = (playerIds: unknown, caller: Caller = dataKey) =>
  app.http.post('/api/player-profiles/bulk', { playerIds }, caller);
const inPublic = (id: string, at = app) => at.http.get(`/api/public/player-profiles/${id}`);

/** Inserts a player of the tenant without a sign-in. */
async function arrangeProfile(visibility = 'limited', at: TestTenant = tenant): Promise<string> {
  const id = randomUUID();
  await app.owner.query(
    `INSERT INTO players (id, display_name, profile_visibility, created_at) VALUES ($1, 'Ada', $2, now())`,
    [id, visibility],
  );
  await play(id, at);
  return id;
}

const play = (id: string, { tenantId }: TestTenant, lastSeenAt = '2026-11-20T10:00:00Z') =>
  app.owner.query(
    'INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at) VALUES ($1, $2, $3, $3)',
    [tenantId, id, lastSeenAt],
  );
const set = (id: string, change: string) =>
  app.owner.query(`UPDATE players SET ${change} WHERE id = $1`, [id]);

/** Merges two profiles in one transaction. */
async function merge(source: string, target: string): Promise<void> {
  const client = await app.owner.connect();
  await client.query('BEGIN');
  await client.query('UPDATE tenant_access SET player_id = $2 WHERE player_id = $1', [source, target]);
  await client.query(
    'UPDATE players SET is_active = false, is_back_merged = true, merged_into_id = $2 WHERE id = $1',
    [source, target],
  );
  await client.query('COMMIT');
  client.release();
}

/** Repeats a request with several clients. The returned function stops them and returns all answers. */
function keepRequesting<Result>(
  context: TestContext,
  send: () => Promise<Result>,
  clients = 4,
): () => Promise<Result[]> {
  const results: Result[] = [];
  let stopped = false;
  const running = Array.from({ length: clients }, async () => {
    while (!stopped) results.push(await send());
  });
  const stop = async () => {
    stopped = true;
    await Promise.all(running);
    return results;
  };
  context.after(stop);
  return stop;
}

describe('GET /api/player-profiles/{playerId}', () => {
  test('finds a player after the first sign-in, like the bulk and the public lookup', async () => {
    const ada = await arrangePlayer(app, tenant);
    await arrangePlayer(app, tenant, ada.username);
    const summary = {
      id: ada.playerId,
      displayName: ada.username,
      avatarUrl: null,
      profileVisibility: 'limited',
    };
    assert.deepEqual((await one(ada.playerId)).body, summary);
    assert.deepEqual((await one(ada.playerId, dataKey)).body, summary);
    assert.deepEqual((await inPublic(ada.playerId)).body, { ...summary, games: [] });
    const { tenantAccess, ...item } = (await many([ada.playerId])).body.items[0];
    assert.deepEqual(item, summary);
    const { firstSeenAt, lastSeenAt, ...access } = tenantAccess[0];
    assert.deepEqual(access, { tenantId: tenant.tenantId, tenantRole: 'player', loginCount: 2 });
    assert.ok(Date.parse(firstSeenAt) < Date.parse(lastSeenAt) && lastSeenAt.endsWith('Z'));
  });

  test('accepts an id in any letter case, and returns 404 for other text', async () => {
    const id = await arrangeProfile('full');
    for (const read of [one, inPublic]) {
      assert.equal((await read(id.toUpperCase())).body.id, id);
      for (const bad of [
        'x',
        `${id}0`,
        `{${id}}`,
        `urn:uuid:${id}`,
        EMPTY_GUID,
        'bulk',
        'me',
        '%20',
        '%2e%2e',
      ])
        assert.deepEqual(
          [bad, (await read(bad)).status, (await read(bad)).body.code],
          [bad, 404, 'not_found'],
        );
      assert.equal((await read(`${id}%00`)).status, 400);
      assert.equal((await read('%ff')).status, 400);
    }
  });

  test('returns 401 for a wrong key before it validates the request', async () => {
    const id = await arrangeProfile('full');
    const wrong: [Caller, string][] = [
      [{ gameKey: 'nonsense' }, 'invalid_game_key'],
      [{ gameKey: tenant.apiKey }, 'invalid_game_key'],
      [{ apiKey: 'nonsense' }, 'invalid_api_key'],
      [{ apiKey: tenant.gameKey }, 'invalid_api_key'],
      [{ headers: { 'x-game-key': '' } }, 'missing_game_key'],
      [{ bearer: (await arrangePlayer(app, tenant)).accessToken }, 'missing_game_key'],
      [{ bearer: (await arrangeAccount(app, tenant, 'owner')).bearer }, 'missing_game_key'],
    ];
    for (const [caller, code] of wrong) {
      for (const asked of [id, randomUUID(), 'x'])
        assert.deepEqual([(await one(asked, caller)).body.code, asked], [code, asked]);
      for (const body of [[id], 'nonsense']) assert.equal((await many(body, caller)).status, 401);
    }
  });

  test('returns 400 for two keys, even if both are invalid', async () => {
    for (const [gameKey, apiKey] of [
      [tenant.gameKey, tenant.apiKey],
      ['nonsense', 'nonsense'],
      [tenant.gameKey, 'nonsense'],
    ]) {
      const caller: Caller = { headers: { 'x-game-key': gameKey!, 'x-api-key': apiKey! } };
      for (const answer of [await one(randomUUID(), caller), await many([], caller)])
        assert.deepEqual([answer.status, answer.body.code], [400, 'conflicting_credentials']);
    }
  });

  test('returns 403 to a key without data access, until the access is granted', async () => {
    const [keyed, apiKey] = [await arrangeTenant(app), await arrangeKeyWithoutData(app, tenant.tenantId)];
    const ids = [await arrangeProfile(), await arrangeProfile('private'), randomUUID()];
    for (const id of [...ids, await arrangeProfile('full', keyed)])
      assert.deepEqual((await one(id, { apiKey })).body.code, 'data_api_not_allowed');
    assert.equal((await many(ids, { apiKey })).body.code, 'data_api_not_allowed');
    assert.equal(
      (await many('nonsense', { apiKey })).body.code,
      'invalid_request',
      'the body is validated first',
    );
    await app.owner.query('UPDATE tenant_keys SET allow_data_api = true WHERE tenant_id = $1', [
      tenant.tenantId,
    ]);
    await eventually(async () => (await one(ids[0]!, { apiKey })).status === 200);
  });

  test('follows a long chain of merges, and returns 404 for a cycle', async () => {
    const chain: string[] = [];
    for (let link = 0; link < 50; link++) chain.push(await arrangeProfile());
    for (const [index, id] of chain.entries()) {
      if (index > 0)
        await app.owner.query('DELETE FROM tenant_access WHERE player_id = $1', [chain[index - 1]]);
      if (index > 0) await merge(chain[index - 1]!, id);
    }
    assert.equal((await one(chain[0]!)).body.id, chain.at(-1));
    assert.equal((await inPublic(chain[0]!)).body.id, chain.at(-1));

    await set(chain.at(-1)!, `merged_into_id = '${chain[10]}'`);
    const self = await arrangeProfile();
    await set(self, `merged_into_id = '${self}'`);
    for (const id of [chain[0]!, chain[30]!, chain.at(-1)!, self]) {
      assert.equal((await one(id)).status, 404);
      assert.equal((await inPublic(id)).status, 404);
      assert.deepEqual((await many([id])).body.notFound, [id]);
    }
  });

  test('has no route for the profile of another player under /api/player-profile', async () => {
    const id = await arrangeProfile('full');
    for (const caller of [game, dataKey, {}, (await arrangePlayer(app, tenant)).caller]) {
      const answer = await app.http.get(`/api/player-profile/${id}`, caller);
      assert.equal(answer.status, 404);
      assert.match(answer.body.detail, /^The API has no such path\./);
    }
    const posted = await app.http.post(`/api/player-profiles/${id}`, {}, game);
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
  });
});

describe('POST /api/player-profiles/bulk', () => {
  test('accepts up to 100 ids', async () => {
    const ids = Array.from({ length: 101 }, () => randomUUID());
    assert.equal((await many(ids.slice(0, 100))).status, 200);
    assert.equal((await many(ids)).body.code, 'invalid_request');
    const repeated = Array.from({ length: 101 }, () => ids[0]);
    assert.equal((await many(repeated)).status, 400);
    for (const wrong of [undefined, null, 'x', {}, ['x'], [5], [null], [[ids[0]]], [`${ids[0]} `], ids[0]])
      assert.equal((await many(wrong)).body.code, 'invalid_request', JSON.stringify(wrong));
    const post = (body: string, headers = {}) =>
      app.http.raw('POST', '/api/player-profiles/bulk', body, { ...dataKey, headers });
    assert.equal((await post('{')).body.code, 'malformed_json');
    assert.equal((await post('[]')).status, 400);
    assert.equal((await post('{}', { 'content-type': 'text/xml' })).status, 415);
    assert.equal((await post(`{"playerIds": [${' '.repeat(1_100_000)}]}`)).status, 413);
  });

  test('returns the numbers of requested, processed and returned ids', async () => {
    const [ada, bob, secret] = [
      await arrangeProfile(),
      await arrangeProfile('full'),
      await arrangeProfile('private'),
    ];
    const missing = randomUUID();
    const { body } = await many([
      bob,
      EMPTY_GUID,
      missing,
      ada.toUpperCase(),
      ada,
      secret,
      missing.toUpperCase(),
      bob,
      EMPTY_GUID,
    ]);
    assert.deepEqual(
      body.items.map(({ id }: { id: string }) => id),
      [bob, ada],
    );
    assert.deepEqual(body.notFound, [missing, secret]);
    assert.deepEqual([body.requestedCount, body.processedCount, body.returnedCount], [9, 4, 2]);
    const nothing = { items: [], notFound: [], processedCount: 0, returnedCount: 0 };
    assert.deepEqual((await many([])).body, { ...nothing, requestedCount: 0 });
    assert.deepEqual((await many([EMPTY_GUID])).body, { ...nothing, requestedCount: 1 });
  });

  test('returns a merged player once per id, in the order of the request', async () => {
    const [first, second, third, bob] = [
      await arrangeProfile(),
      await arrangeProfile(),
      await arrangeProfile(),
      await arrangeProfile(),
    ];
    await app.owner.query('DELETE FROM tenant_access WHERE player_id = ANY($1)', [[first, second]]);
    await merge(first, second);
    await merge(second, third);
    const { body } = await many([first, bob, third, second]);
    assert.deepEqual(
      body.items.map(({ id }: { id: string }) => id),
      [third, bob, third, third],
    );
    assert.deepEqual([body.processedCount, body.returnedCount], [4, 4]);
  });
});

describe('GET /api/public/player-profiles/{playerId}', () => {
  test('lists games by the last visit, without hidden and disabled ones', async () => {
    const id = await arrangeProfile('full');
    const [early, late, hidden, closed, disguised] = await Promise.all(
      Array.from({ length: 5 }, () => arrangeTenant(app)),
    );
    await play(id, early!, '2026-11-19T10:00:00Z');
    await play(id, late!, '2026-11-20T10:00:00.000001Z');
    for (const one of [hidden, closed, disguised]) await play(id, one!, '2026-11-21T10:00:00Z');
    const games = async () =>
      (await inPublic(id)).body.games.map(({ gameId }: { gameId: string }) => gameId) as string[];
    assert.equal((await games()).length, 6);
    await app.owner.query('UPDATE tenants SET hidden_from_discovery = true WHERE id = $1', [
      hidden!.tenantId,
    ]);
    await app.owner.query('UPDATE tenants SET disabled_at = now() WHERE id = $1', [closed!.tenantId]);
    await app.owner.query(
      'UPDATE tenant_access SET hidden_from_discovery = true WHERE tenant_id = $1 AND player_id = $2',
      [disguised!.tenantId, id],
    );
    assert.deepEqual(await games(), [late!.tenantId, tenant.tenantId, early!.tenantId]);
  });

  test('looks at 1,000 tenants of a player, and lists at most 200 games', async () => {
    const { workspaceId, tenantId } = await arrangeTenant(app);
    const id = await arrangeProfile('full', { ...tenant, tenantId });
    await app.owner.query('UPDATE tenants SET hidden_from_discovery = true WHERE id = $1', [tenantId]);
    const playElsewhere = (count: number, isHidden: boolean) =>
      app.owner.query(
        `WITH made AS (
           INSERT INTO tenants (id, workspace_id, name, slug, hidden_from_discovery)
           SELECT gen_random_uuid(), $1, 'x', gen_random_uuid(), $4 FROM generate_series(1, $3) RETURNING id)
         INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at)
         SELECT id, $2, now(), now() FROM made`,
        [workspaceId, id, count, isHidden],
      );
    const countGames = async () => (await inPublic(id)).body.games.length;
    await playElsewhere(998, true);
    await playElsewhere(1, false);
    assert.equal(await countGames(), 1);
    // Rows with the same player are in the order of their insertion.
    await playElsewhere(1, false);
    assert.equal(await countGames(), 1);
    await app.owner.query('UPDATE tenants SET hidden_from_discovery = false WHERE workspace_id = $1', [
      workspaceId,
    ]);
    assert.equal(await countGames(), 200, 'a profile shows 200 of them');
  });
});

describe('a lookup during changes', () => {
  test('sees each change immediately, on every process', async (context) => {
    const [id, target] = [await arrangeProfile(), await arrangeProfile()];
    const stops = [app, neighbour].flatMap((at) => [
      keepRequesting(context, () => one(id, game, at), 2),
      keepRequesting(context, () => one(id, dataKey, at), 2),
      keepRequesting(context, () => inPublic(id, at), 2),
    ]);
    const hide = (column: boolean) =>
      app.owner.query('UPDATE tenant_access SET hidden_from_discovery = $2 WHERE player_id = $1', [
        id,
        column,
      ]);
    const leave = 'DELETE FROM tenant_access WHERE player_id = $1';
    /** Each change, and what the three lookups return after it: the name, or the status of an error. */
    const changes: [change: () => Promise<unknown>, game: unknown, apiKey: unknown, everybody: unknown][] = [
      [async () => {}, 'Ada', 'Ada', 'Ada'],
      [() => set(id, `profile_visibility = 'private'`), undefined, 404, 404],
      [() => set(id, `profile_visibility = 'full'`), 'Ada', 'Ada', 'Ada'],
      [() => set(id, `display_name = 'Eve'`), 'Eve', 'Eve', 'Eve'],
      [() => hide(true), 'Eve', 404, 'Eve'],
      [() => hide(false), 'Eve', 'Eve', 'Eve'],
      [() => app.owner.query(leave, [id]), 404, 404, 'Eve'],
      [() => play(id, tenant), 'Eve', 'Eve', 'Eve'],
      [() => app.owner.query(leave, [target]).then(() => merge(id, target)), 'Ada', 'Ada', 'Ada'],
      [() => set(target, 'is_active = false'), 404, 404, 404],
    ];
    for (let round = 0; round < 2; round++) {
      for (const [index, [change, ...expected]] of changes.entries()) {
        await change();
        for (const at of [app, neighbour]) {
          const answers = await Promise.all([one(id, game, at), one(id, dataKey, at), inPublic(id, at)]);
          const seen = answers.map(({ status, body }) => (status === 200 ? body.displayName : status));
          assert.deepEqual(seen, expected, `after change ${index}`);
        }
      }
      await app.owner.query('UPDATE tenant_access SET player_id = $1 WHERE player_id = $2', [id, target]);
      await set(
        id,
        `is_active = true, merged_into_id = NULL, display_name = 'Ada', profile_visibility = 'limited'`,
      );
      await set(target, 'is_active = true');
      await play(target, tenant);
    }
    for (const stop of stops) {
      const statuses = new Set((await stop()).map(({ status }) => status));
      assert.deepEqual(statuses.difference(new Set([200, 404])), new Set());
    }
  });

  test('finds the source or the target of a concurrent merge', async (context) => {
    for (let round = 0; round < 10; round++) {
      const [source, target] = [await arrangeProfile(), await arrangeProfile()];
      await app.owner.query('DELETE FROM tenant_access WHERE player_id = $1', [target]);
      const stops = [one, (id: string) => one(id, dataKey), inPublic].map((read) =>
        keepRequesting(context, () => read(source)),
      );
      await sleep(20);
      await merge(source, target);
      assert.equal((await one(source)).body.id, target);
      for (const stop of stops) {
        for (const { body, text } of await stop()) assert.ok([source, target].includes(body.id), text);
      }
    }
  });

  test('never returns the name of a private profile', async (context) => {
    const id = await arrangeProfile();
    const stops = [game, dataKey].map((caller) => keepRequesting(context, () => one(id, caller)));
    const stopBulk = keepRequesting(context, () => many([id]));
    for (let round = 0; round < 50; round++) {
      await set(id, `display_name = 'secret', profile_visibility = 'private'`);
      await set(id, `display_name = 'open', profile_visibility = 'limited'`);
    }
    const answers = [...(await Promise.all(stops.map((stop) => stop()))), await stopBulk()].flat();
    assert.ok(answers.some(({ body }) => body.profileVisibility === 'private'));
    assert.ok(answers.some(({ body }) => body.displayName === 'open'));
    for (const { text } of answers) assert.ok(!text.includes('secret'), text);
  });
});
