import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { newOpaqueToken, visiblePrefix } from '../../../security/opaque-tokens.ts';
import {
  arrangeAccount,
  arrangePlan,
  arrangePlayer,
  arrangeTenant,
  type TestTenant,
} from '../../../testing/arrange.ts';
import { avoidEndOf } from '../../../testing/avoid-end-of.ts';
import type { Answer, Caller } from '../../../testing/http-client.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { commitWhileWaiting } from '../../../testing/while-locked.ts';
import { vault } from '../../../testing/test-vault.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const admin = await arrangeAccount(app, tenant, 'admin');
const server: Caller = { gameKey: tenant.gameKey };
const MATCHES = '/api/game/matches';

const withKey = (caller: Caller, key: string): Caller => ({ ...caller, headers: { 'idempotency-key': key } });
const create = (playerIds: string[], caller: Caller, more: object = {}) =>
  app.http.post(MATCHES, { players: playerIds.map((playerId) => ({ playerId })), ...more }, caller);
const join = (matchSessionId: string, playerId: string, caller: Caller) =>
  app.http.post(`${MATCHES}/${matchSessionId}/join`, { playerId }, caller);
/** The texts of accepted answers. */
const textsOf = (answers: Answer[]) =>
  answers.map(({ status, text }) => {
    assert.equal(status, 201, text);
    return text;
  });
const arrangeMatch = async () => {
  const { playerId } = await arrangePlayer(app, tenant);
  return (await create([playerId], server)).body.matchSessionId as string;
};
const matchesOf = async (playerId: string) =>
  (await app.owner.query('SELECT FROM match_players WHERE player_id = $1', [playerId])).rowCount;
const age = (key: string, interval: string) =>
  app.owner.query(
    'UPDATE idempotency_records SET created_at = now() - $2::interval WHERE idempotency_key = $1',
    [key, interval],
  );
const recordsOf = async (key: string) =>
  (await app.owner.query('SELECT * FROM idempotency_records WHERE idempotency_key = $1', [key])).rows;
const unitsOf = async ({ tenantId }: TestTenant) => {
  const { rows } = await app.owner.query(
    `SELECT coalesce(sum(units), 0)::int AS units
     FROM (SELECT units FROM usage_entries WHERE tenant_id = $1
           UNION ALL SELECT units FROM usage_totals WHERE tenant_id = $1) used`,
    [tenantId],
  );
  return rows[0].units as number;
};

