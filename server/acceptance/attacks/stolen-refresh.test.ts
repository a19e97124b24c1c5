import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { arrangeStudio, signIn, startVictim } from './victim.ts';

const victim = await startVictim();
const { url, honest } = victim;
const owner = new pg.Pool({ host: join(victim.dataDir, 'socket'), user: 'guildhall', database: 'guildhall' });
after(() => owner.end());

interface Tokens {
  refreshToken: string;
  sessionId: string;
}

/** A player who has refreshed once with a random key, so that the first token is worth stealing. */
async function arrangeRefreshedPlayer() {
  const signedIn = (await (await signIn(url, honest, randomBytes(6).toString('hex'))).json()) as Tokens;
  const key = randomBytes(16).toString('hex');
  const { body } = await refresh(signedIn.refreshToken, key);
  return { stolen: signedIn.refreshToken, sessionId: signedIn.sessionId, key, current: body.refreshToken };
}

async function refresh(refreshToken: string, key?: string, { gameKey } = honest) {
  const answer = await fetch(`${url}/api/player-auth/refresh`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-game-key': gameKey,
      ...(key && { 'idempotency-key': key }),
    },
    body: JSON.stringify({ refreshToken }),
  });
  return { status: answer.status, body: (await answer.json()) as Tokens & { code?: string } };
}

const passSeconds = (sessionId: string, seconds: number) =>
  owner.query(
    'UPDATE refresh_tokens SET used_at = used_at - make_interval(secs => $2) WHERE session_id = $1',
    [sessionId, seconds],
  );

/** Random keys, and variations of the key of the player. */
const guesses = (key: string) => [
  ...Array.from({ length: 200 }, () => randomBytes(16).toString('hex')),
  key.toUpperCase() === key ? key.toLowerCase() : key.toUpperCase(),
  key.slice(0, -1),
  `${key}0`,
  '00000000',
];

describe('a thief who has a refresh token that was exchanged with a key', () => {
  test('gets nothing by guessing keys, and does not sign the player out within ten seconds', async () => {
    const { stolen, key, current } = await arrangeRefreshedPlayer();
    const answers = await Promise.all(guesses(key).map((guess) => refresh(stolen, guess)));
    for (const { status, body } of [...answers, await refresh(stolen)]) {
      assert.deepEqual([status, body.code], [401, 'invalid_refresh_token']);
      assert.ok(!('refreshToken' in body));
    }
    assert.equal((await refresh(stolen, key)).body.refreshToken, current, 'the player may still repeat');
    assert.equal((await refresh(current)).status, 200);
  });

  for (const [how, send] of [
    ['without a key', (stolen: string) => refresh(stolen)],
    ['with a guessed key', (stolen: string) => refresh(stolen, randomBytes(16).toString('hex'))],
  ] as const) {
    test(`revokes the family ${how} after ten seconds`, async () => {
      const { stolen, key, current, sessionId } = await arrangeRefreshedPlayer();
      await passSeconds(sessionId, 11);
      assert.equal((await send(stolen)).status, 401);
      assert.equal((await refresh(current)).status, 401);
      assert.equal((await refresh(stolen, key)).status, 401, 'not even the right key helps');
      const audited = await owner.query(
        `SELECT FROM audit_records WHERE target_id = $1 AND action = 'refresh_token.reused'`,
        [sessionId],
      );
      assert.equal(audited.rowCount, 1);
    });
  }

  test('gets nothing with the right key once the player has gone on', async () => {
    const { stolen, key, current } = await arrangeRefreshedPlayer();
    const next = await refresh(current, key);
    assert.equal((await refresh(stolen, key)).status, 401);
    assert.equal((await refresh(next.body.refreshToken)).status, 200, 'within ten seconds it harms nothing');
  });

  test('gets nothing with the right key after 60 seconds', async () => {
    const { stolen, key, current, sessionId } = await arrangeRefreshedPlayer();
    await passSeconds(sessionId, 61);
    assert.equal((await refresh(stolen, key)).status, 401);
    assert.equal((await refresh(current)).status, 401, 'the family is revoked');
  });

  test('gets nothing with the right key and the game key of another studio', async () => {
    const { stolen, key, current } = await arrangeRefreshedPlayer();
    assert.equal((await refresh(stolen, key, await arrangeStudio(url))).status, 401);
    assert.equal((await refresh(current)).status, 200, 'and harms nothing');
  });
});
