import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { newOpaqueToken } from '../../../security/opaque-tokens.ts';
import { arrangeAccount, arrangePlan, arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { emailClient, PASSWORD, someNetwork } from '../../../testing/email-player.ts';
import { eventually } from '../../../testing/eventually.ts';
import { someEmail } from '../../../testing/mailbox.ts';
import { startTestApp, startTestWorker } from '../../../testing/test-app.ts';
import { whileLocked } from '../../../testing/while-locked.ts';

const app = await startTestApp({ env: { TRUST_PROXY: 'on' } });
await startTestWorker(app);
const providers = ['EmailOneTimeCode', 'EmailPassword', 'Mock'];
const tenant = await arrangeTenant(app, { providers });
const stranger = await arrangeTenant(app, { providers });
const bare = await arrangeTenant(app, { providers: ['EmailOneTimeCode', 'Mock'] });
const { post, mailsTo, secretTo, codeFor, exchange, signUp, logIn, refresh, resetTokenFor } =
  await emailClient(app);

const verify = (token: string, caller = tenant) => post('email/verify', { token }, caller);
const confirm = (token: string, newPassword: string, caller = tenant) =>
  post('email/password-reset/confirm', { token, newPassword }, caller);
const row = async (statement: string, ...values: unknown[]) =>
  (await app.owner.query(statement, values)).rows[0];
const shownAddresses = async (playerId: string) =>
  (await app.owner.query('SELECT email FROM auth_methods WHERE player_id = $1', [playerId])).rows.map(
    ({ email }) => email,
  );
const signedUp = async () => {
  const email = someEmail();
  return { email, ...(await signUp(email, tenant)).body };
};

describe('POST /api/player-auth/email/signup and /tenant-login', () => {
  test('creates a player who can sign in, and mails a token', async () => {
    const email = someEmail();
    const more = {
      displayName: ' Ada ',
      profileVisibility: 'full',
      deviceInfo: { deviceFingerprint: 'f'.repeat(16) },
    };
    const created = await signUp(` ${email.toUpperCase()}`, tenant, more);
    assert.equal(created.status, 201, created.text);
    const { playerId, sessionId, isNewPlayer, tenantId } = created.body;
    assert.deepEqual([isNewPlayer, tenantId], [true, tenant.tenantId]);
    const player = await row('SELECT * FROM players WHERE id = $1', playerId);
    assert.deepEqual([player.display_name, player.profile_visibility, player.email], ['Ada', 'full', null]);
    const { auth_provider: provider } = await row(
      'SELECT * FROM login_ledger WHERE session_id = $1',
      sessionId,
    );
    assert.equal(provider, 'email');
    const [mail] = await mailsTo(email);
    assert.match(mail?.subject ?? '', /^Confirm your email address$/);
    assert.match(await secretTo(email), /^gh_verify_[0-9a-f]{72}$/);

    const login = await logIn(email.toUpperCase(), tenant);
    assert.equal(login.status, 200, login.text);
    assert.deepEqual([login.body.playerId, login.body.isNewPlayer], [playerId, false]);
    assert.equal((await logIn(email, stranger)).body.playerId, playerId, 'one person in all tenants');
    assert.equal((await refresh(login.body.refreshToken, tenant)).status, 200);
  });

  test('returns 409 for a taken address, lets one parallel sign-up succeed, and takes a pending address over', async () => {
    const email = someEmail();
    await codeFor(email, tenant);
    const answers = await Promise.all(Array.from({ length: 8 }, () => signUp(email, tenant)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, ...Array(7).fill(409)]);
    const again = await signUp(email, stranger);
    assert.deepEqual([again.status, again.body.code], [409, 'player_exists']);

    const byCode = someEmail();
    await exchange(byCode, await codeFor(byCode, tenant), tenant);
    assert.equal((await signUp(byCode, tenant)).status, 409, 'a player without a password');
  });

  test('accepts passwords of 8 to 128 code points, and compares them in NFC', async () => {
    for (const [password, status] of [
      ['1234567', 400],
      ['12345678', 201],
      ['🗝'.repeat(128), 201],
      ['🗝'.repeat(129), 400],
      [12345678, 400],
      [null, 400],
    ] as const)
      assert.equal((await signUp(someEmail(), tenant, { password })).status, status, String(password));
    const email = someEmail();
    await signUp(email, tenant, { password: 'Zoe\u0308 is here' });
    assert.equal((await logIn(email, tenant, 'Zo\u00eb is here')).status, 200);
    const longName = await signUp(someEmail(), tenant, { displayName: '🗝'.repeat(64) });
    assert.equal(longName.status, 201, 'a profile accepts a name of 64 code points too');
    for (const body of [
      { email: 'nobody' },
      { displayName: ' ' },
      { displayName: 'x'.repeat(65) },
      { displayName: 'a\nb' },
      { displayName: '\u200b' },
      { profileVisibility: 'open' },
    ])
      assert.equal((await signUp(someEmail(), tenant, body)).status, 400, JSON.stringify(body));
  });

  test('returns the same response for an unknown address, a wrong password and an address without a password', async () => {
    const { email } = await signedUp();
    const byCode = someEmail();
    await exchange(byCode, await codeFor(byCode, tenant), tenant);
    const plain = ({ status, headers, body }: Awaited<ReturnType<typeof logIn>>) => {
      const { requestId, ...rest } = body;
      return { status, headers: [...headers.keys()], rest };
    };
    const wrong = plain(await logIn(email, tenant, 'wrong'));
    assert.deepEqual([wrong.status, wrong.rest.code], [401, 'invalid_credentials']);
    assert.deepEqual(plain(await logIn(someEmail(), tenant, 'wrong')), wrong);
    assert.deepEqual(plain(await logIn(byCode, tenant, 'wrong')), wrong);
  });

  test('returns 401 if the password is replaced while it is compared', async () => {
    const { email } = await signedUp();
    await whileLocked(
      app,
      async (hold) =>
        void (await hold.query(`UPDATE email_credentials SET password_hash = 'another' WHERE email = $1`, [
          email,
        ])),
      async (waiting, release) => {
        const login = logIn(email, tenant);
        await waiting(1);
        await release();
        assert.equal((await login).status, 401);
      },
    );
  });

  test('limits wrong passwords for one network and address to ten', async () => {
    const { email } = await signedUp();
    const network = someNetwork();
    const guesses = Array.from({ length: 12 }, (_, guess) => logIn(email, tenant, `wrong ${guess}`, network));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429]);
    const refused = await logIn(email, stranger, PASSWORD, network);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    assert.ok(Number(refused.headers.get('retry-after')) > 800);
    assert.equal((await logIn(email, tenant)).status, 200, 'the owner uses another network');
  });

  test('limits sign-ups for one network to 600 in 10 minutes, regardless of mails', async () => {
    const network = someNetwork();
    await Promise.all(
      Array.from({ length: 200 }, () => post('email/otc', { email: someEmail() }, tenant, network)),
    );
    assert.equal(
      (await post('email/password-reset/request', { email: someEmail() }, tenant, network)).status,
      429,
    );
    const { email: taken } = await signedUp();
    const signUpFrom = (from: typeof network) =>
      post('email/signup', { email: taken, password: PASSWORD }, tenant, from);
    const attempts = await Promise.all(Array.from({ length: 600 }, () => signUpFrom(network)));
    assert.deepEqual([...new Set(attempts.map(({ status }) => status))], [409]);
    const refused = await signUpFrom(network);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await signUpFrom(someNetwork())).status, 409);
  });

  test('counts a sign-up as a mail to its address', async () => {
    const email = someEmail();
    await codeFor(email, tenant);
    await app.owner.query('UPDATE mail_counts SET sent = 20 WHERE email = $1', [email]);
    const refused = await signUp(email, tenant);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
  });

  test('returns 503 when a network sends too many passwords in parallel', async () => {
    const network = someNetwork();
    const answers = await Promise.all(
      Array.from({ length: 90 }, () => logIn(someEmail(), tenant, PASSWORD, network)),
    );
    const busy = answers.filter(({ status }) => status === 503);
    assert.ok(busy.length > 0 && busy.length < 90, `${busy.length} of 90`);
    assert.equal(busy[0]?.body.code, 'busy');
    assert.ok(Number(busy[0]?.headers.get('retry-after')) > 0);
  });

  test('returns 403 for a banned player and 401 for a closed account', async () => {
    const { email, playerId } = await signedUp();
    const admin = await arrangeAccount(app, tenant, 'admin');
    const path = `/api/bus_tenants/${tenant.tenantId}/players/${playerId}/ban`;
    assert.equal((await app.http.post(path, { reason: 'Cheating' }, admin)).status, 201);
    const banned = await logIn(email, tenant);
    assert.equal(banned.body.code, 'player_banned');
    assert.deepEqual(banned.body.ban, { reason: 'Cheating', until: null });
    assert.equal(
      (await logIn(email, tenant, 'wrong')).status,
      401,
      'the ban is disclosed only with the right password',
    );
    await app.owner.query(`UPDATE players SET is_active = false WHERE id = $1`, [playerId]);
    assert.equal((await logIn(email, stranger)).status, 401);
  });
});