describe('POST /api/game/matches with Idempotency-Key', () => {
  test('creates one match and returns the first response to a repeated request', async () => {
    const { playerId } = await arrangePlayer(app, tenant);
    const key = randomUUID();
    const first = await create([playerId], withKey(server, key), { mode: 'duel', metadata: { b: 1, a: 2 } });
    assert.equal(first.status, 201, first.text);
    const again = await create([playerId.toUpperCase()], withKey(server, key), {
      mode: ' duel ',
      metadata: { b: 1, a: 2 },
    });
    assert.equal(again.status, 201, again.text);
    assert.deepEqual(again.body, first.body);
    assert.equal(await matchesOf(playerId), 1);
  });

  test('creates one match for ten parallel requests and returns the same response to all', async () => {
    for (let round = 0; round < 5; round++) {
      const { playerId } = await arrangePlayer(app, tenant);
      const key = randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => create([playerId], withKey(server, key))),
      );
      for (const { status, text } of answers) {
        assert.equal(status, 201, text);
        assert.equal(text, answers[0]!.text);
      }
      assert.equal(await matchesOf(playerId), 1);
    }
  });

  test('stores the response to a match of 1,000 players', async () => {
    const players = await app.owner.query(
      `WITH player AS (
         INSERT INTO players (id, created_at) SELECT gen_random_uuid(), now() FROM generate_series(1, 1000) RETURNING id),
       access AS (
         INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at)
         SELECT $1, id, now(), now() FROM player),
       session AS (
         INSERT INTO login_sessions (tenant_id, session_id, player_id, started_at, last_seen_at, auth_provider, platform)
         SELECT $1, gen_random_uuid(), id, now(), now(), 'mock', 'Unknown' FROM player)
       SELECT id FROM player`,
      [tenant.tenantId],
    );
    const ids = players.rows.map(({ id }) => id as string);
    const key = randomUUID();
    const first = await create(ids, withKey(server, key));
    assert.equal(first.status, 201, first.text);
    assert.equal((await create(ids, withKey(server, key))).text, first.text);
  });

  test('returns 422 for a different request with the same key and changes nothing', async () => {
    const [ada, eve] = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
    const key = randomUUID();
    const first = await create([ada.playerId], withKey(server, key));
    const before = await unitsOf(tenant);
    for (const [ids, more] of [
      [[eve.playerId], {}],
      [[ada.playerId, eve.playerId], {}],
      [[ada.playerId], { mode: 'duel' }],
    ] as const) {
      const other = await create([...ids], withKey(server, key), more);
      assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'], other.text);
    }
    assert.equal(await matchesOf(eve.playerId), 0);
    assert.equal(await unitsOf(tenant), before, 'a rejected request is not charged');
    assert.deepEqual((await create([ada.playerId], withKey(server, key))).body, first.body);
    assert.equal(await unitsOf(tenant), before + 1, 'a repeated request is charged');
  });

  test('does not store an error response', async () => {
    const { playerId, sessionId, username } = await arrangePlayer(app, tenant);
    await app.http.post('/api/player-auth/logout', { sessionId }, server);
    const key = randomUUID();
    assert.equal((await create([playerId], withKey(server, key))).status, 410);
    assert.deepEqual(await recordsOf(key), []);
    await arrangePlayer(app, tenant, username);
    assert.equal((await create([playerId], withKey(server, key))).status, 201);
  });

  test('stores neither match nor response when the plan is used up at the commit', async () => {
    await avoidEndOf('month');
    const payer = await arrangeTenant(app);
    const { playerId } = await arrangePlayer(app, payer);
    const key = randomUUID();
    // The cached plan of the key is older, so that the request is refused at the commit only.
    await app.owner.query('UPDATE workspaces SET monthly_units = 1, hard_stop = true WHERE id = $1', [
      payer.workspaceId,
    ]);
    const stopped = await create([playerId], withKey(payer, key));
    assert.equal(stopped.body.code, 'quota_exceeded', stopped.text);
    assert.equal(await matchesOf(playerId), 0);
    assert.deepEqual(await recordsOf(key), []);
    await arrangePlan(app, payer, { monthlyUnits: null });
    assert.equal((await create([playerId], withKey(payer, key))).status, 201);
  });

  test('separates the responses of different callers', async () => {
    const player = await arrangePlayer(app, tenant);
    const other = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const elsewhere = await arrangePlayer(app, other, player.username);
    assert.equal(elsewhere.playerId, player.playerId, 'the same player in two tenants');
    const secondKey = newOpaqueToken('game');
    await app.owner.query(
      `INSERT INTO tenant_keys (id, tenant_id, kind, name, prefix, fingerprint) VALUES ($1, $2, 'game', 'second', $3, $4)`,
      [randomUUID(), tenant.tenantId, visiblePrefix(secondKey), vault.fingerprint(secondKey)],
    );
    const callers: Caller[] = [
      server,
      { gameKey: secondKey },
      player.caller,
      { gameKey: other.gameKey },
      elsewhere.caller,
    ];
    const key = randomUUID();
    const createAll = async () => {
      const answers = [];
      for (const caller of callers) answers.push(await create([player.playerId], withKey(caller, key)));
      return textsOf(answers);
    };
    const first = await createAll();
    assert.equal(new Set(first.map((text) => JSON.parse(text).matchSessionId)).size, callers.length);
    assert.deepEqual(await createAll(), first);
  });

  test('separates the responses of different keys and operations of one caller', async () => {
    const { playerId } = await arrangePlayer(app, tenant);
    const match = await arrangeMatch();
    const [key, another] = [randomUUID(), randomUUID()];
    const sendAll = async () =>
      textsOf([
        await create([playerId], withKey(server, key)),
        await create([playerId], withKey(server, another)),
        await join(match, playerId, withKey(server, key)),
      ]);
    const first = await sendAll();
    assert.equal(new Set(first.map((text) => JSON.parse(text).matchSessionId)).size, 3);
    assert.deepEqual(await sendAll(), first);
  });

  test('runs a repeated request again after 24 hours', async () => {
    const { playerId } = await arrangePlayer(app, tenant);
    const key = randomUUID();
    const first = await create([playerId], withKey(server, key));
    await age(key, '23 hours 59 minutes');
    assert.deepEqual((await create([playerId], withKey(server, key))).body, first.body);
    await age(key, '24 hours');
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => create([playerId], withKey(server, key), { mode: 'another' })),
    );
    const ids = new Set(answers.map(({ body }) => body.matchSessionId as string));
    assert.deepEqual([ids.size, ids.has(first.body.matchSessionId)], [1, false]);
    assert.equal(await matchesOf(playerId), 2);
  });

  test('accepts keys of 8 to 128 visible characters and returns 400 for others', async () => {
    const { playerId } = await arrangePlayer(app, tenant);
    for (const key of ['', '1234567', 'x'.repeat(129), 'with a space', 'ümlauts!'])
      assert.equal((await create([playerId], withKey(server, key))).body.code, 'invalid_request', key);
    assert.equal(await matchesOf(playerId), 0);
    for (const key of ['12345678', 'x'.repeat(128), `';DROP--`])
      assert.equal((await create([playerId], withKey(server, key))).status, 201, key);
  });
});

