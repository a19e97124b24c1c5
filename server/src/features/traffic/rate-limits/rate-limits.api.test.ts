import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { arrangeAccount, arrangePlan, arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import type { Answer, Caller } from '../../../testing/http-client.ts';
import { startTestApp, type TestApp } from '../../../testing/test-app.ts';
import { arrangeWalletPlayer, arrangeWalletTenant, WALLET_ENV } from '../../../testing/wallet-recording.ts';

const app = await startTestApp();
const other = await startTestApp({ databaseUrl: app.databaseUrl });

interface Limits {
  perMinute?: number | null;
  perHour?: number | null;
}

/** A tenant with these limits in its plan and on its keys. */
async function arrangeLimits({ plan, keys }: { plan?: Limits; keys?: Limits } = {}) {
  const tenant = await arrangeTenant(app);
  if (plan)
    await app.owner.query(
      `UPDATE workspaces SET requests_per_minute = coalesce($2, requests_per_minute),
         requests_per_hour = coalesce($3, requests_per_hour) WHERE id = $1`,
      [tenant.workspaceId, plan.perMinute, plan.perHour],
    );
  if (keys)
    await app.owner.query(
      'UPDATE tenant_keys SET requests_per_minute = $2, requests_per_hour = $3 WHERE tenant_id = $1',
      [tenant.tenantId, keys.perMinute, keys.perHour],
    );
  // Each process invalidates its cached keys meanwhile.
  await sleep(50);
  return tenant;
}

const ask = (
  caller: Caller,
  body: unknown = { provider: 'Mock', providerUserId: 'nobody' },
  { http } = app,
) => http.post('/api/player-auth/players/exists', body, { gameKey: caller.gameKey! });
const read = ({ tenantId, apiKey }: { tenantId: string; apiKey: string }) =>
  app.http.get(`/api/bus_tenants/${tenantId}/events?scope=player`, { apiKey });
const limitHeaders = ({ headers }: Answer) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`ratelimit-${name}`)));
const hasHeaders = ({ headers }: Answer) =>
  ['limit', 'remaining', 'reset'].every((name) => /^\d+$/.test(headers.get(`ratelimit-${name}`) ?? ''));

