import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { ProblemError } from '../core/problem.ts';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../testing/arrange.ts';
import { eventually } from '../testing/eventually.ts';
import { httpClient } from '../testing/http-client.ts';
import { startTestApp } from '../testing/test-app.ts';
import { createHttpServer } from './server.ts';

const lines: { level: number; operation?: string; msg: string }[] = [];
const texts: string[] = [];
const app = await startTestApp({
  env: { LOG_LEVEL: 'trace' },
  log: (line) => {
    texts.push(line);
    lines.push(JSON.parse(line));
  },
});
const tenant = await arrangeTenant(app);
const [DEBUG, WARN, ERROR] = [20, 40, 50];

describe('log lines', () => {
  test('have the level error for 500, and warn for 502 and 503', async () => {
    const levels = new Map<number, number>();
    const write = (line: string) => {
      const { level, status } = JSON.parse(line);
      if (status) levels.set(status, level);
    };
    const server = await createHttpServer({
      logger: { level: 'trace', stream: { write } },
      trustProxy: false,
      corsOrigins: [],
    });
    for (const code of ['busy', 'provider_unavailable', 'internal_error'] as const)
      server.get(`/${code}`, async () => Promise.reject(new ProblemError(code)));
    const http = httpClient(await server.listen({ port: 0, host: '127.0.0.1' }));
    for (const code of ['busy', 'provider_unavailable', 'internal_error'])
      assert.equal((await http.get(`/${code}`)).body.code, code);
    await server.close();
    assert.deepEqual(Object.fromEntries(levels), { 503: WARN, 502: WARN, 500: ERROR });
  });

  test('are one for each request, with its id, operation, status, time and tenant', async () => {
    const player = await arrangePlayer(app, tenant);
    const admin = await arrangeAccount(app, tenant, 'admin');
    const requests = [
      ['getPlayerProfile', `/api/player-profiles/${player.playerId}`, { gameKey: tenant.gameKey }, 200],
      ['getOwnProfile', '/api/player-profile/me', { bearer: player.accessToken }, 200],
      ['getTenant', `/api/bus_tenants/${tenant.tenantId}`, admin, 200],
      ['getTenant', `/api/bus_tenants/${tenant.tenantId}`, {}, 401],
    ] as const;
    for (const [operation, path, caller, status] of requests) {
      const id = `log-line-${randomUUID()}`;
      const answer = await app.http.get(path, { ...caller, headers: { 'x-request-id': id } });
      assert.equal(answer.status, status, answer.text);
      const ofRequest = () => texts.filter((text) => text.includes(id)).map((text) => JSON.parse(text));
      await eventually(() => ofRequest().length > 0);
      const [line, ...others] = ofRequest();
      assert.deepEqual(others, []);
      const { reqId, operation: named, method, status: answered, ms, tenantId } = line;
      assert.deepEqual(
        { reqId, named, method, answered, tenantId },
        { reqId: id, named: operation, method: 'GET', answered: status, tenantId: tenant.tenantId },
      );
      assert.ok(Number.isInteger(ms));
    }
    const id = `log-line-${randomUUID()}`;
    await app.http.get('/api/bus_tenants/not-an-id', { headers: { 'x-request-id': id } });
    await eventually(() => texts.some((text) => text.includes(id)));
    assert.ok(!texts.join('').includes('not-an-id'));
  });

  test('contain no key, token, password or body', async () => {
    const player = await arrangePlayer(app, tenant, 'hunter2');
    const caller = { gameKey: tenant.gameKey, bearer: player.accessToken };
    await app.http.get('/api/player-profile/me?token=hunter2', caller);
    await app.http.raw('POST', '/api/player-auth/login', '{"token":"hunter2"', caller);
    await app.http.post('/api/player-auth/login', { provider: 'hunter2' }, caller);
    await app.http.post('/api/player-auth/refresh', { refreshToken: player.refreshToken }, caller);
    await app.http.get('/nothing', { gameKey: 'hunter2', headers: { cookie: 'hunter2' } });
    const log = texts.join('');
    assert.ok(
      lines.some(({ level, operation }) => level === DEBUG && operation === 'logInPlayer'),
      'requests are logged',
    );
    for (const secret of [
      'hunter2',
      tenant.gameKey,
      player.accessToken,
      player.refreshToken,
      'wrong password',
    ])
      assert.ok(!log.includes(secret), secret);
  });
});