describe('POST /api/player-auth/email/verify', () => {
  test('verifies the address once, and keeps the password', async () => {
    const { email, playerId, refreshToken } = await signedUp();
    const token = await secretTo(email);
    const elsewhere = await verify(token, stranger);
    assert.deepEqual([elsewhere.status, elsewhere.body.code], [401, 'invalid_credentials']);
    const verified = await verify(token);
    assert.deepEqual([verified.status, verified.body], [200, { email }]);
    assert.equal((await verify(token)).status, 401);
    assert.equal((await row('SELECT email FROM players WHERE id = $1', playerId)).email, email);
    assert.deepEqual(await shownAddresses(playerId), [email, email]);
    assert.equal((await logIn(email, tenant)).status, 200);
    const byCode = await exchange(email, await codeFor(email, tenant), tenant);
    assert.equal(byCode.body.playerId, playerId);
    assert.equal(
      (await logIn(email, tenant)).status,
      200,
      'a code does not end the password of a verified address',
    );
    assert.equal((await refresh(refreshToken, tenant)).status, 200);
  });

  test('lets one of several parallel verifications succeed, and refuses an expired token', async () => {
    const { email } = await signedUp();
    const token = await secretTo(email);
    const answers = await Promise.all(Array.from({ length: 10 }, () => verify(token)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array(9).fill(401)]);
    const late = await signedUp();
    await app.owner.query('UPDATE email_tokens SET expires_at = now() WHERE email = $1', [late.email]);
    assert.equal((await verify(await secretTo(late.email))).status, 401);
    for (const token of [newOpaqueToken('verify'), 'x', late.refreshToken])
      assert.equal((await verify(token)).status, 401);
    for (const token of ['', 5, null, 'x'.repeat(513)])
      assert.equal((await verify(token as string)).status, 400);
  });
});

