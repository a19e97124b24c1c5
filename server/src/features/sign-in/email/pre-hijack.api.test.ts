import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { uploadAvatar } from '../../../testing/avatars.ts';
import { emailClient } from '../../../testing/email-player.ts';
import { eventually } from '../../../testing/eventually.ts';
import { someEmail } from '../../../testing/mailbox.ts';
import { raceInEachOrder } from '../../../testing/race.ts';
import { startTestApp, startTestWorker } from '../../../testing/test-app.ts';

const app = await startTestApp({ env: { TRUST_PROXY: 'on' } });
await startTestWorker(app);
const providers = ['EmailOneTimeCode', 'EmailPassword', 'Mock'];
const tenant = await arrangeTenant(app, { providers });
const stranger = await arrangeTenant(app, { providers });
const { post, secretTo, codeFor, exchange, signUp, logIn, refresh, resetTokenFor } = await emailClient(app);

const mockLogin = (username: string) =>
  post('login', { provider: 'Mock', token: `mock:${username}:secret` }, tenant);
/** Links a Mock sign-in to a player. */
const linkMock = async (playerId: string) => {
  const { username, playerId: made } = await arrangePlayer(app, tenant);
  await app.owner.query('UPDATE auth_methods SET player_id = $1, is_primary = false WHERE player_id = $2', [
    playerId,
    made,
  ]);
  return username;
};
const methodsOf = async (playerId: string) => {
  const { rows } = await app.owner.query(
    'SELECT auth_provider AS provider, is_primary AS "isPrimary" FROM auth_methods WHERE player_id = $1 ORDER BY 1',
    [playerId],
  );
  return rows;
};
/** Signs up with an address of another person, links a sign-in method, and opens sessions. */
async function hijack(email: string) {
  const { playerId, refreshToken } = (await signUp(email, tenant)).body;
  const username = await linkMock(playerId);
  await app.owner.query(
    `INSERT INTO email_credentials (email, player_id, verified_at, mails_since, mails_sent) VALUES ($1, $2, now(), now(), 1)`,
    [`other-${email}`, playerId],
  );
  const tokens: [string, typeof tenant][] = [
    [refreshToken, tenant],
    [(await mockLogin(username)).body.refreshToken, tenant],
    [(await logIn(email, stranger)).body.refreshToken, stranger],
  ];
  return { playerId, username, tokens, verifyToken: await secretTo(email) };
}

