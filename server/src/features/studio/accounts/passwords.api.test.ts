import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ACCOUNT_PASSWORD as password,
  accountClient,
  authenticatorCode,
} from '../../../testing/account-client.ts';
import { eventually } from '../../../testing/eventually.ts';
import { someEmail } from '../../../testing/mailbox.ts';
import { startTestApp, startTestWorker } from '../../../testing/test-app.ts';
import { whileLocked } from '../../../testing/while-locked.ts';

const app = await startTestApp({ env: { TRUST_PROXY: 'on' } });
await startTestWorker(app);
const accounts = await accountClient(app);
const { post, logIn, refresh, secretTo, mailsTo, actionsOf } = accounts;
const newPassword = 'a new password';
const verify = (token: unknown) => post('email/verify', { token });
const resend = (bearer: string) => post('email/resend', undefined, bearer);
const request = (email: string, network = '192.0.2.1') =>
  post('password-reset/request', { email }, undefined, { 'x-forwarded-for': network });
const confirm = (token: string, to = newPassword) =>
  post('password-reset/confirm', { token, newPassword: to });
const change = (bearer: string, currentPassword: string, to = newPassword) =>
  app.http.put('/api/saas-auth/password', { currentPassword, newPassword: to }, { bearer });
const resetsAreDone = async () => {
  const { rows } = await app.owner.query(
    `SELECT FROM pgboss.job WHERE name = 'account-password-reset' AND state <> 'completed'`,
  );
  return rows.length === 0;
};
/** Requests a password reset and returns the token from the email. */
const resetTokenFor = async (email: string): Promise<string> => {
  await app.owner.query(`UPDATE pgboss.job SET singleton_on = NULL WHERE data->>'email' = $1`, [email]);
  assert.equal((await request(email)).status, 202);
  await eventually(resetsAreDone);
  return secretTo(email);
};

describe('POST /api/saas-auth/email/verify', () => {
  test('verifies the address once with the mailed token', async () => {
    const account = await accounts.signUp();
    const isVerified = async () =>
      (await app.http.get('/api/saas-auth/me', account)).body.user.emailVerified as boolean;
    assert.equal(await isVerified(), false);
    const [mail] = await mailsTo(account.email);
    assert.equal(mail?.subject, 'Verify your email address for Guildhall');
    const token = await secretTo(account.email);
    const { rows } = await app.owner.query('SELECT token_hash FROM account_tokens WHERE account_id = $1', [
      account.id,
    ]);
    assert.notEqual(rows[0].token_hash.toString(), token, 'only a hash is stored');
    const answers = await Promise.all([verify(token), verify(token), verify(token)]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401, 401]);
    assert.equal(await isVerified(), true);
    assert.deepEqual(await actionsOf(account), ['account.created', 'account.email_verified']);
  });

  test('is audited once, even if two tokens are used', async () => {
    const account = await accounts.signUp();
    const first = await secretTo(account.email);
    assert.equal((await resend(account.bearer)).status, 202);
    const second = await secretTo(account.email);
    for (const token of [first, second]) assert.equal((await verify(token)).status, 200);
    const actions = await actionsOf(account);
    assert.equal(actions.filter((action) => action === 'account.email_verified').length, 1);
  });

  test('shows in the answer of a login that has waited for it', async () => {
    const { id, email } = await accounts.signUp();
    await whileLocked(
      app,
      async (holder) =>
        void (await holder.query('UPDATE accounts SET email_verified_at = now() WHERE id = $1', [id])),
      async (waiting, release) => {
        const answer = logIn(email);
        await waiting(1);
        await release();
        assert.equal((await answer).body.user.emailVerified, true);
      },
    );
  });

  test('returns 401 for expired tokens and tokens of another purpose, and 400 for malformed ones', async () => {
    const { email, id, refreshToken } = await accounts.signUp();
    const reset = await resetTokenFor(email);
    for (const token of [reset, refreshToken, 'x']) assert.equal((await verify(token)).status, 401);
    for (const token of ['', 5, null, 'x'.repeat(513)]) assert.equal((await verify(token)).status, 400);
    assert.equal((await confirm(reset, 'short')).status, 400);
    const [, mail] = await mailsTo(email);
    const token = /^ {4}(\S+)$/m.exec(mail?.text ?? '')?.[1] ?? '';
    assert.equal((await confirm(token)).status, 401, 'a verification token cannot set a password');
    await app.owner.query('UPDATE account_tokens SET expires_at = now() WHERE account_id = $1', [id]);
    assert.equal((await verify(token)).status, 401);
  });
});

