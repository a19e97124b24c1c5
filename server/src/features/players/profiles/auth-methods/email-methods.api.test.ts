import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangePlayer, arrangeTenant } from '../../../../testing/arrange.ts';
import { emailClient } from '../../../../testing/email-player.ts';
import type { Caller } from '../../../../testing/http-client.ts';
import { someEmail } from '../../../../testing/mailbox.ts';
import { later } from '../../../../testing/race.ts';
import { startTestApp } from '../../../../testing/test-app.ts';

const app = await startTestApp({ env: { TRUST_PROXY: 'on' } });
const providers = ['EmailOneTimeCode', 'EmailPassword', 'Mock'];
const tenant = await arrangeTenant(app, { providers });
const stranger = await arrangeTenant(app, { providers });
const bare = await arrangeTenant(app);
const { codeFor, exchange, signUp, logIn, secretTo, post } = await emailClient(app);

const ME = '/api/player-profile/me';
const METHODS = `${ME}/auth-methods`;
const link = (email: string, code: string, caller: Caller) =>
  app.http.post(METHODS, { provider: 'EmailOneTimeCode', email, code }, caller);
const read = async (caller: Caller) => (await app.http.get(ME, caller)).body;
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');
const rows = async (statement: string, ...values: unknown[]) =>
  (await app.owner.query(statement, values)).rows;

async function newPlayer(at = tenant) {
  const { playerId, username, accessToken, refreshToken } = await arrangePlayer(app, at);
  return { playerId, username, bearer: accessToken, refreshToken };
}

/** A player who signed up with an email address and a password, and verified the address. */
async function emailPlayer() {
  const email = someEmail();
  const { body } = await signUp(email, tenant);
  const verified = await post('email/verify', { token: await secretTo(email) }, tenant);
  assert.equal(verified.status, 200, verified.text);
  return { email, playerId: body.playerId as string, bearer: body.accessToken as string };
}

/** The numbers of stored rows of an address. */
const traces = async (email: string) => ({
  credentials: (await rows('SELECT FROM email_credentials WHERE email = $1 AND player_id IS NOT NULL', email))
    .length,
  codes: (await rows('SELECT FROM one_time_codes WHERE email = $1', email)).length,
  tokens: (await rows('SELECT FROM email_tokens WHERE email = $1', email)).length,
});

