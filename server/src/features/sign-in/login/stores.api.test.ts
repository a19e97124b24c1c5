import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangeProvider, arrangeTenant, type TestTenant } from '../../../testing/arrange.ts';
import type { Answer } from '../../../testing/http-client.ts';
import type { Failure } from '../../../testing/providers/stand-in.ts';
import { newStoreAUser, startStoreA } from '../../../testing/providers/store-a.ts';
import { newStoreBUser, startStoreB } from '../../../testing/providers/store-b.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const storeA = await startStoreA();
const storeB = await startStoreB();
const logged: string[] = [];
const env = { STORE_A_URL: storeA.url, STORE_B_URL: storeB.url, LOG_LEVEL: 'silent' };
const app = await startTestApp({
  env: { ...env, LOG_LEVEL: 'trace' },
  log: (line) => void logged.push(line),
});

const storeASettings = { appId: storeA.appId, webApiKey: storeA.webApiKey };
const arrangeStores = async (settings: object = storeASettings): Promise<TestTenant> => {
  const tenant = await arrangeTenant(app, { providers: [] });
  await arrangeProvider(app, tenant, 'StoreA', settings);
  await arrangeProvider(app, tenant, 'StoreB', { clientId: storeB.clientId });
  return tenant;
};
const tenant = await arrangeStores();
const neighbour = await arrangeStores();

const logIn = (provider: string, token: string, caller: object = tenant, { http } = app) =>
  http.post('/api/player-auth/login', { provider, token }, caller);
const refusedWith = (answer: Answer, status: number, code: string, message?: string) =>
  assert.deepEqual([answer.status, answer.body.code], [status, code], message ?? answer.text);
/** Creates a valid token of each store. */
const stores = {
  StoreA: { server: storeA, fresh: () => storeA.ticketOf(newStoreAUser()) },
  StoreB: { server: storeB, fresh: () => storeB.tokenOf(newStoreBUser()) },
} as const;

async function methodOf(playerId: string) {
  const { rows } = await app.owner.query(
    `SELECT auth_provider, issuer, provider_user_id, email, username FROM auth_methods WHERE player_id = $1`,
    [playerId],
  );
  return rows;
}

