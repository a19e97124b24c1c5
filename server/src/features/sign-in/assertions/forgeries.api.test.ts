import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
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

/** Endpoints that accept bearer tokens, each with a valid token and the status for it. */
const endpoints: Record<
  string,
  { validToken: string; status: number; send(bearer: string): Promise<Answer> }
> = {
  exchange: { validToken: accessToken, status: 200, send: exchange },
  validate: {
    validToken: assertion,
    status: 200,
    send: (bearer) =>
      app.http.post('/api/player-auth/jwt/validate', { audience: 'web' }, { gameKey, bearer }),
  },
  'a game endpoint': {
    validToken: accessToken,
    status: 400,
    send: (bearer) => app.http.post('/api/game/player-events', { events: [] }, { gameKey, bearer }),
  },
  'a console endpoint': {
    validToken: accountToken,
    status: 200,
    send: (bearer) => app.http.get(`/api/bus_tenants/${tenant.tenantId}`, { bearer }),
  },
};

describe('endpoints with a bearer token', () => {
  for (const [name, { validToken, status, send }] of Object.entries(endpoints)) {
    test(`returns 401 for every forged token: ${name}`, async () => {
      assert.equal((await send(validToken)).status, status, 'the issued token');
      assert.equal(
        (await send(forge(validToken, {}))).status,
        status,
        'a token that this test signs without a fault',
      );
      for (const [fault, token] of Object.entries({
        ...forgeries(validToken),
        'a player’s refresh token': refreshToken,
      })) {
        const answer = await send(token);
        assert.deepEqual([fault, answer.status, answer.body.code], [fault, 401, 'invalid_bearer']);
      }
    });
  }

  test('returns 401 for an assertion without exactly one audience', async () => {
    const { send } = endpoints['validate']!;
    for (const aud of [undefined, null, ['web'], ['web', 'shop'], 5, {}])
      assert.equal((await send(forge(assertion, { aud }))).status, 401, JSON.stringify(aud));
  });

  test('returns 403 for a wrong kind of token on token endpoints, and 401 on others', async () => {
    const wrong: [endpoint: string, token: string, status: number][] = [
      ['exchange', assertion, 403],
      ['exchange', accountToken, 403],
      ['exchange', forge(accessToken, { tid: null, sid: null }), 403],
      ['validate', accessToken, 403],
      ['validate', accountToken, 403],
      ['validate', forge(accessToken, { tid: null, sid: null }), 403],
      ['a game endpoint', assertion, 401],
      ['a game endpoint', accountToken, 401],
      ['a console endpoint', assertion, 401],
      ['a console endpoint', accessToken, 401],
    ];
    for (const [endpoint, token, status] of wrong) {
      const answer = await endpoints[endpoint]!.send(token);
      const code = status === 403 ? 'wrong_token_scope' : 'invalid_bearer';
      assert.deepEqual([endpoint, answer.status, answer.body.code], [endpoint, status, code]);
    }
  });
});