describe('POST /api/player-profile/me/auth-methods with an email code', () => {
  test('links the address, which becomes the profile’s address and signs in', async () => {
    const player = await newPlayer();
    const email = someEmail();
    const code = await codeFor(email, tenant);
    const linked = await link(` ${email.toUpperCase()} `, code, player);
    assert.equal(linked.status, 201, linked.text);
    const { authProvider, providerUserId, isPrimary } = linked.body;
    assert.deepEqual(
      [authProvider, providerUserId, linked.body.email, isPrimary],
      ['EmailOneTimeCode', email, email, false],
    );
    assert.equal((await read(player)).email, email);
    const again = await link(email, code, player);
    assert.deepEqual([again.status, again.body.code], [400, 'credential_refused'], 'a code works once');
    const signedIn = await exchange(email, await codeFor(email, tenant), tenant);
    assert.deepEqual([signedIn.body.playerId, signedIn.body.isNewPlayer], [player.playerId, false]);

    const { body: same } = await link(email, await codeFor(email, tenant), player);
    assert.equal(same.id, linked.body.id, 'the same method is returned');
    const second = someEmail();
    assert.equal((await link(second, await codeFor(second, tenant), player)).status, 201);
    assert.equal((await read(player)).email, email, 'the profile keeps the first address');
  });

  test('returns 400 for an address of another profile, and does not use up its code', async () => {
    const player = await newPlayer();
    const owner = await emailPlayer();
    const squatted = someEmail();
    await signUp(squatted, tenant);
    for (const email of [owner.email, squatted]) {
      const code = await codeFor(email, tenant);
      const taken = await link(email, code, player);
      assert.deepEqual([taken.status, taken.body.code], [400, 'auth_method_taken']);
      assert.equal(
        (await exchange(email, code, tenant)).status,
        200,
        'the code still signs in to the other profile',
      );
    }
    assert.equal((await read(player)).authMethods.length, 1);
  });

  test('verifies the address of a sign-up, and keeps the password and the profile', async () => {
    const email = someEmail();
    const { body } = await signUp(email, tenant);
    const caller = { bearer: body.accessToken };
    assert.equal((await link(email, await codeFor(email, tenant), caller)).status, 201);
    const { authMethods } = await read(caller);
    assert.deepEqual(
      authMethods.map(({ authProvider }: { authProvider: string }) => authProvider),
      ['EmailPassword', 'EmailOneTimeCode'],
    );
    assert.equal((await logIn(email, tenant)).body.playerId, body.playerId);
  });

  test('shares the five attempts per code with sign-ins', async () => {
    const player = await newPlayer();
    const email = someEmail();
    const code = await codeFor(email, tenant);
    const guesses = await Promise.all(Array.from({ length: 8 }, () => link(email, wrong(code), player)));
    assert.ok(guesses.every(({ status, body }) => status === 400 && body.code === 'credential_refused'));
    assert.equal((await link(email, code, player)).status, 400);
    assert.equal(
      (await exchange(email, code, tenant)).status,
      401,
      'no attempts are left for signing in either',
    );
  });

  test('returns 400 for a code of another tenant, and for a tenant without the provider', async () => {
    const email = someEmail();
    const code = await codeFor(email, tenant);
    const other = await arrangeTenant(app, { providers });
    for (const at of [other, bare]) {
      const refused = await link(email, code, await newPlayer(at));
      assert.deepEqual([refused.status, refused.body.code], [400, 'credential_refused']);
    }
    for (const body of [
      { email },
      { code },
      { email: 'x', code },
      { email, code: '12345' },
      { email, code: 123456 },
    ]) {
      const answer = await app.http.post(
        METHODS,
        { provider: 'EmailOneTimeCode', ...body },
        await newPlayer(),
      );
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_request'], JSON.stringify(body));
    }
  });

  test('lets one profile win when several link the same code concurrently', async () => {
    for (let round = 0; round < 6; round++) {
      const email = someEmail();
      const code = await codeFor(email, tenant);
      const players = await Promise.all([1, 2, 3, 4].map(() => newPlayer()));
      const answers = await Promise.all(players.map((player) => later(() => link(email, code, player))));
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 400, 400, 400]);
      const winner = players[answers.findIndex(({ status }) => status === 201)]!;
      assert.equal(
        (await exchange(email, await codeFor(email, tenant), tenant)).body.playerId,
        winner.playerId,
      );
    }
  });

  test('does not let an unverified sign-up keep methods when the owner proves the address concurrently', async () => {
    for (let round = 0; round < 20; round++) {
      const email = someEmail();
      const { body: hijacker } = await signUp(email, tenant);
      const code = await codeFor(email, tenant);
      const caller = { bearer: hijacker.accessToken };
      const mine = `${email}-${round}`;
      const [owner, ...links] = await Promise.all([
        later(() => exchange(email, code, tenant)),
        ...[1, 2, 3].map((index) =>
          later(() =>
            app.http.post(METHODS, { provider: 'Mock', token: `mock:${mine}-${index}:secret` }, caller),
          ),
        ),
      ]);
      assert.equal(owner.status, 200, owner.text);
      assert.equal(owner.body.playerId, hijacker.playerId);
      for (const { status, text } of links) assert.ok([201, 401].includes(status), text);
      const { authMethods } = await read({ bearer: owner.body.accessToken });
      assert.deepEqual(
        authMethods.map(({ authProvider }: { authProvider: string }) => authProvider),
        ['EmailOneTimeCode'],
      );
    }
  });
});

