import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrangePlayer, arrangeTenant } from '../../testing/arrange.ts';
import { startTestApp } from '../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const login = (body: object, caller = {}) =>
  app.http.post(
    '/api/player-auth/login',
    { provider: 'Mock', token: 'mock:ada:secret', ...body },
    { gameKey: tenant.gameKey, ...caller },
  );

test('a first login creates the player, a second one finds them', async () => {
  const first = await login({});
  assert.equal(first.status, 200, first.text);
  assert.equal(first.body.isNewPlayer, true);
  assert.equal(first.body.tokenType, 'Bearer');
  assert.equal(first.body.expiresIn, 7200);
  assert.equal(first.body.tenantId, tenant.tenantId);

  const second = await login({});
  assert.equal(second.body.isNewPlayer, false);
  assert.equal(second.body.playerId, first.body.playerId);
  assert.notEqual(second.body.sessionId, first.body.sessionId);
});

test('sixteen first sign-ins at once make one player and no error', async () => {
  const token = 'mock:stampede:secret';
  const deviceInfo = { deviceFingerprint: 'f'.repeat(16) };
  const answers = await Promise.all(Array.from({ length: 16 }, () => login({ token, deviceInfo })));
  assert.deepEqual(
    answers.map((answer) => answer.status),
    Array(16).fill(200),
  );
  assert.equal(new Set(answers.map((answer) => answer.body.playerId)).size, 1);
  assert.equal(answers.filter((answer) => answer.body.isNewPlayer).length, 1);
});

test('refresh rotates, and logout ends it', async () => {
  const player = await arrangePlayer(app, tenant);
  const refreshed = await app.http.post(
    '/api/player-auth/refresh',
    { refreshToken: player.refreshToken },
    tenant,
  );
  assert.equal(refreshed.status, 200, refreshed.text);
  const again = await app.http.post(
    '/api/player-auth/refresh',
    { refreshToken: player.refreshToken },
    tenant,
  );
  assert.equal(again.status, 401);
  const logout = await app.http.post(
    '/api/player-auth/logout',
    { sessionId: player.sessionId },
    { gameKey: tenant.gameKey },
  );
  assert.equal(logout.status, 200, logout.text);
  const repeated = await app.http.post(
    '/api/player-auth/logout',
    { sessionId: player.sessionId },
    { gameKey: tenant.gameKey },
  );
  assert.deepEqual(repeated.body, logout.body);
  const dead = await app.http.post(
    '/api/player-auth/refresh',
    { refreshToken: refreshed.body.refreshToken },
    tenant,
  );
  assert.equal(dead.status, 401);
});