describe('rate limit of a key', () => {
  test('sends the ratelimit headers, and returns 429 for the first request over the limit', async () => {
    const tenant = await arrangeLimits({ plan: { perMinute: 3 } });
    for (const [send, success] of [
      [() => ask(tenant), 404],
      [() => read(tenant), 200],
    ] as const) {
      const began = performance.now();
      for (const remaining of [2, 1, 0]) {
        const answer = await send();
        assert.equal(answer.status, success);
        const [limit, left, reset] = limitHeaders(answer);
        assert.deepEqual([limit, left], [3, remaining]);
        const seconds = (performance.now() - began) / 1000;
        assert.ok(reset! >= 60 - seconds && reset! <= 60, `${reset} after ${seconds} s`);
        assert.equal(answer.headers.get('retry-after'), null);
      }
      const refused = await send();
      assert.equal(refused.status, 429);
      assert.equal(refused.body.code, 'rate_limited');
      assert.match(refused.body.detail, /3 requests per minute/);
      const [limit, left, reset] = limitHeaders(refused);
      assert.deepEqual([limit, left], [3, 0]);
      assert.equal(refused.headers.get('retry-after'), String(reset));
      assert.match(refused.headers.get('content-type') ?? '', /^application\/problem\+json/);
    }
  });

  test('admits exactly the limit of concurrent requests, per minute and per hour', async () => {
    for (const keys of [{ perMinute: 20 }, { perMinute: 1_000, perHour: 20 }]) {
      const tenant = await arrangeLimits({ keys });
      const answers = await Promise.all(Array.from({ length: 100 }, () => ask(tenant)));
      assert.equal(answers.filter(({ status }) => status === 404).length, 20);
      assert.equal(answers.filter(({ status }) => status === 429).length, 80);
    }
  });

  test('counts admitted requests in the hour, and returns its end in retry-after', async () => {
    const tenant = await arrangeLimits({ keys: { perMinute: 2, perHour: 2 } });
    await ask(tenant);
    assert.deepEqual(limitHeaders(await ask(tenant)).slice(0, 2), [2, 0]);
    const refused = await ask(tenant);
    assert.ok(Number(refused.headers.get('retry-after')) > 3_500);
    assert.match(refused.body.detail, /2 requests per hour/);
  });

  test('uses the lower limit of key and plan, for the minute and the hour separately', async () => {
    const plan = { perMinute: 4, perHour: 7 };
    const limitOf = async (keys?: Limits) =>
      limitHeaders(await ask(await arrangeLimits({ plan, ...(keys && { keys }) })))[0];
    assert.equal(await limitOf(), 4);
    assert.equal(await limitOf({ perMinute: null, perHour: null }), 4);
    assert.equal(await limitOf({ perMinute: 3, perHour: null }), 3);
    assert.equal(await limitOf({ perMinute: 5, perHour: null }), 4, 'the plan has the lower limit');
    assert.equal(await limitOf({ perMinute: null, perHour: 9 }), 4);
    assert.equal(await limitOf({ perMinute: null, perHour: 3 }), 3);
    assert.equal(await limitOf({ perMinute: 2, perHour: 1 }), 1);
  });

  test('is counted for each key separately', async () => {
    const tenant = await arrangeLimits({ keys: { perMinute: 1 } });
    assert.equal((await ask(tenant)).status, 404);
    assert.equal((await ask(tenant)).status, 429);
    assert.equal((await read(tenant)).status, 200);
    assert.equal((await ask(await arrangeLimits({ keys: { perMinute: 1 } }))).status, 404);
  });

  test('is checked after the credential and before the request', async () => {
    const tenant = await arrangeLimits({ keys: { perMinute: 1 } });
    const bad = await ask({ gameKey: `${tenant.gameKey.slice(0, -1)}x` });
    assert.deepEqual([bad.status, hasHeaders(bad)], [401, false]);

    const invalid = await ask(tenant, { provider: 5 });
    assert.deepEqual([invalid.status, hasHeaders(invalid)], [400, true], 'an invalid request is counted');
    for (const send of [
      () => ask(tenant, { provider: 5 }),
      () => app.http.raw('POST', '/api/player-auth/login', '{', tenant),
      () =>
        app.http.raw('POST', '/api/player-auth/login', 'x', {
          ...tenant,
          headers: { 'content-type': 'text/plain' },
        }),
      () => app.http.get('/api/game/matches/x', { gameKey: tenant.gameKey }),
    ])
      assert.equal((await send()).status, 429);
  });

  test('sends the ratelimit headers with every later refusal', async () => {
    const tenant = await arrangeLimits();
    const { gameKey, apiKey } = tenant;
    const foreign = await arrangeTenant(app);
    const answers = {
      401: await app.http.post('/api/game/player-events', { events: [] }, { gameKey, bearer: 'x' }),
      403: await app.http.post(
        '/api/player-auth/jwt/exchange',
        { audience: 'x' },
        {
          gameKey,
          bearer: (await arrangeAccount(app, tenant, 'owner')).bearer,
        },
      ),
      404: await app.http.get(`/api/bus_tenants/${foreign.tenantId}/events?scope=player`, { apiKey }),
      413: await app.http.raw('POST', '/api/player-auth/login', ' '.repeat(2 ** 20 + 1), { gameKey }),
      415: await app.http.raw('POST', '/api/player-auth/login', 'x', {
        gameKey,
        headers: { 'content-type': 'text/plain' },
      }),
      422: await app.http.post('/api/player-auth/login', { provider: 'StoreB', token: 'x' }, { gameKey }),
    };
    for (const [status, answer] of Object.entries(answers)) {
      assert.equal(answer.status, Number(status), answer.text);
      assert.ok(hasHeaders(answer), status);
    }
  });

  test('counts a request with several credentials once', async () => {
    const tenant = await arrangeLimits({ keys: { perMinute: 50 } });
    const player = await arrangePlayer(app, tenant);
    const left = async (answer: Promise<Answer>) => limitHeaders(await answer)[1];
    const events = { events: [] };
    const { gameKey, apiKey } = tenant;
    assert.equal(await left(app.http.post('/api/game/player-events', events, player.caller)), 48);
    assert.equal(await left(app.http.get('/api/game/matches/x', player.caller)), 47);
    assert.equal(await left(app.http.get(`/api/player-profiles/${player.playerId}`, { gameKey })), 46);
    assert.equal(
      await left(app.http.post('/api/player-auth/jwt/exchange', { audience: 'x' }, player.caller)),
      45,
    );
    const account = await arrangeAccount(app, tenant, 'owner');
    const path = `/api/bus_tenants/${tenant.tenantId}/events?scope=player`;
    assert.equal(await left(app.http.get(path, { apiKey })), 49);

    for (const both of [
      await app.http.get(`/api/player-profiles/${player.playerId}`, { gameKey, apiKey }),
      await app.http.get(path, { apiKey, bearer: account.bearer }),
    ])
      assert.deepEqual(
        [both.status, hasHeaders(both)],
        [400, false],
        'the server verifies neither credential',
      );
    assert.deepEqual([limitHeaders(await ask(tenant))[1], limitHeaders(await read(tenant))[1]], [44, 48]);
  });

  test('counts requests without a key for the account, player or network', async () => {
    const tenant = await arrangeLimits({ keys: { perMinute: 2 } });
    const player = await arrangePlayer(app, tenant);
    const account = await arrangeAccount(app, tenant, 'owner');
    const { gameKey, apiKey } = tenant;
    for (const send of [
      () => app.http.get(`/api/bus_tenants/${tenant.tenantId}`, { ...account, gameKey }),
      () => app.http.get(`/api/bus_tenants/${tenant.tenantId}/events?scope=player`, account),
      () => app.http.get('/api/player-profile/me', { bearer: player.accessToken, gameKey }),
      () => app.http.get(`/api/public/player-profiles/${player.playerId}`, { gameKey, apiKey }),
    ]) {
      const answer = await send();
      assert.deepEqual([answer.status, limitHeaders(answer)[0]], [200, 10_000_000]);
    }
    assert.equal(limitHeaders(await ask(tenant))[1], 0, 'the key counts its sign-in and this request');
  });

  test('applies a changed plan or key at once, and in other processes after their notification', async () => {
    const tenant = await arrangeLimits({ plan: { perMinute: 100 } });
    const owner = await arrangeAccount(app, tenant, 'owner');
    const limitAt = async (process: TestApp) => limitHeaders(await ask(tenant, undefined, process))[0];
    for (const process of [app, other]) assert.equal(await limitAt(process), 100);

    await arrangePlan(app, tenant, { rateLimit: { perMinute: 50 } });
    assert.equal(await limitAt(app), 50);
    await eventually(async () => (await limitAt(other)) === 50);

    const keys = `/api/bus_tenants/${tenant.tenantId}/game-keys`;
    const { id } = (await app.http.get(keys, owner)).body.items[0];
    const change = (rateLimit: unknown) => app.http.patch(`${keys}/${id}`, { rateLimit }, owner);
    assert.equal((await change({ perMinute: 1, perHour: null })).status, 200);
    assert.equal((await ask(tenant)).status, 429, 'earlier requests count');
    await eventually(async () => (await ask(tenant, undefined, other)).status === 429);
    assert.equal((await change(null)).status, 200);
    assert.equal(await limitAt(app), 50);
  });

  test('shows refusals in the metrics', async () => {
    const tenant = await arrangeLimits({ keys: { perMinute: 1 } });
    for (let request = 0; request < 2; request++) await read(tenant);
    const { text } = await app.http.get('/metrics');
    assert.match(text, /guildhall_rate_limited_requests_total\{kind="api",window="minute"\} \d/);
    assert.ok(!text.includes('guildhall_redis_up'), 'this server has no Redis');
  });
});

