import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../testing/arrange.ts';
import { startTestApp } from '../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const { apiKey, gameKey } = tenant;
const { body: document } = await app.http.get('/openapi.json');
const operations = Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
);
const NO_ID = '01900000-0000-7000-8000-000000000000';
const NO_STORE = 'no-store';

describe('Cache-Control', () => {
  test('is no-store in the answers of all operations of the API', async () => {
    const ofApi = operations.filter(({ path }) => path.startsWith('/api/'));
    assert.ok(ofApi.length > 150);
    for (const { method, path } of ofApi) {
      const url = path.replaceAll(/\{\w+\}/g, NO_ID);
      for (const caller of [{}, { gameKey, apiKey }]) {
        const { status, headers } = await app.http.raw(method, url, undefined, caller);
        assert.equal(headers.get('cache-control'), NO_STORE, `${method} ${url} ${status}`);
      }
    }
  });

  test('is no-store in answers to keys and tokens, to HEAD, and in errors', async () => {
    const account = await arrangeAccount(app, tenant, 'owner');
    const { caller, playerId } = await arrangePlayer(app, tenant);
    const player = { bearer: caller.bearer };
    const ofTenant = `/api/bus_tenants/${tenant.tenantId}`;
    for (const [status, path, by] of [
      [200, `/api/player-profiles/${playerId}`, { gameKey }],
      [200, `/api/public/player-profiles/${playerId}`, {}],
      [200, '/api/player-profile/me', player],
      [200, '/api/player-profile/me/export', player],
      [200, `${ofTenant}/event-definitions/export`, account],
      [200, '/api/workspaces', account],
      [404, '/api/nothing', {}],
      [404, '/api/%E0', {}],
      [400, '/api/workspaces?limit=x', account],
    ] as const)
      for (const method of ['GET', 'HEAD']) {
        const answer = await app.http.raw(method, path, undefined, by);
        if (path !== '/api/%E0') assert.equal(answer.status, status, `${method} ${path} ${answer.text}`);
        assert.equal(answer.headers.get('cache-control'), NO_STORE, `${method} ${path}`);
      }
    const login = await app.http.post(
      '/api/player-auth/login',
      { provider: 'Mock', token: 'mock:a:b' },
      { gameKey },
    );
    assert.equal(login.headers.get('cache-control'), NO_STORE);
    const wrongMethod = await app.http.delete('/api/player-auth/login');
    assert.deepEqual([wrongMethod.status, wrongMethod.headers.get('cache-control')], [405, NO_STORE]);
  });

  test('is no-store for each spelling of a path', async () => {
    const { playerId } = await arrangePlayer(app, tenant);
    const { port } = new URL(app.url);
    for (const path of [
      `/%61pi/player-profiles/${playerId}`,
      `http://guildhall.test/api/player-profiles/${playerId}`,
    ]) {
      const sent = get({ port, path, headers: { 'x-game-key': gameKey }, agent: false });
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      answer.resume();
      assert.deepEqual([answer.statusCode, answer.headers['cache-control']], [200, NO_STORE], path);
    }
  });

  test('stays as the route sets it outside of the API', async () => {
    for (const [path, value] of [
      ['/.well-known/jwks.json', 'public, max-age=300'],
      ['/openapi.json', 'no-cache'],
    ] as const)
      assert.equal((await app.http.get(path)).headers.get('cache-control'), value, path);
    assert.equal((await app.http.get('/health/live')).headers.get('cache-control'), NO_STORE);
  });
});