describe('verification of an address that another person signed up with', () => {
  for (const proof of ['a code', 'a reset'] as const) {
    test(`removes all access of the earlier sign-up after ${proof}`, async () => {
      const email = someEmail();
      const hijacker = await hijack(email);
      const theirReset = proof === 'a code' ? await resetTokenFor(email, tenant) : undefined;
      if (proof === 'a code') {
        const owner = await exchange(email, await codeFor(email, tenant), tenant);
        assert.equal(owner.status, 200, owner.text);
        assert.deepEqual(
          [owner.body.playerId, owner.body.isNewPlayer],
          [hijacker.playerId, false],
          'the profile stays',
        );
        assert.equal((await refresh(owner.body.refreshToken, tenant)).status, 200);
        assert.deepEqual(await methodsOf(hijacker.playerId), [
          { provider: 'EmailOneTimeCode', isPrimary: true },
        ]);
      } else {
        const body = { token: await resetTokenFor(email, tenant), newPassword: 'the owner’s own' };
        assert.equal((await post('email/password-reset/confirm', body, tenant)).status, 200);
        assert.equal((await logIn(email, tenant, 'the owner’s own')).body.playerId, hijacker.playerId);
        assert.deepEqual(
          (await methodsOf(hijacker.playerId)).map(({ provider }) => provider),
          ['EmailOneTimeCode', 'EmailPassword'],
        );
      }
      assert.equal((await logIn(email, tenant)).status, 401, 'the password');
      for (const [token, place] of hijacker.tokens) assert.equal((await refresh(token, place)).status, 401);
      assert.notEqual(
        (await mockLogin(hijacker.username)).body.playerId,
        hijacker.playerId,
        'the linked method',
      );
      assert.equal((await post('email/verify', { token: hijacker.verifyToken }, tenant)).status, 401);
      if (theirReset)
        assert.equal(
          (
            await post(
              'email/password-reset/confirm',
              { token: theirReset, newPassword: 'once more' },
              tenant,
            )
          ).status,
          401,
          'an earlier mailed token',
        );
      const { rows } = await app.owner.query('SELECT email FROM email_credentials WHERE player_id = $1', [
        hijacker.playerId,
      ]);
      assert.deepEqual(rows, [{ email }], 'the other address is removed');
    });
  }

  test('removes the other address from the profile', async () => {
    const [email, other] = [someEmail(), someEmail()];
    const { body: hijacker } = await signUp(email, tenant);
    const linked = await app.http.post(
      '/api/player-profile/me/auth-methods',
      { provider: 'EmailOneTimeCode', email: other, code: await codeFor(other, tenant) },
      { bearer: hijacker.accessToken },
    );
    assert.equal(linked.status, 201, linked.text);
    const { rows } = await app.owner.query(
      `SELECT email FROM auth_methods WHERE player_id = $1 AND auth_provider = 'EmailPassword'`,
      [hijacker.playerId],
    );
    assert.deepEqual(rows, [{ email: null }], 'the unverified address is not shown');
    const owner = await exchange(email, await codeFor(email, tenant), tenant);
    assert.equal(owner.body.playerId, hijacker.playerId);
    const profile = await app.http.get('/api/player-profile/me', { bearer: owner.body.accessToken });
    assert.equal(profile.body.email, email);
  });

  test('refuses reads and changes with the access tokens of the earlier sign-up', async () => {
    const email = someEmail();
    const deviceInfo = { deviceFingerprint: randomBytes(16).toString('hex') };
    const { body: stranger } = await signUp(email, tenant, { deviceInfo });
    const { body: leaver } = await logIn(email, tenant);
    const left = await post('logout', { sessionId: leaver.sessionId }, tenant);
    assert.equal(left.status, 200);
    const audience = 'https://shop.example';
    const deviceOf = async (bearer: string) =>
      (await app.http.get('/api/player/devices', { bearer })).body[0].id as string;
    const device = await deviceOf(stranger.accessToken);
    const uses = (bearer: string) => [
      () => app.http.post('/api/player-auth/jwt/exchange', { audience }, { gameKey: tenant.gameKey, bearer }),
      () => app.http.get('/api/player/sessions/history', { bearer }),
      () => app.http.get('/api/player/sessions/summary', { bearer }),
      () => app.http.get('/api/player/devices', { bearer }),
      () => app.http.patch(`/api/player/devices/${device}`, { deviceName: 'mine' }, { bearer }),
      () => app.http.get('/api/player-profile/me', { bearer }),
      () => app.http.get('/api/player-profile/me/auth-methods', { bearer }),
      () => app.http.get('/api/player-profile/me/bus_tenants', { bearer }),
      () => app.http.patch('/api/player-profile/me', { displayName: 'Mallory' }, { bearer }),
      () => app.http.patch('/api/player-profile/me', { avatarUrl: null }, { bearer }),
      () => uploadAvatar(app, bearer),
    ];
    for (const use of uses(leaver.accessToken)) assert.equal((await use()).status, 200, 'after a logout');
    const endOfLeaver = async () =>
      (await app.owner.query('SELECT ended_at FROM login_sessions WHERE session_id = $1', [leaver.sessionId]))
        .rows[0].ended_at;
    const endedAt = await endOfLeaver();

    const owner = await exchange(email, await codeFor(email, tenant), tenant);
    assert.equal(owner.body.playerId, stranger.playerId);
    assert.deepEqual(await endOfLeaver(), endedAt, 'an ended session does not end again');
    for (const { accessToken } of [stranger, leaver]) {
      for (const use of uses(accessToken)) {
        const { status, body } = await use();
        assert.deepEqual(
          [status, body.code, body.detail],
          [401, 'invalid_bearer', 'The session of this token was revoked. Sign in again.'],
        );
      }
    }
    for (const use of uses(owner.body.accessToken)) assert.equal((await use()).status, 200, 'the owner');

    assert.equal(
      (await app.http.delete('/api/player-profile/me', { bearer: owner.body.accessToken })).status,
      204,
    );
    for (const path of [
      'player/sessions/history',
      'player/sessions/summary',
      'player/devices',
      'player-profile/me',
      'player-profile/me/auth-methods',
      'player-profile/me/bus_tenants',
    ])
      assert.equal(
        (await app.http.get(`/api/${path}`, { bearer: owner.body.accessToken })).status,
        200,
        'a deletion leaves access tokens usable',
      );
  });

  /** The number of given sessions of the player whose refresh token works. */
  async function countRefreshable(
    answers: Awaited<ReturnType<typeof logIn>>[],
    playerId: string,
  ): Promise<number> {
    let count = 0;
    for (const { status, body } of answers) {
      if (status >= 300 || body.playerId !== playerId) continue;
      if ((await refresh(body.refreshToken, tenant)).status === 200) count++;
    }
    return count;
  }

  test('leaves no session of parallel password logins', async () => {
    const outcomes = new Set<number>();
    for (let round = 0; round < 7; round++) {
      const email = someEmail();
      const { playerId } = (await signUp(email, tenant)).body;
      const code = await codeFor(email, tenant);
      // The exchange starts after 0 to 6 of the logins have finished.
      let finished = 0;
      const owner = eventually(() => finished >= round).then(() => exchange(email, code, tenant));
      const logins = await Promise.all(
        Array.from({ length: 6 }, () => logIn(email, tenant).finally(() => finished++)),
      );
      assert.equal((await owner).status, 200);
      logins.forEach(({ status }) => outcomes.add(status));
      assert.equal(await countRefreshable(logins, playerId), 0, `round ${round}`);
      assert.equal((await logIn(email, tenant)).status, 401);
    }
    assert.deepEqual([...outcomes].toSorted(), [200, 401], 'each order occurs');
  });

  test('leaves no session of parallel sign-ins with a linked method', async () => {
    for (let round = 0; round < 8; round++) {
      const email = someEmail();
      const { playerId } = (await signUp(email, tenant)).body;
      const username = await linkMock(playerId);
      const code = await codeFor(email, tenant);
      const logins = Array.from({ length: 20 }, async (_, index) => {
        await sleep(index);
        return mockLogin(username);
      });
      const owner = await exchange(email, code, tenant);
      assert.equal(owner.status, 200);
      const answers = await Promise.all(logins);
      assert.ok(
        answers.every(({ status }) => status === 200),
        answers.map(({ text }) => text).join(),
      );
      assert.equal(await countRefreshable(answers, playerId), 0, `round ${round}`);
    }
  });

  test('refuses a parallel sign-up with the address', async () => {
    await raceInEachOrder(12, async (first, second, round) => {
      const email = someEmail();
      const code = await codeFor(email, tenant);
      const [hijacker, owner] = await Promise.all([
        first(() => signUp(email, tenant)),
        second(() => exchange(email, code, tenant)),
      ]);
      assert.equal(owner.status, 200, owner.text);
      assert.ok([201, 409].includes(hijacker.status), hijacker.text);
      assert.equal(await countRefreshable([hijacker], owner.body.playerId), 0, `round ${round}`);
      assert.equal((await logIn(email, tenant)).status, 401);
      assert.deepEqual(
        (await methodsOf(owner.body.playerId)).map(({ provider }) => provider),
        ['EmailOneTimeCode'],
      );
      return hijacker.status === 201;
    });
  });

  test('refuses a token after the address moved to another player', async () => {
    const email = someEmail();
    await signUp(email, tenant);
    const token = await secretTo(email);
    await app.owner.query('UPDATE email_credentials SET player_id = $2 WHERE email = $1', [
      email,
      (await arrangePlayer(app, tenant, randomBytes(4).toString('hex'))).playerId,
    ]);
    assert.equal((await post('email/verify', { token }, tenant)).status, 401);
    assert.equal((await post('email/verify', { token: randomUUID() }, tenant)).status, 401);
  });
});
