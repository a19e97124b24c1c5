import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangePlayer, arrangeTenant } from '../testing/arrange.ts';
import { startTestApp } from '../testing/test-app.ts';

const TOKEN = 'metrics-token-of-a-test';
const guarded = await startTestApp({ env: { METRICS_TOKEN: TOKEN } });
const behindProxy = await startTestApp({ env: { TRUST_PROXY: '127.0.0.1' } });
const tenant = await arrangeTenant(guarded);

describe('GET /metrics', () => {
  test('returns the metrics to a caller with the token', async () => {
    const { status, text, headers } = await guarded.http.get('/metrics', { bearer: TOKEN });
    assert.equal(status, 200);
    assert.match(text, /guildhall_http_request_duration_seconds/);
    assert.match(headers.get('content-type') ?? '', /^text\/plain/);
  });

  test('returns 401 without the token, with another one, and with the token of a player', async () => {
    const player = await arrangePlayer(guarded, tenant);
    for (const [bearer, code] of [
      [undefined, 'missing_bearer'],
      [`${TOKEN}x`, 'invalid_bearer'],
      [TOKEN.slice(0, -1), 'invalid_bearer'],
      [player.accessToken, 'invalid_bearer'],
    ] as const) {
      const answer = await guarded.http.get('/metrics', { ...(bearer && { bearer }) });
      assert.deepEqual([answer.status, answer.body.code], [401, code]);
      assert.doesNotMatch(answer.text, /guildhall_|metrics-token/);
    }
    const inUrl = await guarded.http.get(`/metrics?token=${TOKEN}`, { gameKey: tenant.gameKey });
    assert.equal(inUrl.status, 401);
  });

  test('returns 401 behind a proxy if no token is set', async () => {
    for (const bearer of ['', 'undefined', TOKEN])
      assert.equal((await behindProxy.http.get('/metrics', { bearer })).status, 401);
  });
});