describe('DELETE /api/player-profile/me/auth-methods/{authMethodId} of an email method', () => {
  test('removes the password with the password method, and keeps the address', async () => {
    const player = await emailPlayer();
    const [password, code] = (await read(player)).authMethods;
    assert.deepEqual([password.authProvider, code.authProvider], ['EmailPassword', 'EmailOneTimeCode']);
    assert.equal((await app.http.delete(`${METHODS}/${password.id}`, player)).status, 204);
    assert.equal((await logIn(player.email, tenant)).status, 401);
    const { rows } = await app.owner.query('SELECT password_hash FROM email_credentials WHERE email = $1', [
      player.email,
    ]);
    assert.deepEqual(rows, [{ password_hash: null }]);
    const signedIn = await exchange(player.email, await codeFor(player.email, tenant), tenant);
    assert.equal(signedIn.body.playerId, player.playerId);
    assert.equal((await read(player)).email, player.email);
  });

  test('refuses a correct code with the reason after the sign-in by code is removed, until it is linked again', async () => {
    const player = await emailPlayer();
    const method = (await read(player)).authMethods[1];
    assert.equal(method.authProvider, 'EmailOneTimeCode');
    assert.equal((await app.http.delete(`${METHODS}/${method.id}`, player)).status, 204);
    const code = await codeFor(player.email, tenant);
    const refused = await exchange(player.email, code, tenant);
    assert.deepEqual([refused.status, refused.body.code], [401, 'invalid_credentials']);
    assert.match(refused.body.detail, /removed the sign-in by code/);
    const existing = await exchange(player.email, code, tenant, { createAccountIfMissing: false });
    assert.deepEqual([existing.status, existing.body.detail], [401, refused.body.detail]);
    assert.doesNotMatch((await exchange(player.email, wrong(code), tenant)).body.detail, /removed/);
    assert.equal((await link(player.email, code, player)).status, 201);
    const signedIn = await exchange(player.email, await codeFor(player.email, tenant), tenant);
    assert.equal(signedIn.body.playerId, player.playerId);
  });

  test('frees the address, with its codes and tokens, when its last method is removed', async () => {
    const player = await emailPlayer();
    const second = someEmail();
    await link(second, await codeFor(second, tenant), player);
    for (const address of [player.email, second]) await codeFor(address, tenant);
    for (const { id, email, authProvider } of (await read(player)).authMethods)
      if (email === player.email || authProvider === 'EmailPassword')
        assert.equal((await app.http.delete(`${METHODS}/${id}`, player)).status, 204);
    assert.deepEqual(await traces(player.email), { credentials: 0, codes: 0, tokens: 0 });
    assert.equal((await traces(second)).codes, 1, 'the other address keeps its code');
    const profile = await read(player);
    assert.deepEqual([profile.email, profile.authMethods.length], [second, 1]);
    assert.equal((await logIn(player.email, tenant)).status, 401);
    const newcomer = await exchange(player.email, await codeFor(player.email, tenant), tenant);
    assert.equal(newcomer.body.isNewPlayer, true);
  });

  test('causes no deadlock when the address is proved concurrently', async () => {
    for (let round = 0; round < 12; round++) {
      const email = someEmail();
      const { body: signedUp } = await signUp(email, tenant);
      const caller = { bearer: signedUp.accessToken };
      await app.http.post(METHODS, { provider: 'Mock', token: `mock:${email}:secret` }, caller);
      const code = await codeFor(email, tenant);
      const [password] = (await read(caller)).authMethods;
      assert.equal(password.authProvider, 'EmailPassword');
      const answers = await Promise.all([
        later(() => exchange(email, code, tenant)),
        later(() => logIn(email, tenant)),
        later(() => app.http.delete(`${METHODS}/${password.id}`, caller)),
        later(() => app.http.delete(ME, caller)),
      ]);
      for (const { status, text } of answers) assert.ok(status < 500, text);
    }
  });
});

describe('POST /api/player-profile/me/merge', () => {
  test('moves addresses, passwords and codes', async () => {
    const source = await emailPlayer();
    const target = await newPlayer();
    const username = `of-${source.email}`;
    await app.http.post(METHODS, { provider: 'Mock', token: `mock:${username}:secret` }, source);
    const code = await codeFor(source.email, tenant);
    const merged = await app.http.post(
      `${ME}/merge`,
      {
        sourceProfileId: source.playerId,
        sourceProvider: 'Mock',
        sourceAuthToken: `mock:${username}:secret`,
      },
      target,
    );
    assert.equal(merged.status, 200, merged.text);
    assert.equal(merged.body.email, source.email);
    assert.equal((await logIn(source.email, tenant)).body.playerId, target.playerId);
    assert.equal((await exchange(source.email, code, tenant)).body.playerId, target.playerId);
  });
});

describe('DELETE /api/player-profile/me', () => {
  test('frees the addresses, with their codes and tokens', async () => {
    const email = someEmail();
    const { body } = await signUp(email, tenant);
    const verifyToken = await secretTo(email);
    const code = await codeFor(email, tenant);
    const second = someEmail();
    const caller = { bearer: body.accessToken };
    await link(second, await codeFor(second, tenant), caller);
    const other = await codeFor(second, tenant);
    assert.equal((await app.http.delete(ME, caller)).status, 204);
    assert.deepEqual(await traces(email), { credentials: 0, codes: 0, tokens: 0 });
    assert.deepEqual(await traces(second), { credentials: 0, codes: 0, tokens: 0 });
    assert.equal((await post('email/verify', { token: verifyToken }, tenant)).status, 401);
    assert.equal((await exchange(email, code, tenant)).status, 401);
    assert.equal((await exchange(second, other, tenant)).status, 401);
    assert.equal((await logIn(email, tenant)).status, 401);
    const again = await signUp(email, tenant);
    assert.deepEqual([again.status, again.body.isNewPlayer], [201, true]);
  });
});

