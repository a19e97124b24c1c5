import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeStoreAPlayer, someStoreAAccount } from '../../../testing/arrange.ts';
import { startStoreAOpenId } from '../../../testing/providers/store-a-openid.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { whileLocked } from '../../../testing/while-locked.ts';

const store = await startStoreAOpenId();
const app = await startTestApp({
  env: {
    STORE_A_OPENID_URL: `${store.url}/`,
    PORTAL_URL: 'https://Portal.example:443/me/',
    TRUST_PROXY: 'on',
  },
});
const RETURN_URL = 'https://portal.example/me/sign-in/store-a';

const someNetwork = () => ({ headers: { 'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.1` } });
const start = (caller: object = someNetwork()) =>
  app.http.post('/api/player-portal-auth/storea/start', undefined, caller);
const exchange = (callbackUrl: unknown) =>
  app.http.post('/api/player-portal-auth/storea/exchange', { callbackUrl });

const link = (options?: { isActive: boolean }) => arrangeStoreAPlayer(app, options);

/** Starts a sign-in, signs in at the store, and returns the callback URL. */
const callbackOf = async (accountId: string) =>
  store.browse((await start()).body.authUrl as string, accountId);

describe('POST /api/player-portal-auth/storea/start', () => {
  test('returns the sign-in URL and its expiry', async () => {
    const answer = await start();
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(Object.keys(answer.body), ['authUrl', 'expiresAt']);
    const minutes = (Date.parse(answer.body.expiresAt) - Date.now()) / 60_000;
    assert.ok(minutes > 9 && minutes <= 10, answer.body.expiresAt);

    const { origin, pathname, searchParams } = new URL(answer.body.authUrl);
    assert.equal(origin + pathname, store.endpoint);
    const { 'openid.return_to': returnTo, ...rest } = Object.fromEntries(searchParams);
    assert.match(returnTo ?? '', /^https:\/\/portal\.example\/me\/sign-in\/store-a\?state=[\w-]{43}$/);
    assert.deepEqual(rest, {
      'openid.ns': 'http://specs.openid.net/auth/2.0',
      'openid.mode': 'checkid_setup',
      'openid.claimed_id': 'http://specs.openid.net/auth/2.0/identifier_select',
      'openid.identity': 'http://specs.openid.net/auth/2.0/identifier_select',
      'openid.realm': 'https://portal.example/me/',
    });
    const state = new URL(returnTo!).searchParams.get('state');
    const { rows } = await app.owner.query('SELECT * FROM store_a_portal_logins');
    assert.ok(
      rows.length > 0 && !JSON.stringify(rows).includes(state!),
      'the state is not stored in plain text',
    );
  });

  test('accepts an empty object and an empty body, and returns 415 for other types', async () => {
    const path = '/api/player-portal-auth/storea/start';
    assert.equal((await app.http.post(path, {}, someNetwork())).status, 200);
    const { headers } = someNetwork();
    const type = (value: string) => ({ headers: { ...headers, 'content-type': value } });
    assert.equal((await app.http.raw('POST', path, '', type('application/json'))).status, 200);
    assert.equal((await app.http.raw('POST', path, 'a=b', type('text/plain'))).status, 415);
  });

  test('limits starts to 100 per network', async () => {
    const network = (end: string) => ({ headers: { 'x-forwarded-for': `2001:db8::${end}` } });
    for (let count = 0; count < 100; count++)
      assert.equal((await start(network(count.toString(16)))).status, 200);
    const refused = await start(network('ffff'));
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await start({ headers: { 'x-forwarded-for': '2001:db8:1::1' } })).status, 200);
  });
});

describe('POST /api/player-portal-auth/storea/exchange', () => {
  test('signs in the player of the linked account', async () => {
    const { accountId, playerId } = await link();
    const began = Date.now();
    const answer = await exchange(await callbackOf(accountId));
    assert.equal(answer.status, 200, answer.text);
    const { accessToken, refreshToken, ...rest } = answer.body;
    assert.deepEqual(rest, { tokenType: 'Bearer', expiresIn: 7200, playerId });
    assert.match(refreshToken, /^gh_portal_/);

    const claims = JSON.parse(Buffer.from(accessToken.split('.')[1], 'base64url').toString());
    assert.deepEqual(
      [claims.sub, claims.tid, claims.auth_type, claims.scope, claims.exp - claims.iat],
      [playerId, null, 'player', 'player', 7200],
    );
    const { rows: sessions } = await app.owner.query('SELECT * FROM portal_sessions WHERE player_id = $1', [
      playerId,
    ]);
    assert.deepEqual(
      sessions.map(({ id, revoked_at }) => [id, revoked_at]),
      [[claims.sid, null]],
    );
    const { rows: methods } = await app.owner.query(
      'SELECT last_used_at FROM auth_methods WHERE player_id = $1',
      [playerId],
    );
    assert.ok(methods[0].last_used_at.getTime() >= began - 1000);
    for (const table of ['login_ledger', 'login_sessions', 'tenant_access'])
      assert.equal(
        (await app.owner.query(`SELECT FROM ${table}`)).rowCount,
        0,
        `${table}: a portal sign-in is no sign-in to a tenant`,
      );
    const [asked] = store.asked.slice(-1);
    assert.equal(asked?.get('openid.mode'), 'check_authentication');
    assert.equal([...asked].length, 10);
  });

  test('returns 401 for an account of no player or a closed player, and creates nothing', async () => {
    const count = async () =>
      (await app.owner.query('SELECT (SELECT count(*) FROM players), (SELECT count(*) FROM portal_sessions)'))
        .rows[0];
    const closed = await link({ isActive: false });
    const before = await count();
    for (const accountId of [someStoreAAccount(), closed.accountId]) {
      const answer = await exchange(await callbackOf(accountId));
      assert.deepEqual([answer.status, answer.body.code], [401, 'invalid_credentials']);
    }
    assert.deepEqual(await count(), before);
  });

  test('uses one connection for ten sign-ins of a player whom another transaction has locked', async () => {
    const [locked, other] = [await link(), await link()];
    const callbacks: string[] = [];
    while (callbacks.length < 10) callbacks.push(await callbackOf(locked.accountId));
    await whileLocked(
      app,
      (holder) => holder.query('SELECT FROM players WHERE id = $1 FOR UPDATE', [locked.playerId]),
      async (waiting, release) => {
        const held = callbacks.map(exchange);
        await waiting(1);
        assert.equal((await exchange(await callbackOf(other.accountId))).status, 200);
        await waiting(1);
        await release();
        for (const { status, text } of await Promise.all(held)) assert.equal(status, 200, text);
      },
    );
  });

  test('ignores an equal account number of another provider or issuer', async () => {
    for (const assignment of [`auth_provider = 'StoreB'`, `issuer = 'x'`]) {
      const { accountId, playerId } = await link();
      await app.owner.query(`UPDATE auth_methods SET ${assignment} WHERE player_id = $1`, [playerId]);
      assert.equal((await exchange(await callbackOf(accountId))).status, 401);
    }
  });

  test('lets one of fifty parallel exchanges of one callback succeed', async () => {
    store.careless = true;
    try {
      const { accountId, playerId } = await link();
      const callbackUrl = await callbackOf(accountId);
      const asked = store.asked.length;
      const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(callbackUrl)));
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, ...Array(49).fill(401)],
      );
      assert.equal(store.asked.length - asked, 1);
      const sessions = await app.owner.query('SELECT FROM portal_sessions WHERE player_id = $1', [playerId]);
      assert.equal(sessions.rowCount, 1);
    } finally {
      store.careless = false;
    }
  });

  test('lets one of twenty parallel exchanges with one nonce succeed', async () => {
    store.careless = true;
    try {
      const { accountId } = await link();
      const response_nonce = `${new Date().toISOString().slice(0, 19)}Zsame`;
      const callbacks = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const returnTo = new URL((await start()).body.authUrl).searchParams.get('openid.return_to')!;
          const identity = `${store.url}/openid/id/${accountId}`;
          const fields = { claimed_id: identity, identity, return_to: returnTo, response_nonce };
          return `${returnTo}&${store.sign(fields).toString()}`;
        }),
      );
      const answers = await Promise.all(callbacks.map((callbackUrl) => exchange(callbackUrl)));
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, ...Array(19).fill(401)],
      );
    } finally {
      store.careless = false;
    }
  });

  test('returns 502 and uses the callback up when the store is unavailable, fails or never ends its response', async () => {
    const { accountId } = await link();
    const failures: Parameters<typeof store.answerNext>[0][] = [
      (response) => void response.writeHead(500).end('is_valid:true'),
      (response) => void response.writeHead(429).end(),
      (response) => void response.end(`is_valid:true\n${'x:y\n'.repeat(2 ** 18)}`),
      (response) => void response.destroy(),
    ];
    for (const failure of failures) {
      const callbackUrl = await callbackOf(accountId);
      store.answerNext(failure);
      const answer = await exchange(callbackUrl);
      assert.deepEqual([answer.status, answer.body.code], [502, 'provider_unavailable'], String(failure));
      assert.equal((await exchange(callbackUrl)).status, 401, 'the callback is used up');
    }
    assert.equal((await exchange(await callbackOf(accountId))).status, 200);
  });

  test('returns 400 when the callback is not a URL', async () => {
    for (const callbackUrl of [
      '',
      'x',
      '/sign-in',
      '?state=x',
      'http://',
      5,
      null,
      undefined,
      [RETURN_URL],
      {},
    ])
      assert.equal((await exchange(callbackUrl)).status, 400, JSON.stringify(callbackUrl));
    const address = (length: number) => `${RETURN_URL}?`.padEnd(length, 'x');
    assert.equal((await exchange(address(16_384))).status, 401);
    assert.equal((await exchange(address(16_385))).status, 400);
    const path = '/api/player-portal-auth/storea/exchange';
    assert.equal((await app.http.post(path)).status, 400);
    assert.equal((await app.http.raw('POST', path, '{"callbackUrl":"http://x/\\u0000"}')).status, 400);
    assert.equal((await app.http.raw('POST', path, '{"callbackUrl":"http://x/\\ud800"}')).status, 400);
  });

  test('returns 422 when StoreA is not configured', async () => {
    const without = await startTestApp({ databaseUrl: app.databaseUrl });
    for (const [step, body] of [
      ['start', undefined],
      ['exchange', { callbackUrl: RETURN_URL }],
    ] as const) {
      const answer = await without.http.post(`/api/player-portal-auth/storea/${step}`, body);
      assert.deepEqual([answer.status, answer.body.code], [422, 'provider_not_available']);
    }
  });
});
