import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { createForger } from '../../../testing/forgeries.ts';
import type { Answer } from '../../../testing/http-client.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const { accessToken, refreshToken } = await arrangePlayer(app, tenant);
const { bearer: accountToken } = await arrangeAccount(app, tenant, 'owner');
const { gameKey } = tenant;
const { forge, forgeries } = await createForger(app);

const exchange = (bearer: string) =>
  app.http.post('/api/player-auth/jwt/exchange', { audience: 'web' }, { gameKey, bearer });
const assertion = (await exchange(accessToken)).body.assertionToken as string;

/** Doors that take bearer tokens: which token opens each, and what an open one answers. */
const doors: Record<string, { key: string; opens: number; enter(bearer: string): Promise<Answer> }> = {
  exchange: { key: accessToken, opens: 200, enter: exchange },
  validate: {
    key: assertion,
    opens: 200,
    enter: (bearer) =>
      app.http.post('/api/player-auth/jwt/validate', { audience: 'web' }, { gameKey, bearer }),
  },
  'a game endpoint': {
    key: accessToken,
    opens: 400,
    enter: (bearer) => app.http.post('/api/game/player-events', { events: [] }, { gameKey, bearer }),
  },
  'a dashboard endpoint': {
    key: accountToken,
    opens: 200,
    enter: (bearer) => app.http.get(`/api/bus_tenants/${tenant.tenantId}`, { bearer }),
  },
};

for (const [name, { key, opens, enter }] of Object.entries(doors)) {
  test(`no forgery opens the door: ${name}`, async () => {
    assert.equal((await enter(key)).status, opens, 'the real token does');
    assert.equal(
      (await enter(forge(key, {}))).status,
      opens,
      'and so does what this test signs without a fault',
    );
    for (const [fault, token] of Object.entries({
      ...forgeries(key),
      'a player’s refresh token': refreshToken,
    })) {
      const answer = await enter(token);
      assert.deepEqual([fault, answer.status, answer.body.code], [fault, 401, 'invalid_bearer']);
    }
  });
}

test('an assertion for nobody, or for several, is none', async () => {
  const { enter } = doors['validate']!;
  for (const aud of [undefined, null, ['web'], ['web', 'shop'], 5, {}])
    assert.equal((await enter(forge(assertion, { aud }))).status, 401, JSON.stringify(aud));
});

test('a token of another kind opens no door: 403 where the door is about tokens, 401 elsewhere', async () => {
  const wrong: [door: string, token: string, status: number][] = [
    ['exchange', assertion, 403],
    ['exchange', accountToken, 403],
    ['exchange', forge(accessToken, { tid: null, sid: null }), 403],
    ['validate', accessToken, 403],
    ['validate', accountToken, 403],
    ['validate', forge(accessToken, { tid: null, sid: null }), 403],
    ['a game endpoint', assertion, 401],
    ['a game endpoint', accountToken, 401],
    ['a dashboard endpoint', assertion, 401],
    ['a dashboard endpoint', accessToken, 401],
  ];
  for (const [door, token, status] of wrong) {
    const answer = await doors[door]!.enter(token);
    const code = status === 403 ? 'wrong_token_scope' : 'invalid_bearer';
    assert.deepEqual([door, answer.status, answer.body.code], [door, status, code]);
  }
});