describe('rate limit of requests without a key', () => {
  test('admits a burst of a console, then returns 429 with Retry-After to this account only', async () => {
    const limited = await startTestApp({
      env: { ACCOUNT_RATE_LIMIT: '5', NETWORK_RATE_LIMIT: '100' },
    });
    const { http } = limited;
    const tenant = await arrangeTenant(limited);
    const [account, colleague] = await Promise.all([
      arrangeAccount(limited, tenant, 'owner'),
      arrangeAccount(limited, tenant, 'admin'),
    ]);
    const path = `/api/bus_tenants/${tenant.tenantId}`;
    const burst = await Promise.all(Array.from({ length: 50 }, () => http.get(path, account)));
    assert.deepEqual(new Set(burst.map(({ status }) => status)), new Set([200]));
    const refused = await http.get(path, account);
    assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited']);
    assert.match(refused.body.detail, /This account may send 50 requests per 10 seconds/);
    const [limit, remaining, reset] = limitHeaders(refused);
    assert.deepEqual([limit, remaining], [50, 0]);
    assert.equal(refused.headers.get('retry-after'), String(reset));
    assert.equal((await http.get(path, colleague)).status, 200);
    assert.equal((await http.get('/api/player-profile/me', account)).status, 401, 'no token of a player');
    const ofKey = await http.get(`${path}/events?scope=player`, { apiKey: tenant.apiKey });
    assert.deepEqual([ofKey.status, limitHeaders(ofKey)[0]], [200, 60_000]);
  });

  test('limits each player, and each wallet-linked player whose request has no key', async () => {
    const limited = await startTestApp({ env: { ...WALLET_ENV, ACCOUNT_RATE_LIMIT: '5' } });
    const { http } = limited;
    const tenant = await arrangeWalletTenant(limited);
    const profile = '/api/player-profile/me';
    const walletPath = '/api/BlockchainStorage/players/1';
    const playing = await arrangeTenant(limited);
    const [player, friend] = [
      (await arrangePlayer(limited, playing)).accessToken,
      (await arrangePlayer(limited, playing)).accessToken,
    ];
    const [wallet, rival] = [
      await arrangeWalletPlayer(limited, tenant),
      await arrangeWalletPlayer(limited, tenant),
    ];
    for (const [path, bearer, another] of [
      [profile, player, friend],
      [walletPath, wallet.bearer, rival.bearer],
    ] as const) {
      const burst = await Promise.all(Array.from({ length: 50 }, () => http.get(path, { bearer })));
      assert.deepEqual(new Set(burst.map(({ status }) => status)), new Set([200]), path);
      assert.equal((await http.get(path, { bearer })).status, 429, path);
      assert.equal((await http.get(path, { bearer: another })).status, 200, path);
    }
    const withKey = { gameKey: tenant.gameKey, bearer: wallet.bearer };
    assert.equal((await http.get(walletPath, withKey)).status, 200);
  });

  test('counts an export as 30 requests', async () => {
    const limited = await startTestApp({ env: { ACCOUNT_RATE_LIMIT: '5' } });
    const { http } = limited;
    const tenant = await arrangeTenant(limited);
    const account = await arrangeAccount(limited, tenant, 'owner');
    const exported = () =>
      http.get(`/api/bus_tenants/${tenant.tenantId}/events/export?scope=player`, account);
    const first = await exported();
    assert.deepEqual([first.status, ...limitHeaders(first).slice(0, 2)], [200, 50, 20]);
    const refused = await exported();
    assert.equal(refused.status, 429);
    assert.match(refused.body.detail, /This request counts as 30\./);
    const cheap = await http.get(`/api/bus_tenants/${tenant.tenantId}`, account);
    assert.deepEqual([cheap.status, limitHeaders(cheap)[1]], [200, 19]);
  });

  test('limits a network, even with wrong tokens and forged key headers, but not health checks and keys', async () => {
    const limited = await startTestApp({ env: { NETWORK_RATE_LIMIT: '5' } });
    const { http } = limited;
    const tenant = await arrangeTenant(limited);
    const open = () => http.get('/.well-known/jwks.json', { gameKey: 'ignored' });
    const statuses = new Set<number>();
    for (let request = 0; request < 24; request++) {
      statuses.add((await http.get('/api/workspaces', { bearer: 'wrong' })).status);
      statuses.add((await open()).status);
    }
    assert.deepEqual(statuses, new Set([401, 200]));
    await open();
    await open();
    for (const answer of [
      await open(),
      await http.get('/api/workspaces', { bearer: 'wrong', gameKey: 'x' }),
    ]) {
      assert.deepEqual([answer.status, answer.body.code], [429, 'rate_limited']);
      assert.match(answer.body.detail, /This network may send 50 requests/);
    }
    assert.equal((await http.get('/health/ready')).status, 200);
    assert.equal((await ask(tenant, undefined, limited)).status, 404);
  });
});