describe('POST /api/player-auth/email/resend', () => {
  const resend = (bearer: string, { gameKey } = tenant, network = someNetwork()) =>
    app.http.post('/api/player-auth/email/resend', undefined, {
      gameKey,
      bearer,
      headers: { 'x-forwarded-for': network },
    });
  const waitUntilAllowed = (email: string) =>
    app.owner.query(
      `UPDATE email_tokens SET expires_at = expires_at - interval '30 seconds' WHERE email = $1`,
      [email],
    );

  test('mails another token after the first one has expired, until the address is verified', async () => {
    const { email, accessToken } = await signedUp();
    const first = await secretTo(email);
    await app.owner.query(`UPDATE email_tokens SET expires_at = now() WHERE email = $1`, [email]);
    assert.equal((await verify(first)).status, 401);
    const { status, body } = await resend(accessToken);
    assert.deepEqual([status, body], [202, { status: 'accepted' }]);
    assert.equal((await mailsTo(email)).length, 2);
    assert.deepEqual((await verify(await secretTo(email))).body, { email });
    const repeated = await resend(accessToken);
    assert.deepEqual([repeated.status, repeated.body.code], [409, 'conflict']);
    assert.equal((await mailsTo(email)).length, 2);
  });

  test('sends one email in 30 seconds, and counts no other request', async () => {
    const { email, accessToken } = await signedUp();
    const network = someNetwork();
    for (let click = 0; click < 12; click++)
      assert.equal((await resend(accessToken, tenant, network)).status, 202);
    assert.equal((await mailsTo(email)).length, 1, 'the email of the sign-up');
    await waitUntilAllowed(email);
    const answers = await Promise.all(Array.from({ length: 8 }, () => resend(accessToken, tenant, network)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]));
    assert.equal((await mailsTo(email)).length, 2);
  });

  test('mails a token of the tenant that requests it, and accepts no other one after the sign-in by code was removed', async () => {
    const neighbour = await arrangeTenant(app, { workspaceId: tenant.workspaceId, providers });
    const { email } = await signedUp();
    const first = await secretTo(email);
    const login = await logIn(email, neighbour);
    assert.equal((await resend(login.body.accessToken, neighbour)).status, 202);
    const second = await secretTo(email);
    assert.equal((await verify(second)).status, 401, 'another tenant');
    assert.equal((await verify(second, neighbour)).status, 200);
    const me = { bearer: login.body.accessToken as string };
    const { authMethods } = (await app.http.get('/api/player-profile/me', me)).body;
    const { id } = authMethods.find(
      ({ authProvider }: { authProvider: string }) => authProvider === 'EmailOneTimeCode',
    );
    const removed = await app.http.delete(`/api/player-profile/me/auth-methods/${id}`, me);
    assert.equal(removed.status, 204, removed.text);
    assert.equal((await verify(first)).status, 401);
  });

  test('returns 409 for a player without an address, and 422 without the provider', async () => {
    const { accessToken } = await arrangePlayer(app, tenant);
    assert.equal((await resend(accessToken)).body.code, 'conflict');
    const other = await arrangePlayer(app, bare);
    assert.equal((await resend(other.accessToken, bare)).body.code, 'provider_not_available');
  });

  test('refuses the token of another tenant and of an ended session, and mails nothing', async () => {
    const { email, accessToken, sessionId } = await signedUp();
    assert.equal((await resend(accessToken, stranger)).status, 401);
    assert.equal((await post('logout', { sessionId }, tenant)).status, 200);
    assert.equal((await resend(accessToken)).body.code, 'session_ended');
    assert.equal((await mailsTo(email)).length, 1);
  });

  test('sends at most 10 emails a day from one network to one address', async () => {
    const { email, accessToken } = await signedUp();
    const network = someNetwork();
    for (let sent = 0; sent < 10; sent++) {
      await waitUntilAllowed(email);
      assert.equal((await resend(accessToken, tenant, network)).status, 202);
    }
    await waitUntilAllowed(email);
    const refused = await resend(accessToken, tenant, network);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    assert.equal((await mailsTo(email)).length, 11);
  });
});