describe('POST /api/saas-auth/email/resend', () => {
  test('returns 429 after 3 tokens per day, and each of them works', async () => {
    const { email, bearer } = await accounts.signUp();
    const answers = await Promise.all(Array.from({ length: 5 }, () => resend(bearer)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [202, 202, 429, 429, 429]);
    const refused = answers.find(({ status }) => status === 429)!;
    assert.ok(Number(refused.headers.get('retry-after')) > 80_000);
    const mails = await mailsTo(email);
    assert.equal(mails.length, 3);
    const oldest = /^ {4}(\S+)$/m.exec(mails.at(-1)?.text ?? '')?.[1] ?? '';
    assert.equal((await verify(oldest)).status, 200);
    assert.equal((await resend(bearer)).status, 409);
  });
});

describe('PUT /api/saas-auth/password', () => {
  test('ends all other sessions, sends an email, and writes an audit record', async () => {
    const account = await accounts.signUpVerified();
    const other = (await logIn(account.email)).body;
    const changed = await change(account.bearer, password);
    assert.deepEqual([changed.status, changed.body], [200, { endedSessions: 1 }], changed.text);
    assert.equal((await refresh(other.refreshToken)).status, 401);
    assert.equal(
      (await refresh(account.refreshToken)).status,
      200,
      'the session of the request is still valid',
    );
    assert.equal((await logIn(account.email)).status, 401);
    assert.equal((await logIn(account.email, newPassword)).status, 200);
    assert.equal((await mailsTo(account.email))[0]?.subject, 'Your Guildhall password was changed');
    assert.ok((await actionsOf(account)).includes('account.password_changed'));
  });

  test('sends no email to an unverified address, and 20 per day to a verified one', async () => {
    const noticesTo = async (email: string) => {
      const { rows } = await app.owner.query(
        `SELECT FROM mails WHERE recipient = $1 AND subject LIKE '%password was changed' AND failed_at IS NULL`,
        [email],
      );
      return rows.length;
    };
    const stranger = await accounts.signUp();
    assert.equal((await change(stranger.bearer, password)).status, 200);
    assert.equal(await noticesTo(stranger.email), 0);

    const owner = await accounts.signUpVerified();
    await app.owner.query(`INSERT INTO mail_budgets VALUES ('security ' || $1, now(), 18)`, [owner.id]);
    for (let round = 0; round < 2; round++) {
      assert.equal((await change(owner.bearer, password)).status, 200);
      assert.equal((await change(owner.bearer, newPassword, password)).status, 200);
    }
    assert.equal(await noticesTo(owner.email), 2);
  });

  test('returns 401 for a wrong current password, and counts it as a wrong login', async () => {
    const { email, bearer } = await accounts.signUp();
    const answers = await Promise.all(Array.from({ length: 12 }, () => change(bearer, 'wrong')));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [...Array(10).fill(401), 429, 429]);
    assert.equal((await logIn(email)).status, 429);
    assert.equal((await change(bearer, password, 'short')).status, 400);
  });

  test('lets one of the parallel changes succeed', async () => {
    const { email, bearer } = await accounts.signUp();
    const passwords = Array.from({ length: 6 }, (_, index) => `new password ${index}`);
    const answers = await Promise.all(passwords.map((to) => change(bearer, password, to)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array(5).fill(401)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    assert.equal((await logIn(email, passwords[winner])).status, 200);
  });

  test('invalidates the token of a refresh that runs in parallel', async () => {
    const { email, bearer, id } = await accounts.signUp();
    const other = (await logIn(email)).body.refreshToken;
    const lockTokens = `
      SELECT FROM account_refresh_tokens
      WHERE session_id IN (SELECT id FROM account_sessions WHERE account_id = $1) FOR UPDATE`;
    await whileLocked(
      app,
      async (hold) => void (await hold.query(lockTokens, [id])),
      async (waiting, release) => {
        const refreshing = refresh(other);
        await waiting(1);
        const changing = change(bearer, password);
        await waiting(2);
        await release();
        assert.equal((await changing).status, 200);
        const refreshed = await refreshing;
        assert.equal(refreshed.status, 200);
        assert.equal((await refresh(refreshed.body.refreshToken)).status, 401);
      },
    );
  });

  test('rejects a login with the old password that runs in parallel', async () => {
    const { email, bearer, id } = await accounts.signUp();
    await whileLocked(
      app,
      async (hold) => void (await hold.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [id])),
      async (waiting, release) => {
        const changing = change(bearer, password);
        await waiting(1);
        // The login has checked the password and waits for the lock of the change.
        const login = logIn(email);
        await waiting(2);
        await release();
        assert.equal((await changing).status, 200);
        assert.equal((await login).status, 401);
      },
    );
  });

  test('ends mailed resets and logins that wait for the second factor', async () => {
    const { email, bearer, secret } = await accounts.signUpWithTotp();
    const token = await resetTokenFor(email);
    const mfaToken = await accounts.mfaToken(email);
    assert.equal((await change(bearer, password)).status, 200);
    assert.equal((await confirm(token)).status, 401);
    assert.equal((await post('totp/verify', { mfaToken, code: authenticatorCode(secret, 1) })).status, 401);
  });
});

describe('POST /api/saas-auth/password-reset/confirm', () => {
  test('sets the password, verifies the address, and ends all sessions', async () => {
    const account = await accounts.signUp();
    const token = await resetTokenFor(account.email);
    const done = await confirm(token);
    assert.deepEqual([done.status, done.body], [200, { email: account.email }], done.text);
    assert.equal((await refresh(account.refreshToken)).status, 401);
    assert.equal((await logIn(account.email)).status, 401);
    const login = await logIn(account.email, newPassword);
    assert.equal(login.body.user.emailVerified, true);
    assert.equal((await confirm(token, 'another password')).status, 401);
    assert.ok((await actionsOf(account)).includes('account.password_reset'));
    assert.equal((await mailsTo(account.email))[0]?.subject, 'Your Guildhall password was changed');
  });

  test('ends the access tokens of open sessions, and the second factors that they were adding', async () => {
    const account = await accounts.signUpVerified();
    const { secret } = (await post('totp/enroll', {}, account.bearer)).body;
    assert.equal((await confirm(await resetTokenFor(account.email))).status, 200);
    for (const answer of [
      await app.http.get('/api/saas-auth/me', account),
      await post('totp/confirm', { code: authenticatorCode(secret) }, account.bearer),
    ])
      assert.deepEqual([answer.status, answer.body.code], [401, 'invalid_bearer']);
    const { accessToken } = (await logIn(account.email, newPassword)).body;
    const confirmed = await post('totp/confirm', { code: authenticatorCode(secret) }, accessToken);
    assert.equal(confirmed.status, 409, 'there is no enrolment to confirm');
  });

  test('lets one of the parallel requests with one token succeed', async () => {
    const { email } = await accounts.signUp();
    const token = await resetTokenFor(email);
    const passwords = Array.from({ length: 8 }, (_, index) => `new password ${index}`);
    const answers = await Promise.all(passwords.map((to) => confirm(token, to)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array(7).fill(401)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    assert.equal((await logIn(email, passwords[winner])).status, 200);
  });

  test('keeps the second factor, so that the mailbox alone is not enough to sign in', async () => {
    const { email, secret } = await accounts.signUpWithTotp();
    const waiting = await accounts.mfaToken(email);
    assert.equal((await confirm(await resetTokenFor(email))).status, 200);
    const code = authenticatorCode(secret, 1);
    assert.equal(
      (await post('totp/verify', { mfaToken: waiting, code })).status,
      401,
      'the login used the old password',
    );
    const token = await accounts.mfaToken(email, newPassword);
    assert.equal((await post('totp/verify', { mfaToken: token, code })).status, 200);
  });
});

describe('POST /api/saas-auth/password-reset/request', () => {
  test('returns the same response for known and unknown addresses, and mails only the known one', async () => {
    const { email } = await accounts.signUp();
    const unknown = someEmail();
    for (const address of [email, unknown]) {
      const { status, body } = await request(address);
      assert.deepEqual([status, body], [202, { status: 'accepted' }]);
    }
    await eventually(resetsAreDone);
    assert.equal((await mailsTo(email)).length, 2);
    assert.equal((await mailsTo(unknown)).length, 0);
    for (const body of [{}, { email: 5 }, { email: 'x' }])
      assert.equal((await post('password-reset/request', body)).status, 400);
  });

  test('sends 3 emails per hour to an address, and the last token works', async () => {
    const { email } = await accounts.signUp();
    const tokens = new Set<string>();
    for (let round = 0; round < 5; round++) tokens.add(await resetTokenFor(email));
    assert.equal(tokens.size, 3);
    assert.equal((await mailsTo(email)).length, 4, 'including the verification email');
    assert.equal((await confirm([...tokens].at(-1)!)).status, 200);
  });

  test('mails a token after a flood of requests and a reset, and at most 3 without a reset', async () => {
    const { email } = await accounts.signUp();
    const resets = async () => (await mailsTo(email)).filter(({ subject }) => subject.startsWith('Reset'));
    for (let round = 1; round <= 3; round++) {
      for (let flood = 0; flood < 4; flood++) await resetTokenFor(email);
      assert.equal((await resets()).length, round * 3);
      const token = await secretTo(email);
      assert.equal((await confirm(token)).status, 200, `round ${round}`);
      assert.equal((await confirm(token)).status, 401);
    }
    const [oldest] = (await resets()).slice(-1);
    assert.equal((await confirm(/^ {4}(\S+)$/m.exec(oldest!.text)![1]!)).status, 401);

    // A changed password ends the tokens, but their mails still count.
    const signedIn = await logIn(email, newPassword);
    for (let flood = 0; flood < 3; flood++) await resetTokenFor(email);
    const changed = await change(signedIn.body.accessToken, newPassword, password);
    assert.equal(changed.status, 200, changed.text);
    for (let flood = 0; flood < 3; flood++) await resetTokenFor(email);
    assert.equal((await resets()).length, 12);
  });

  test('returns 429 after 200 requests per hour from one network', async () => {
    const answers = await Promise.all(Array.from({ length: 205 }, () => request(someEmail(), '192.0.2.77')));
    assert.equal(answers.filter(({ status }) => status === 202).length, 200);
    assert.equal(answers.filter(({ status }) => status === 429).length, 5);
    assert.equal((await request(someEmail(), '192.0.2.78')).status, 202);
  });
});