describe('the mails about changes of a profile', () => {
  test('are limited to 20 a day for an address, and the others fail in the outbox', async () => {
    const { email, bearer } = await emailPlayer();
    await app.owner.query(`INSERT INTO mail_budgets VALUES ('profile ' || $1, now(), 18)`, [email]);
    const linkMock = () =>
      app.http.post(METHODS, { provider: 'Mock', token: `mock:of-${randomUUID()}:secret` }, { bearer });
    const before = (await rows('SELECT id FROM mails WHERE recipient = $1', email)).map(({ id }) => id);
    const answers = await Promise.all(Array.from({ length: 5 }, () => linkMock()));
    for (const { status, text } of answers) assert.equal(status, 201, text);
    const sent = 'SELECT failure, body IS NULL AS erased FROM mails WHERE recipient = $1 AND id <> ALL($2)';
    const notices = await rows(`${sent} AND failed_at IS NULL`, email, before);
    assert.equal(notices.length, 2);
    const failed = await rows(`${sent} AND failed_at IS NOT NULL`, email, before);
    const failure = 'Not sent: this address received too many notices today.';
    assert.deepEqual(
      failed,
      Array.from({ length: 3 }, () => ({ failure, erased: true })),
    );
    assert.equal((await app.http.get(ME, { bearer })).body.authMethods.length, 7);
  });
});

/** The ways in which a player can leave an address that nobody has verified. */
const ways: Record<string, (caller: { bearer: string; playerId: string }) => Promise<unknown>> = {
  deletion: (caller) => app.http.delete(ME, caller),
  unlink: async (caller) => {
    const { authMethods } = await read(caller);
    const { id } = authMethods.find(
      ({ authProvider }: { authProvider: string }) => authProvider === 'EmailPassword',
    );
    return app.http.delete(`${METHODS}/${id}`, caller);
  },
  merge: async (caller) => {
    const { authMethods } = await read(caller);
    const { providerUserId } = authMethods.find(
      ({ authProvider }: { authProvider: string }) => authProvider === 'Mock',
    );
    const body = {
      sourceProfileId: caller.playerId,
      sourceProvider: 'Mock',
      sourceAuthToken: `mock:${providerUserId}:secret`,
    };
    return app.http.post(`${ME}/merge`, body, await newPlayer(stranger));
  },
};

/** A stranger who signs up with an address, with another sign-in method. */
async function strangerWith(email: string) {
  const { status, text, body } = await signUp(email, stranger);
  assert.equal(status, 201, text);
  const caller = { bearer: body.accessToken as string, playerId: body.playerId as string };
  const mock = { provider: 'Mock', token: `mock:of-${randomUUID()}:secret` };
  assert.equal((await app.http.post(METHODS, mock, caller)).status, 201);
  return caller;
}

for (const [name, leave] of Object.entries(ways))
  describe(`the ${name} of a stranger who signed up with an address`, () => {
    test('keeps the code of its owner in another tenant', async () => {
      const email = someEmail();
      const code = await codeFor(email, tenant);
      const left = (await leave(await strangerWith(email))) as { status: number; text: string };
      assert.ok(left.status < 300, left.text);
      const owner = await exchange(email, code, tenant);
      assert.deepEqual([owner.status, owner.body.isNewPlayer], [200, true], owner.text);
      assert.equal((await exchange(email, code, tenant)).status, 401, 'a code works once');
    });

    test('does not reset the count of mails', async () => {
      const email = someEmail();
      const sent = async () => {
        const deliverable = 'SELECT FROM mails WHERE recipient = $1 AND failed_at IS NULL';
        return (await rows(deliverable, email)).length;
      };
      await codeFor(email, tenant);
      await app.owner.query('UPDATE email_credentials SET mails_sent = 18 WHERE email = $1', [email]);
      const before = await sent();
      for (const mails of [1, 2, 2]) {
        await leave(await strangerWith(email));
        assert.equal((await sent()) - before, mails);
      }
    });
  });