describe('POST /api/game/matches/{matchSessionId}/join with Idempotency-Key', () => {
  test('returns the first response to a repeated request instead of 409', async () => {
    const match = await arrangeMatch();
    const { playerId } = await arrangePlayer(app, tenant);
    const key = randomUUID();
    const first = await join(match, playerId, withKey(server, key));
    assert.equal(first.status, 201, first.text);
    assert.deepEqual((await join(match, playerId, withKey(server, key))).body, first.body);
    assert.equal((await join(match, playerId, withKey(server, randomUUID()))).body.code, 'already_in_match');
    assert.equal((await join(match, playerId, server)).body.code, 'already_in_match');
    const elsewhere = await join(await arrangeMatch(), playerId, withKey(server, key));
    assert.equal(elsewhere.body.code, 'idempotency_key_reused');
  });

  test('returns the same response to parallel repeated requests', async () => {
    const match = await arrangeMatch();
    const { playerId } = await arrangePlayer(app, tenant);
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => join(match, playerId, withKey(server, key))),
    );
    assert.deepEqual(
      new Set(answers.map(({ status, text }) => `${status} ${text}`)),
      new Set([`201 ${answers[0]!.text}`]),
    );
  });

  test('runs a request that waited for a rejected one', async () => {
    const match = await arrangeMatch();
    const { playerId } = await arrangePlayer(app, tenant);
    const key = randomUUID();
    const answers = await commitWhileWaiting(
      app,
      (end) => end.query('UPDATE match_sessions SET ended_at = now() WHERE id = $1', [match]),
      () => Promise.all([1, 2].map(() => join(match, playerId, withKey(server, key)))),
      2,
    );
    for (const { body } of answers) assert.equal(body.code, 'match_ended');
    assert.deepEqual(await recordsOf(key), []);
  });
});

for (const kind of ['game', 'api'] as const) {
  describe(`POST /api/bus_tenants/{tenantId}/${kind}-keys with Idempotency-Key`, () => {
    const path = ({ tenantId }: TestTenant) => `/api/bus_tenants/${tenantId}/${kind}-keys`;

    test('creates one key and returns its secret once', async () => {
      const key = randomUUID();
      const first = await app.http.post(path(tenant), { name: key }, withKey(admin, key));
      assert.equal(first.status, 201, first.text);
      const { key: secret, ...shown } = first.body;
      assert.match(secret, new RegExp(`^gh_${kind}_`));
      const again = await app.http.post(path(tenant), { name: key }, withKey(admin, key));
      assert.equal(again.status, 201, again.text);
      assert.deepEqual(again.body, shown);
      const { rowCount } = await app.owner.query('SELECT FROM tenant_keys WHERE name = $1', [key]);
      assert.equal(rowCount, 1);
      const [record] = await recordsOf(key);
      assert.ok(!JSON.stringify(record).includes(secret.slice(-60)), 'the secret is not stored');
    });

    test('returns the secret to one of ten parallel requests', async () => {
      const key = randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => app.http.post(path(tenant), { name: key }, withKey(admin, key))),
      );
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
      assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
      assert.equal(answers.filter(({ body }) => 'key' in body).length, 1);
    });

    test('checks the role before the idempotency key', async () => {
      const key = randomUUID();
      await app.http.post(path(tenant), { name: key }, withKey(admin, key));
      const viewer = await arrangeAccount(app, tenant, 'viewer');
      const stranger = await arrangeAccount(app, await arrangeTenant(app), 'owner');
      const statuses = [viewer, stranger].map(async (caller) => {
        const { status } = await app.http.post(path(tenant), { name: key }, withKey(caller, key));
        return status;
      });
      assert.deepEqual(await Promise.all(statuses), [403, 404]);
      const colleague = await arrangeAccount(app, tenant, 'admin');
      const own = await app.http.post(path(tenant), { name: key }, withKey(colleague, key));
      assert.ok(own.body.key, 'another account gets a key of its own');
    });
  });
}

describe('the OpenAPI document', () => {
  test('documents the header for each operation that accepts it', async () => {
    const { body } = await app.http.get('/openapi.json');
    const named = Object.values(body.paths as Record<string, Record<string, Operation>>)
      .flatMap((methods) => Object.values(methods))
      .filter(({ parameters = [] }) => parameters.some(({ name }) => name === 'idempotency-key'));
    const ids = named.map(({ operationId }) => operationId);
    assert.deepEqual(ids.toSorted(), [
      'createApiKey',
      'createAssertion',
      'createGameKey',
      'createMatch',
      'joinMatch',
      'refreshAccountSession',
      'refreshPlayerSession',
      'refreshPortalSession',
      'rotatePlatformWebhookSecret',
      'rotateWebhookSecret',
    ]);
    for (const { operationId, parameters, responses } of named) {
      const header = parameters?.find(({ name }) => name === 'idempotency-key');
      assert.deepEqual([header?.in, header?.required ?? false], ['header', false], operationId);
      assert.equal('422' in responses, /Key$|Match$|Secret$/.test(operationId), operationId);
    }
  });
});

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required?: boolean }[];
  responses: object;
}
