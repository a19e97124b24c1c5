import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangePlayer, arrangeTenant } from '../../testing/arrange.ts';
import { loginDataOf } from '../../testing/ledger-data.ts';
import { startTestApp } from '../../testing/test-app.ts';
import { arrangeWalletPlayer, arrangeWalletTenant, WALLET_ENV } from '../../testing/wallet-recording.ts';

const app = await startTestApp({ env: WALLET_ENV });
const tenant = await arrangeTenant(app, { autoCreate: true });
const game = { gameKey: tenant.gameKey };

const LOGIN = '/api/player-auth/login';
const credential = '"provider":"Mock","token":"mock:ada:secret"';

describe('members called __proto__ or constructor', () => {
  test('are ignored, even with escaped letters', async () => {
    for (const member of [
      '"__proto__":{"provider":"StoreA"}',
      '"__proto__":null',
      '"\\u005f_proto__":{"provider":"StoreA"}',
      '"constructor":{"prototype":{"provider":"StoreA"}}',
      '"constr\\u0075ctor":{"prototype":{}}',
      '"constructor":5',
    ]) {
      const answer = await app.http.raw('POST', LOGIN, `{${member},${credential}}`, game);
      assert.deepEqual([member, answer.status], [member, 200]);
    }
    assert.equal(({} as { provider?: string }).provider, undefined);
  });

  test('do not replace a missing member', async () => {
    const answer = await app.http.raw('POST', LOGIN, `{"__proto__":{${credential}}}`, game);
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_request']);
  });

  test('are not stored with metadata', async () => {
    const metadata = '{"car":"red","__proto__":{"a":1},"nested":[{"constructor":{"prototype":{}},"b":2}]}';
    const clientInfo = `{"platform":"Other","clientBuild":"proto","metadata":${metadata}}`;
    const answer = await app.http.raw('POST', LOGIN, `{"clientInfo":${clientInfo},${credential}}`, game);
    assert.equal(answer.status, 200);
    const { metadata: stored } = await loginDataOf(app, answer.body.sessionId);
    assert.deepEqual(stored, { car: 'red', nested: [{ b: 2 }] });
  });

  test('are ignored in a scope that keeps long integers', async () => {
    const { bearer } = await arrangeWalletPlayer(app, await arrangeWalletTenant(app));
    const body = '{"__proto__":{"x":1},"newScore":9223372036854775807}';
    for (const start of ['', '\ufeff']) {
      const path = '/api/BlockchainStorage/players/set/score';
      const answer = await app.http.raw('POST', path, start + body, { bearer });
      assert.equal(answer.status, 200, answer.text);
      assert.match(answer.text, /"newScore":9223372036854775807/);
    }
  });

  test('are ignored in an event', async () => {
    const player = await arrangePlayer(app, tenant);
    const event = `"playerId":"${player.playerId}","eventKey":"jump","occurredAt":"2026-11-20T10:00:00Z"`;
    const events = [
      `{${event},"idempotencyKey":"1","__proto__":{"value":7}}`,
      `{${event},"idempotencyKey":"2","constructor":{"prototype":{"value":7}}}`,
      `{"__proto__":{${event},"idempotencyKey":"3"}}`,
    ];
    const answer = await app.http.raw('POST', '/api/game/player-events', `[${events}]`, player.caller);
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(
      answer.body.records.map(({ index }: { index: number }) => index),
      [0, 1],
    );
    assert.deepEqual(
      answer.body.errors.map(({ index, statusCode }: { index: number; statusCode: number }) => [
        index,
        statusCode,
      ]),
      [[2, 400]],
    );
    const { rows } = await app.owner.query('SELECT value FROM player_events');
    assert.deepEqual(rows, [{ value: null }, { value: null }]);
  });
});