describe('POST /api/player-auth/email/password-reset', () => {
  test('sets the password, verifies the address, and ends all sessions in all tenants', async () => {
    const { email, refreshToken, playerId } = await signedUp();
    await verify(await secretTo(email));
    const mock = await post(
      'login',
      { provider: 'Mock', token: `mock:${randomBytes(6).toString('hex')}:secret` },
      tenant,
    );
    const elsewhere = (await logIn(email, stranger)).body;
    const token = await resetTokenFor(email, tenant);
    assert.equal((await confirm(token, 'a new password', stranger)).status, 401);
    const done = await confirm(token, 'a new password');
    assert.deepEqual([done.status, done.body], [200, { email }], done.text);
    assert.equal((await confirm(token, 'another password')).status, 401);
    assert.equal((await logIn(email, tenant)).status, 401);
    const login = await logIn(email, tenant, 'a new password');
    assert.equal(login.body.playerId, playerId);
    assert.equal((await refresh(refreshToken, tenant)).status, 401);
    assert.equal((await refresh(elsewhere.refreshToken, stranger)).status, 401);
    assert.equal((await refresh(login.body.refreshToken, tenant)).status, 200);
    assert.equal(
      (await refresh(mock.body.refreshToken, tenant)).status,
      200,
      'other players are not affected',
    );
  });

  test('sets the password under a hard stop, and ends the sessions', async () => {
    const payer = await arrangeTenant(app, { providers });
    const email = someEmail();
    const { body: player } = await signUp(email, payer);
    const token = await resetTokenFor(email, payer);
    await arrangePlan(app, payer, { monthlyUnits: 1, hardStop: true });
    assert.equal((await refresh(player.refreshToken, payer)).body.code, 'quota_exceeded');
    const done = await confirm(token, 'a new password', payer);
    assert.equal(done.status, 200, done.text);
    assert.equal((await confirm(token, 'a new password', payer)).status, 401, 'the token is used');
    await arrangePlan(app, payer, { hardStop: false });
    assert.equal((await refresh(player.refreshToken, payer)).status, 401);
    assert.equal((await logIn(email, payer, 'a new password')).status, 200);
  });

  test('ends the session of a login that runs in parallel', async () => {
    const { email, playerId } = await signedUp();
    await verify(await secretTo(email));
    const token = await resetTokenFor(email, tenant);
    await whileLocked(
      app,
      async (hold) =>
        void (await hold.query('SELECT FROM tenant_access WHERE player_id = $1 FOR UPDATE', [playerId])),
      async (waiting, release) => {
        // The password was compared, and the login is about to write its session.
        const login = logIn(email, tenant);
        await waiting(1);
        const reset = confirm(token, 'a new password');
        await waiting(2);
        await release();
        assert.equal((await reset).status, 200);
        const { status, body } = await login;
        assert.equal(status, 200);
        assert.equal((await refresh(body.refreshToken, tenant)).status, 401);
      },
    );
  });

  test('lets one of several parallel resets succeed, and keeps its password', async () => {
    const { email } = await signedUp();
    const token = await resetTokenFor(email, tenant);
    const passwords = Array.from({ length: 8 }, (_, index) => `new password ${index}`);
    const answers = await Promise.all(passwords.map((password) => confirm(token, password)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ status }) => status === 401).length, 7);
    const winner = answers.findIndex(({ status }) => status === 200);
    assert.equal((await logIn(email, tenant, passwords[winner])).status, 200);
  });

  test('sets a password for a player who signs in by code', async () => {
    const email = someEmail();
    const { playerId } = (await exchange(email, await codeFor(email, tenant), tenant)).body;
    const token = await resetTokenFor(email, tenant);
    assert.equal((await confirm(token, 'short')).status, 400);
    assert.equal((await confirm(token, 'a new password')).status, 200);
    assert.equal((await logIn(email, tenant, 'a new password')).body.playerId, playerId);
  });

  test('names the game of the reset in the notice, even if the player never signed in to it', async () => {
    const unvisited = await arrangeTenant(app, { providers });
    const { email } = await signedUp();
    const token = await resetTokenFor(email, unvisited);
    assert.equal((await confirm(token, 'a new password', unvisited)).status, 200);
    const notice = (await mailsTo(email)).find(({ subject }) => subject.startsWith('A new password was set'));
    const game = await row('SELECT name FROM tenants WHERE id = $1', unvisited.tenantId);
    assert.match(notice?.text ?? '', new RegExp(`The request came from the game “${game.name}”`));
  });

  test('mails and audits a reset in every tenant that knows the player', async () => {
    const email = someEmail();
    for (const game of [tenant, stranger]) await exchange(email, await codeFor(email, game), game);
    const { playerId } = await row(
      'SELECT player_id AS "playerId" FROM email_credentials WHERE email = $1',
      email,
    );
    const token = await resetTokenFor(email, tenant);
    assert.equal((await confirm(token, 'a new password')).status, 200);
    const notices = (await mailsTo(email)).filter(({ subject }) =>
      subject.startsWith('A new password was set'),
    );
    assert.equal(notices.length, 1);
    const { rows } = await app.owner.query(
      `SELECT tenant_id, ip_address IS NOT NULL AS "hasOrigin" FROM audit_records
       WHERE target_id = $1 AND action = 'player.password_reset'`,
      [playerId],
    );
    assert.deepEqual(
      new Map(rows.map(({ tenant_id: id, hasOrigin }) => [id, hasOrigin])),
      new Map([
        [tenant.tenantId, true],
        [stranger.tenantId, false],
      ]),
    );
    assert.equal((await confirm(token, 'a second password')).status, 401);
    assert.equal((await mailsTo(email)).length, 4, 'a refused reset mails nothing');
  });

  const resetsAreDone = async () => {
    const unfinished = await row(
      `SELECT count(*)::int AS count FROM pgboss.job WHERE name = 'password-reset' AND state <> 'completed'`,
    );
    return unfinished.count === 0;
  };

  test('returns the same response for an unknown or pending address, and mails nothing', async () => {
    const { email } = await signedUp();
    const pending = someEmail();
    await codeFor(pending, tenant);
    const unknown = someEmail();
    const answers = [];
    for (const address of [email, pending, unknown])
      answers.push(await post('email/password-reset/request', { email: address }, tenant));
    for (const { status, body } of answers) assert.deepEqual([status, body], [202, { status: 'accepted' }]);
    await eventually(resetsAreDone);
    assert.equal((await mailsTo(email)).length, 2);
    assert.equal((await mailsTo(pending)).length, 1);
    assert.equal((await mailsTo(unknown)).length, 0);
  });

  test('sends at most two mails for a burst of requests', async () => {
    const { email } = await signedUp();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => post('email/password-reset/request', { email }, tenant)),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]));
    await eventually(resetsAreDone);
    // Two mails, if a 30-second interval ends during the burst.
    const mails = (await mailsTo(email)).filter(({ text }) => text.includes('gh_reset_')).length;
    assert.ok(mails === 1 || mails === 2, `${mails} mails`);
    assert.equal((await post('email/otc', { email }, tenant)).status, 200);
  });

  test('does not count repeated requests that send no mail', async () => {
    const { email } = await signedUp();
    const network = someNetwork();
    for (let click = 0; click < 25; click++) {
      const { status, text } = await post('email/password-reset/request', { email }, tenant, network);
      assert.equal(status, 202, text);
    }
  });

  test('counts one mail for every address, known or unknown', async () => {
    const { email: known } = await signedUp();
    const [pending, unknown] = [someEmail(), someEmail()];
    await codeFor(pending, tenant);
    await app.owner.query('UPDATE mail_counts SET sent = 19 WHERE email = ANY($1)', [[known, pending]]);
    for (const email of [known, pending, unknown])
      assert.equal((await post('email/password-reset/request', { email }, tenant)).status, 202);
    await eventually(resetsAreDone);
    const { rows } = await app.owner.query('SELECT sent FROM mail_counts WHERE email = ANY($1)', [
      [known, pending, unknown],
    ]);
    assert.deepEqual(rows.map(({ sent }) => sent).toSorted(), [1, 20, 20]);
    await app.owner.query(
      `UPDATE one_time_codes SET sent_at = sent_at - interval '1 minute' WHERE email = $1`,
      [pending],
    );
    for (const email of [known, pending])
      assert.equal((await post('email/otc', { email }, tenant)).status, 429);
  });

  test('returns 422 without the provider, and 401 without a game key', async () => {
    const email = someEmail();
    for (const [path, body] of [
      ['email/signup', { email, password: PASSWORD }],
      ['email/tenant-login', { email, password: PASSWORD }],
      ['email/verify', { token: 'x' }],
      ['email/password-reset/request', { email }],
      ['email/password-reset/confirm', { token: 'x', newPassword: PASSWORD }],
    ] as const) {
      const refused = await post(path, body, bare);
      assert.deepEqual([refused.status, refused.body.code], [422, 'provider_not_available'], path);
      assert.equal((await post(path, body, { gameKey: tenant.apiKey })).status, 401, path);
      assert.equal((await post(path, {}, tenant)).status, 400, path);
    }
  });
});