describe('POST /api/player-auth/login with StoreA and StoreB', () => {
  test('signs the owner of a StoreA ticket in, with digits of any letter case', async () => {
    const userId = newStoreAUser();
    const ticket = storeA.ticketOf(userId);
    const first = await logIn('StoreA', ticket);
    assert.deepEqual([first.status, first.body.isNewPlayer], [200, true], first.text);
    const method = {
      auth_provider: 'StoreA',
      issuer: '',
      provider_user_id: userId,
      email: null,
      username: null,
    };
    assert.deepEqual(await methodOf(first.body.playerId), [method]);

    const second = await logIn('StoreA', ticket.toUpperCase());
    assert.deepEqual([second.body.playerId, second.body.isNewPlayer], [first.body.playerId, false]);
    const another = await logIn('StoreA', storeA.ticketOf(userId));
    assert.equal(another.body.playerId, first.body.playerId, 'a new ticket of the same user');

    const { rows } = await app.owner.query('SELECT auth_provider FROM login_ledger WHERE session_id = $1', [
      first.body.sessionId,
    ]);
    assert.deepEqual(rows, [{ auth_provider: 'store_a' }]);
    const { url } = storeA.requests.find((request) => request.url.searchParams.get('ticket') === ticket)!;
    assert.deepEqual(
      [...url.searchParams.keys()].toSorted(),
      ['appid', 'key', 'ticket'],
      'no identity parameter without a setting',
    );
  });

  test('signs the owner of a StoreB token in', async () => {
    const userId = newStoreBUser();
    const first = await logIn('StoreB', storeB.tokenOf(userId));
    assert.equal(first.status, 200, first.text);
    const method = {
      auth_provider: 'StoreB',
      issuer: '',
      provider_user_id: userId,
      email: null,
      username: null,
    };
    assert.deepEqual(await methodOf(first.body.playerId), [method]);
    assert.equal((await logIn('StoreB', storeB.tokenOf(userId))).body.playerId, first.body.playerId);
  });

  test('returns 401 for StoreA tickets that are invalid, expired, or for another application or identity', async () => {
    const userId = newStoreAUser();
    const refused = {
      unknown: 'ab'.repeat(120),
      expired: storeA.ticketOf(userId, { expired: true }),
      'of another application': storeA.ticketOf(userId, { appId: '481' }),
      'for another identity': storeA.ticketOf(userId, { identity: 'somebody-else' }),
      'of a player whom the publisher has banned': storeA.ticketOf(userId, { publisherBanned: true }),
    };
    for (const [what, ticket] of Object.entries(refused))
      refusedWith(await logIn('StoreA', ticket), 401, 'invalid_credentials', what);
    const exists = { provider: 'StoreA', providerUserId: userId };
    assert.equal((await app.http.post('/api/player-auth/players/exists', exists, tenant)).status, 404);

    const vacBanned = await logIn('StoreA', storeA.ticketOf(userId, { vacBanned: true }));
    assert.equal(vacBanned.status, 200, 'a ban in other games is ignored');
  });

  test('sends the identity from the tenant’s settings to StoreA', async () => {
    const named = await arrangeStores({ ...storeASettings, identity: 'guildhall & co' });
    const userId = newStoreAUser();
    const ticket = storeA.ticketOf(userId, { identity: 'guildhall & co' });
    assert.equal((await logIn('StoreA', ticket, named)).status, 200);
    refusedWith(await logIn('StoreA', ticket), 401, 'invalid_credentials');
    refusedWith(await logIn('StoreA', storeA.ticketOf(userId), named), 401, 'invalid_credentials');
  });

  test('returns 401 for a malformed ticket, without a request to StoreA', async () => {
    const before = storeA.requests.length;
    for (const ticket of [
      'ticket',
      'abc',
      '0xabcd',
      'ab cd',
      'ab\n',
      'ab&appid=1',
      '../../x',
      'é'.repeat(10),
      'ab'.repeat(2561),
    ])
      refusedWith(await logIn('StoreA', ticket), 401, 'invalid_credentials', ticket);
    assert.equal(storeA.requests.length, before);
    refusedWith(await logIn('StoreA', 'ab'.repeat(2560)), 401, 'invalid_credentials');
    assert.equal(storeA.requests.length, before + 1, 'the longest is');
  });

  test('returns 401 for StoreB tokens that are unknown, expired, or of another client or no account', async () => {
    const userId = newStoreBUser();
    const refused = {
      unknown: 'b1~unknown',
      expired: storeB.tokenOf(userId, { expired: true }),
      'of another client': storeB.tokenOf(userId, { clientId: 'another' }),
      'of another client, but for letter case': storeB.tokenOf(userId, {
        clientId: storeB.clientId.toUpperCase(),
      }),
      'of no account': storeB.tokenOf(undefined),
    };
    for (const [what, token] of Object.entries(refused))
      refusedWith(await logIn('StoreB', token), 401, 'invalid_credentials', what);
  });

  test('returns 401 for a malformed bearer token, without a request to StoreB', async () => {
    const before = storeB.requests.length;
    for (const token of ['a b', 'a\r\nX-Admin: 1', 'a\n', 'é', '🐴', 'a=b', '', 'x'.repeat(8193)].filter(
      Boolean,
    ))
      refusedWith(await logIn('StoreB', token), 401, 'invalid_credentials', token);
    assert.equal(storeB.requests.length, before);
    refusedWith(await logIn('StoreB', 'x'.repeat(8192)), 401, 'invalid_credentials');
    assert.equal(storeB.requests.length, before + 1, 'the longest is');
  });

  test('returns 422 when StoreA refuses the tenant’s web API key', async () => {
    const misled = await arrangeStores({ appId: storeA.appId, webApiKey: 'A-WRONG-KEY&format=xml' });
    const answer = await logIn('StoreA', stores.StoreA.fresh(), misled);
    refusedWith(answer, 422, 'provider_not_available');
    assert.match(answer.body.detail, /web API key/);
    assert.equal(storeA.requests.at(-1)?.url.searchParams.get('key'), 'A-WRONG-KEY&format=xml');
    assert.ok(!(logged.join('') + answer.text).includes('A-WRONG-KEY'));
  });

  test('maps one user to one profile in all tenants, and returns 409 on explicit creation', async () => {
    for (const [provider, { fresh }] of Object.entries(stores)) {
      const token = fresh();
      const here = await logIn(provider, token);
      const there = await logIn(provider, token, neighbour);
      assert.deepEqual([there.body.playerId, there.body.isNewPlayer], [here.body.playerId, false]);
      assert.equal(there.body.tenantId, neighbour.tenantId);

      const create = (token: string) =>
        app.http.post('/api/player-auth/players', { provider, token }, tenant);
      refusedWith(await create(token), 409, 'player_exists');
      assert.equal((await create(fresh())).status, 201);
    }
  });

  test('creates one player for sixteen parallel first logins', async () => {
    for (const [provider, { fresh }] of Object.entries(stores)) {
      const token = fresh();
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, index) => logIn(provider, token, index % 2 ? tenant : neighbour)),
      );
      assert.deepEqual(
        answers.map((answer) => answer.status),
        Array(16).fill(200),
      );
      assert.equal(new Set(answers.map((answer) => answer.body.playerId)).size, 1);
      assert.equal(answers.filter((answer) => answer.body.isNewPlayer).length, 1);
    }
  });

  test('returns 502 when a store fails, sends malformed data or disconnects', async () => {
    const other = await startTestApp({ databaseUrl: app.databaseUrl, env });
    for (const [provider, { server, fresh }] of Object.entries(stores)) {
      for (const failure of ['broken', 'page', 'half'] satisfies Failure[]) {
        server.fail(failure);
        const answer = await logIn(provider, fresh(), tenant, other);
        refusedWith(answer, 502, 'provider_unavailable', `${provider} ${failure}`);
        server.fail('never');
      }
      assert.equal((await logIn(provider, fresh(), tenant, other)).status, 200);
    }
  });

  test('returns 502 for undocumented responses', async () => {
    const ok = { result: 'OK', publisherbanned: false };
    const odd: Record<keyof typeof stores, unknown[]> = {
      StoreA: [
        { response: {} },
        { response: null },
        { response: 'OK' },
        { response: { params: 'OK' } },
        { response: { params: { result: true, steamid: '1' } } },
        { response: { params: ok } },
        ...[5, '', 'x', '-1', '1'.repeat(21), null, ['1']].map((steamid) => ({
          response: { params: { ...ok, steamid } },
        })),
      ],
      StoreB: [
        {},
        { active: true },
        { client_id: 5, account_id: 'a' },
        ...[5, '', null, ['a'], 'a\0', '\ud800', 'a'.repeat(256)].map((account_id) => ({
          client_id: storeB.clientId,
          account_id,
        })),
      ],
    };
    for (const [provider, { server, fresh }] of Object.entries(stores)) {
      for (const body of [null, 5, 'x', [], ...odd[provider as keyof typeof stores]]) {
        for (const status of [200, 404]) {
          server.fail({ status, body: JSON.stringify(body) });
          refusedWith(await logIn(provider, fresh()), 502, 'provider_unavailable', JSON.stringify(body));
        }
      }
      for (const body of ['', '{', '[', 'null null']) {
        server.fail({ status: 200, body });
        refusedWith(await logIn(provider, fresh()), 502, 'provider_unavailable', body);
      }
      server.fail('never');
      assert.equal((await logIn(provider, fresh())).status, 200, 'requests to the store are not paused');
    }
    const notOk = { response: { params: { result: 'Failed', steamid: newStoreAUser() } } };
    storeA.fail({ status: 200, body: JSON.stringify(notOk) });
    refusedWith(await logIn('StoreA', stores.StoreA.fresh()), 401, 'invalid_credentials');
    storeA.fail('never');
    storeB.fail({ status: 200, body: '{"active":false}' });
    refusedWith(await logIn('StoreB', stores.StoreB.fresh()), 401, 'invalid_credentials');
    storeB.fail('never');
  });

  test('returns 502 when a store does not respond within five seconds, and pauses requests after five failures', async () => {
    const other = await startTestApp({ databaseUrl: app.databaseUrl, env });
    storeA.fail('hang');
    const first = storeA.requests.length;
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => logIn('StoreA', stores.StoreA.fresh(), tenant, other)),
    );
    for (const answer of answers) refusedWith(answer, 502, 'provider_unavailable');
    assert.equal(storeA.requests.length, first + 5);
    storeA.fail('never');
    refusedWith(await logIn('StoreA', stores.StoreA.fresh(), tenant, other), 502, 'provider_unavailable');
    assert.equal(storeA.requests.length, first + 5, 'no further request');
    assert.equal(
      (await logIn('StoreB', stores.StoreB.fresh(), tenant, other)).status,
      200,
      'the other store is still requested',
    );
  });

  test('returns 422 when the operator has not configured the store', async () => {
    const bare = await startTestApp({ databaseUrl: app.databaseUrl });
    for (const [provider, { fresh }] of Object.entries(stores)) {
      const answer = await logIn(provider, fresh(), tenant, bare);
      refusedWith(answer, 422, 'provider_not_available');
      assert.match(answer.body.detail, /operator/);
    }
    // Nothing listens on port 1.
    const nowhere = { STORE_A_URL: 'http://127.0.0.1:1', STORE_B_URL: 'http://127.0.0.1:1' };
    const astray = await startTestApp({ databaseUrl: app.databaseUrl, env: { ...env, ...nowhere } });
    for (const [provider, { fresh }] of Object.entries(stores))
      refusedWith(await logIn(provider, fresh(), tenant, astray), 502, 'provider_unavailable');
  });

  test('keeps the web API key out of logs, responses and audit records', async () => {
    for (const failure of ['broken', 'page', 'half', 'never'] satisfies Failure[]) {
      storeA.fail(failure);
      await logIn('StoreA', stores.StoreA.fresh());
    }
    const admin = await arrangeAccount(app, tenant, 'admin');
    const path = `/api/bus_tenants/${tenant.tenantId}`;
    const answers = [
      await app.http.get(`${path}/providers`, admin),
      await app.http.get(`${path}/providers/StoreA`, admin),
      await app.http.put(`${path}/providers/StoreA`, { enabled: true }, admin),
      await app.http.get(`${path}/audit-records`, admin),
    ];
    for (const { status, text } of answers) {
      assert.equal(status, 200);
      assert.ok(!text.includes(storeA.webApiKey));
    }
    assert.match(answers[3]!.text, /provider\.updated/);
    const log = logged.join('');
    assert.match(log, /StoreA answered 500/, 'the log contains the cause');
    assert.ok(!log.includes(storeA.webApiKey));
    assert.ok(!log.includes('AuthenticateUserTicket'));
  });
});
