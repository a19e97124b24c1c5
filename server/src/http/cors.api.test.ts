import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangeTenant } from '../testing/arrange.ts';
import { startTestApp } from '../testing/test-app.ts';

const GAME = 'https://play.example';
const app = await startTestApp({ env: { CORS_ORIGINS: `${GAME},https://console.example` } });
const closed = await startTestApp();
const tenant = await arrangeTenant(app);

const HEADERS = [
  'authorization',
  'content-type',
  'idempotency-key',
  'x-api-key',
  'x-game-key',
  'x-identity-proof',
  'x-request-id',
];

/** Sends the preflight request of a browser. */
const preflight = (path: string, method: string, origin = GAME, { http } = app) =>
  http.raw('OPTIONS', path, undefined, {
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': HEADERS.join(','),
    },
  });
const listOf = (header: string | null) => (header ?? '').toLowerCase().split(/, ?/);

describe('a preflight', () => {
  test('allows every method and header of the API for 24 hours', async () => {
    for (const [method, path] of [
      ['POST', '/api/game/player-events'],
      ['PATCH', '/api/player-profile/me'],
      ['PUT', '/api/bus_tenants/x/providers/Mock'],
      ['DELETE', '/api/player-profile/me'],
      ['GET', '/api/player-profile/me'],
    ] as const) {
      const { status, headers } = await preflight(path, method);
      assert.deepEqual([method, status], [method, 204]);
      assert.equal(headers.get('access-control-allow-origin'), GAME);
      assert.ok(listOf(headers.get('access-control-allow-methods')).includes(method.toLowerCase()), method);
      const allowed = listOf(headers.get('access-control-allow-headers'));
      for (const header of HEADERS) assert.ok(allowed.includes(header), header);
      assert.equal(headers.get('access-control-max-age'), '86400');
      assert.ok(headers.get('x-request-id'));
    }
  });

  test('allows nothing to other origins', async () => {
    for (const origin of ['https://evil.example', `${GAME}.evil.example`, 'http://play.example', 'null']) {
      const { headers } = await preflight('/api/game/player-events', 'POST', origin);
      assert.equal(headers.get('access-control-allow-origin'), null, origin);
    }
  });

  test('allows nothing if no origin is configured', async () => {
    const { status, headers } = await preflight('/api/game/player-events', 'POST', GAME, closed);
    assert.deepEqual([status, headers.get('access-control-allow-origin')], [405, null]);
  });
});

describe('a cross-origin response', () => {
  test('exposes the rate limit headers, Retry-After and X-Request-Id', async () => {
    const login = { provider: 'Mock', token: 'mock:ada:secret' };
    const caller = { gameKey: tenant.gameKey, headers: { origin: GAME } };
    for (const [body, status] of [
      [login, 200],
      [{}, 400],
    ] as const) {
      const answer = await app.http.post('/api/player-auth/login', body, caller);
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get('access-control-allow-origin'), GAME);
      const exposed = listOf(answer.headers.get('access-control-expose-headers'));
      for (const header of [
        'x-request-id',
        'retry-after',
        'ratelimit-limit',
        'ratelimit-remaining',
        'ratelimit-reset',
      ])
        assert.ok(exposed.includes(header), header);
    }
  });

  test('returns 404 and 405 as without an origin', async () => {
    const headers = { origin: GAME };
    assert.equal((await app.http.get('/nothing', { headers })).body.code, 'not_found');
    const wrong = await app.http.raw('PUT', '/api/player-auth/login', undefined, { headers });
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'POST']);
  });
});
