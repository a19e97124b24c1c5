import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { arrangeTenant } from '../arrange.ts';
import { call, signIn } from '../http.ts';
import { startVictim } from './victim.ts';

const victim = await startVictim();
const { url, honest } = victim;
const owner = new pg.Pool({ host: join(victim.dataDir, 'socket'), user: 'guildhall', database: 'guildhall' });
after(() => owner.end());

/**
 * Creates a player who has refreshed once with a random key. An attacker could repeat that exchange with the first
 * token.
 */
async function arrangeRefreshedPlayer() {
  const signedIn = await signIn(url, honest.gameKey, randomBytes(6).toString('hex'));
  const key = randomBytes(16).toString('hex');
  const { body } = await refresh(signedIn.refreshToken, key);
  return { stolen: signedIn.refreshToken, sessionId: signedIn.sessionId, key, current: body.refreshToken };
}

const refresh = (refreshToken: string, key?: string, { gameKey } = honest) =>
  call('POST', `${url}/api/player-auth/refresh`, {
    gameKey,
    headers: key ? { 'idempotency-key': key } : {},
    body: { refreshToken },
  });

const passSeconds = (sessionId: string, seconds: number) =>
  owner.query(
    'UPDATE refresh_tokens SET used_at = used_at - make_interval(secs => $2) WHERE session_id = $1',
    [sessionId, seconds],
  );

/** Sets the time of the last exchange to now. */
const useNow = (sessionId: string) =>
  owner.query(
    'UPDATE refresh_tokens SET used_at = clock_timestamp() WHERE session_id = $1 AND used_at IS NOT NULL',
    [sessionId],
  );

/** Random keys, and variations of the player's key. */
const guesses = (key: string) => [
  ...Array.from({ length: 200 }, () => randomBytes(16).toString('hex')),
  key.toUpperCase() === key ? key.toLowerCase() : key.toUpperCase(),
  key.slice(0, -1),
  `${key}0`,
  '00000000',
];

describe('a stolen refresh token that was exchanged with an idempotency key', () => {
  test('returns no token for guessed keys, and does not sign the player out within 10 seconds', async () => {
    const { stolen, key, current, sessionId } = await arrangeRefreshedPlayer();
    const answers = [];
    const left = guesses(key);
    while (left.length > 0) {
      // On a busy machine, all guesses together take longer than 10 seconds.
      await useNow(sessionId);
      answers.push(...(await Promise.all(left.splice(0, 20).map((guess) => refresh(stolen, guess)))));
    }
    for (const { status, body } of [...answers, await refresh(stolen)]) {
      assert.deepEqual([status, body.code], [401, 'invalid_refresh_token']);
      assert.ok(!('refreshToken' in body));
    }
    assert.equal(
      (await refresh(stolen, key)).body.refreshToken,
      current,
      'the player can still repeat the exchange',
    );
    assert.equal((await refresh(current)).status, 200);
  });

  for (const [how, send] of [
    ['without a key', (stolen: string) => refresh(stolen)],
    ['with a guessed key', (stolen: string) => refresh(stolen, randomBytes(16).toString('hex'))],
  ] as const) {
    test(`revokes the token family ${how} after 10 seconds`, async () => {
      const { stolen, key, current, sessionId } = await arrangeRefreshedPlayer();
      await passSeconds(sessionId, 11);
      assert.equal((await send(stolen)).status, 401);
      assert.equal((await refresh(current)).status, 401);
      assert.equal((await refresh(stolen, key)).status, 401, 'the right key is rejected too');
      const audited = await owner.query(
        `SELECT FROM audit_records WHERE target_id = $1 AND action = 'refresh_token.reused'`,
        [sessionId],
      );
      assert.equal(audited.rowCount, 1);
    });
  }

  test('returns no token for the right key after the next refresh of the player', async () => {
    const { stolen, key, current } = await arrangeRefreshedPlayer();
    const next = await refresh(current, key);
    assert.equal((await refresh(stolen, key)).status, 401);
    assert.equal(
      (await refresh(next.body.refreshToken)).status,
      200,
      'within 10 seconds the family is not revoked',
    );
  });

  test('returns no token for the right key after 60 seconds', async () => {
    const { stolen, key, current, sessionId } = await arrangeRefreshedPlayer();
    await passSeconds(sessionId, 61);
    assert.equal((await refresh(stolen, key)).status, 401);
    assert.equal((await refresh(current)).status, 401, 'the family is revoked');
  });

  test('returns no token for the right key with the game key of another studio', async () => {
    const { stolen, key, current } = await arrangeRefreshedPlayer();
    assert.equal((await refresh(stolen, key, await arrangeTenant(url))).status, 401);
    assert.equal((await refresh(current)).status, 200, 'the family is not revoked');
  });
});
