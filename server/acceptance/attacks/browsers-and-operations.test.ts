import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangeTenant } from '../arrange.ts';
import { signIn } from '../http.ts';
import { startVictim } from './victim.ts';

const victim = await startVictim({ HOST: '0.0.0.0', CORS_ORIGINS: 'https://play.example' });
const { url } = victim;

describe('a server that is reachable from other machines', () => {
  test('returns no metrics without a token', async () => {
    for (const headers of [{}, { authorization: 'Bearer x' }, { 'x-game-key': victim.honest.gameKey }]) {
      const answer = await fetch(`${url}/metrics`, { headers });
      assert.equal(answer.status, 401);
      assert.doesNotMatch(await answer.text(), /guildhall_http/);
    }
  });

  test('sends its API reference with a content security policy', async () => {
    const policy = (await fetch(`${url}/docs/`)).headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /script-src[^;]*unsafe/);
  });
});

describe('events with unknown members', () => {
  test('get at most 21 warnings for any number of members', async () => {
    const { gameKey } = await arrangeTenant(url);
    const { accessToken, playerId } = await signIn(url, gameKey);
    const poison = '"__proto__":{"playerId":"x"},"constructor":{"prototype":{"playerId":"x"}}';
    const members = (event: number) =>
      Array.from({ length: 30 }, (_, index) => `"member-${event}-${index}":${index}`).join();
    const events = Array.from(
      { length: 1000 },
      (_, index) => `{"playerId":"${playerId}","eventKey":"jump",${poison},${members(index)}}`,
    );
    const answer = await fetch(`${url}/api/game/player-events`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-game-key': gameKey,
        authorization: `Bearer ${accessToken}`,
      },
      body: `[${events.join()}]`,
    });
    const body = (await answer.json()) as { errors: unknown[]; warnings: unknown[] };
    assert.deepEqual([answer.status, body.errors.length, body.warnings.length], [422, 1000, 21]);
  });
});
