import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import {
  ACCOUNT_PASSWORD as password,
  accountClient,
  authenticatorCode,
} from '../../../testing/account-client.ts';
import type { Answer } from '../../../testing/http-client.ts';
import { arrangeInvitation } from '../../../testing/invitations.ts';
import { arrangeTenant } from '../../../testing/arrange.ts';
import { someEmail } from '../../../testing/mailbox.ts';
import { hashPassword } from '../../../security/passwords.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { commitWhileWaiting, whileLocked } from '../../../testing/while-locked.ts';
import { resetByOperator } from './index.ts';

const app = await startTestApp({ processes: 1, env: { TRUST_PROXY: 'on' } });
const accounts = await accountClient(app);
const { post, logIn, mfaToken, actionsOf, mailsTo } = accounts;
const verify = (body: object) => post('totp/verify', body);
const remove = (bearer: string, body: object) =>
  app.http.raw('DELETE', '/api/saas-auth/totp', JSON.stringify(body), { bearer });
const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status).toSorted();
const makeOld = ({ id }: { id: string }) =>
  app.owner.query(
    `UPDATE account_sessions SET created_at = now() - interval '6 minutes' WHERE account_id = $1`,
    [id],
  );
const wrongCodeFor = (secret: string) => {
  const right = [-2, -1, 0, 1, 2].map((offset) => authenticatorCode(secret, offset));
  return ['000000', '000001', '000002', '000003', '000004', '000005'].find((code) => !right.includes(code))!;
};

/** Checks that a request is a 401 if the password becomes "the new password" after the request has checked the old one. */
const isRefusedAfterNewPassword = (accountId: string, send: () => Promise<Answer>) =>
  whileLocked(
    app,
    // Another hash is another password. A reset stores it under the same lock.
    async (holder) => {
      await holder.query('UPDATE accounts SET password_hash = $2 WHERE id = $1', [
        accountId,
        await hashPassword('the new password', null),
      ]);
    },
    async (waiting, release) => {
      const answer = send();
      await waiting(1);
      await release();
      assert.equal((await answer).status, 401);
    },
  );

describe('POST /api/saas-auth/totp/enroll', () => {
  test('returns a secret for an authenticator app and changes no login yet', async () => {
    const account = await accounts.signUpVerified();
    const { status, body, text } = await post('totp/enroll', undefined, account.bearer);
    assert.equal(status, 200, text);
    assert.match(body.secret, /^[A-Z2-7]{32}$/);
    assert.equal(
      body.otpauthUri,
      `otpauth://totp/Guildhall%20guildhall.test:${encodeURIComponent(account.email)}?secret=${body.secret}` +
        '&issuer=Guildhall%20guildhall.test&algorithm=SHA1&digits=6&period=30',
    );
    assert.ok((await logIn(account.email)).body.accessToken);
    const { rows } = await app.owner.query('SELECT secret FROM account_totp WHERE account_id = $1', [
      account.id,
    ]);
    assert.ok(!rows[0].secret.toString('latin1').includes(body.secret), 'the secret is encrypted');
    const code = authenticatorCode(body.secret);
    assert.equal((await remove(account.bearer, { code })).status, 401, 'the code is no credential yet');
    assert.equal((await remove(account.bearer, { password })).status, 404);
  });

  test('returns 403 when the address is not verified', async () => {
    const account = await accounts.signUp();
    const refused = await post('totp/enroll', {}, account.bearer);
    assert.deepEqual([refused.status, refused.body.code], [403, 'email_not_verified']);
  });

  test('requires the password when the session is older than 5 minutes', async () => {
    const account = await accounts.signUpVerified();
    await makeOld(account);
    assert.equal((await post('totp/enroll', undefined, account.bearer)).status, 400);
    assert.equal((await post('totp/enroll', { password: 'wrong' }, account.bearer)).status, 401);
    assert.equal((await post('totp/enroll', { password }, account.bearer)).status, 200);
  });

  test('checks a password that a new session sends', async () => {
    const account = await accounts.signUpVerified();
    assert.equal((await post('totp/enroll', { password: 'wrong' }, account.bearer)).status, 401);
    assert.equal((await post('totp/enroll', { password }, account.bearer)).status, 200);
  });

  test('returns 401 if the password is changed after it was checked, and adds nothing', async () => {
    const account = await accounts.signUpVerified();
    await isRefusedAfterNewPassword(account.id, () => post('totp/enroll', { password }, account.bearer));
    const { rowCount } = await app.owner.query('SELECT FROM account_totp WHERE account_id = $1', [
      account.id,
    ]);
    assert.equal(rowCount, 0);
  });

  test('returns 401 if a reset of the password ends the session meanwhile, and adds nothing', async () => {
    // An attacker who signed up with the address of another person.
    const account = await accounts.signUp();
    const refused = await commitWhileWaiting(
      app,
      async (resetting) => {
        await resetting.query('UPDATE accounts SET email_verified_at = now() WHERE id = $1', [account.id]);
        await resetting.query('UPDATE account_sessions SET revoked_at = now() WHERE account_id = $1', [
          account.id,
        ]);
      },
      () => post('totp/enroll', {}, account.bearer),
    );
    assert.deepEqual([refused.status, refused.body.code], [401, 'invalid_bearer']);
    const { rowCount } = await app.owner.query('SELECT FROM account_totp WHERE account_id = $1', [
      account.id,
    ]);
    assert.equal(rowCount, 0);
  });

  test('returns 409 when the second factor is already on', async () => {
    const account = await accounts.signUpWithTotp();
    const refused = await post('totp/enroll', {}, account.bearer);
    assert.deepEqual([refused.status, refused.body.code], [409, 'totp_enabled']);
  });
});

describe('POST /api/saas-auth/totp/confirm', () => {
  test('turns the second factor on, returns ten recovery codes, sends an email, and writes an audit record', async () => {
    const account = await accounts.signUpWithTotp();
    assert.equal(new Set(account.recoveryCodes).size, 10);
    for (const code of account.recoveryCodes) assert.match(code, /^[a-z2-9]{5}-[a-z2-9]{5}$/);
    const me = await app.http.get('/api/saas-auth/me', account);
    assert.equal(me.body.user.totpEnabled, true);
    assert.equal((await mailsTo(account.email))[0]?.subject, 'Second factor added to your Guildhall account');
    assert.ok((await actionsOf(account)).includes('account.totp_enabled'));
    const { rows } = await app.owner.query(
      `SELECT code_hash FROM account_recovery_codes WHERE account_id = $1`,
      [account.id],
    );
    assert.equal(rows.length, 10);
    assert.ok(rows.every(({ code_hash }) => code_hash.length === 32));
  });

  test('returns 401 for a wrong code and 409 without an enrolment', async () => {
    const account = await accounts.signUpVerified();
    assert.equal((await post('totp/confirm', { code: '123456' }, account.bearer)).status, 409);
    const { secret } = (await post('totp/enroll', {}, account.bearer)).body;
    assert.equal((await post('totp/confirm', { code: wrongCodeFor(secret) }, account.bearer)).status, 401);
    for (const code of ['12345', '1234567', 'abcdef', 123456, null])
      assert.equal((await post('totp/confirm', { code }, account.bearer)).status, 400);
  });

  test('returns 409 for an enrolment that is older than 1 hour, until it is started again', async () => {
    const account = await accounts.signUpVerified();
    const confirm = async () => {
      const { secret } = (await post('totp/enroll', {}, account.bearer)).body;
      const age = async (interval: string) => {
        await app.owner.query(
          'UPDATE account_totp SET created_at = created_at - $2::interval WHERE account_id = $1',
          [account.id, interval],
        );
        return (await post('totp/confirm', { code: wrongCodeFor(secret) }, account.bearer)).status;
      };
      return [await age('59 minutes'), await age('1 minute')];
    };
    assert.deepEqual(await confirm(), [401, 409]);
    assert.deepEqual(await confirm(), [401, 409]);
  });

  test('returns 409 for a code of an enrolment that is started again meanwhile', async () => {
    const account = await accounts.signUpVerified();
    const { secret } = (await post('totp/enroll', {}, account.bearer)).body;
    const refused = await commitWhileWaiting(
      app,
      (holder) =>
        holder.query(
          `WITH account AS (SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE)
           UPDATE account_totp SET secret = '' FROM account WHERE account_id = id`,
          [account.id],
        ),
      () => post('totp/confirm', { code: authenticatorCode(secret) }, account.bearer),
    );
    assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
    assert.ok((await logIn(account.email)).body.accessToken, 'the second factor is off');
  });

  test('returns recovery codes to one of the parallel requests', async () => {
    const account = await accounts.signUpVerified();
    const { secret } = (await post('totp/enroll', {}, account.bearer)).body;
    const code = authenticatorCode(secret);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => post('totp/confirm', { code }, account.bearer)),
    );
    assert.deepEqual(statusesOf(answers), [200, 409, 409, 409, 409, 409]);
    const winner = answers.find(({ status }) => status === 200)!;
    const token = await mfaToken(account.email);
    const recovered = await verify({ mfaToken: token, recoveryCode: winner.body.recoveryCodes[0] });
    assert.equal(recovered.status, 200, 'the returned codes work');
  });
});

describe('POST /api/saas-auth/totp/verify', () => {
  test('completes a login with a code of the app, once', async () => {
    const account = await accounts.signUpWithTotp();
    const { email, secret } = account;
    const token = await mfaToken(email);
    const code = authenticatorCode(secret, 1);
    const done = await verify({ mfaToken: token, code });
    assert.equal(done.status, 200, done.text);
    assert.equal(done.body.user.email, email);
    assert.equal((await app.http.get('/api/saas-auth/me', { bearer: done.body.accessToken })).status, 200);
    assert.equal((await verify({ mfaToken: token, code })).status, 401, 'the mfaToken was used');
    assert.equal((await actionsOf(account)).includes('account.recovery_code_used'), false);
    const replayed = await verify({ mfaToken: await mfaToken(email), code });
    assert.deepEqual([replayed.status, replayed.body.code], [401, 'invalid_credentials']);
  });

  test('returns 401 for the code that confirmed the enrolment', async () => {
    const account = await accounts.signUpVerified();
    const { secret } = (await post('totp/enroll', {}, account.bearer)).body;
    const code = authenticatorCode(secret);
    assert.equal((await post('totp/confirm', { code }, account.bearer)).status, 200);
    assert.equal((await verify({ mfaToken: await mfaToken(account.email), code })).status, 401);
  });

  test('lets one of the parallel requests with one code succeed, across logins', async () => {
    const { email, secret } = await accounts.signUpWithTotp();
    const tokens = [];
    for (let login = 0; login < 6; login++) tokens.push(await mfaToken(email));
    const code = authenticatorCode(secret, 1);
    const answers = await Promise.all(tokens.map((token) => verify({ mfaToken: token, code })));
    assert.deepEqual(statusesOf(answers), [200, 401, 401, 401, 401, 401]);
  });

  test('lets one of the parallel requests with one recovery code succeed, and notifies and audits it', async () => {
    const account = await accounts.signUpWithTotp();
    const tokens = [];
    for (let login = 0; login < 6; login++) tokens.push(await mfaToken(account.email));
    const [recoveryCode = '', other = ''] = account.recoveryCodes;
    const answers = await Promise.all(tokens.map((token) => verify({ mfaToken: token, recoveryCode })));
    assert.deepEqual(statusesOf(answers), [200, 401, 401, 401, 401, 401]);
    assert.equal(
      (await actionsOf(account)).filter((action) => action === 'account.recovery_code_used').length,
      1,
    );
    const [mail] = await mailsTo(account.email);
    assert.equal(mail?.subject, 'A recovery code of your Guildhall account was used');
    assert.match(mail.text, /9 recovery codes are left/);
    const typed = ` ${other.toUpperCase().replace('-', ' ')} `;
    const next = await verify({ mfaToken: await mfaToken(account.email), recoveryCode: typed });
    assert.equal(next.status, 200, 'spaces and letter case do not matter');
  });

  test('lets one of the parallel requests with one mfaToken succeed', async () => {
    const { email, recoveryCodes } = await accounts.signUpWithTotp();
    const token = await mfaToken(email);
    const answers = await Promise.all(
      recoveryCodes.slice(0, 6).map((recoveryCode) => verify({ mfaToken: token, recoveryCode })),
    );
    assert.deepEqual(statusesOf(answers), [200, 401, 401, 401, 401, 401]);
    const { rows } = await app.owner.query(
      `SELECT FROM account_recovery_codes WHERE account_id = (SELECT id FROM accounts WHERE email = $1)`,
      [email],
    );
    assert.equal(rows.length, 9, 'the rejected requests consumed no recovery code');
  });

  test('returns 429 after 10 parallel wrong codes, from every network and for the right code', async () => {
    const { email, secret } = await accounts.signUpWithTotp();
    const token = await mfaToken(email);
    const guess = (code: string, index: number) =>
      post('totp/verify', { mfaToken: token, code }, undefined, { 'x-forwarded-for': `192.0.2.${index}` });
    const wrong = wrongCodeFor(secret);
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => guess(wrong, index)));
    assert.deepEqual(statusesOf(answers), [...Array(10).fill(401), ...Array(20).fill(429)]);
    const right = await guess(authenticatorCode(secret, 1), 99);
    assert.deepEqual([right.status, right.body.code], [429, 'too_many_attempts']);
    assert.ok(Number(right.headers.get('retry-after')) > 3_000);
    const code = { mfaToken: await mfaToken(email), recoveryCode: 'aaaaa-aaaaa' };
    assert.equal((await verify(code)).status, 429, 'all logins of the account share one budget');
  });

  test('counts an attempt before it compares the code', async () => {
    const { email, secret, id } = await accounts.signUpWithTotp();
    const token = await mfaToken(email);
    const code = wrongCodeFor(secret);
    await whileLocked(
      app,
      async (hold) => void (await hold.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [id])),
      async (waiting, release) => {
        const guesses = Array.from({ length: 10 }, () => verify({ mfaToken: token, code }));
        await waiting(10);
        // Ten attempts are counted, and no code is compared yet.
        const right = verify({ mfaToken: token, code: authenticatorCode(secret, 1) });
        await Promise.race([right, waiting(11)]);
        await release();
        assert.deepEqual(statusesOf(await Promise.all(guesses)), Array(10).fill(401));
        assert.equal((await right).status, 429);
      },
    );
  });

  test('returns 401 for expired tokens and tokens of another kind, and 400 for invalid bodies', async () => {
    const { email, secret, bearer, refreshToken } = await accounts.signUpWithTotp();
    const code = authenticatorCode(secret, 1);
    for (const token of ['x', bearer, refreshToken])
      assert.equal((await verify({ mfaToken: token, code })).status, 401);
    const token = await mfaToken(email);
    await app.owner.query(`UPDATE account_tokens SET expires_at = now() WHERE purpose = 'mfa'`);
    assert.equal((await verify({ mfaToken: token, code })).status, 401);
    for (const body of [
      {},
      { code: '123456', recoveryCode: 'x' },
      { code: 5 },
      { recoveryCode: 'x'.repeat(65) },
    ])
      assert.equal((await verify({ mfaToken: token, ...body })).status, 400);
  });

  test('accepts an mfaToken at no other endpoint', async () => {
    const { email } = await accounts.signUpWithTotp();
    const token = await mfaToken(email);
    assert.equal((await app.http.get('/api/saas-auth/me', { bearer: token })).status, 401);
    assert.equal((await post('refresh', { refreshToken: token })).status, 401);
    assert.equal((await post('email/verify', { token })).status, 401);
    assert.equal((await post('password-reset/confirm', { token, newPassword: password })).status, 401);
  });

  test('keeps at most 10 waiting logins per account, and its tokens for other purposes', async () => {
    const { email, id, recoveryCodes } = await accounts.signUpWithTotp();
    const tokens = [];
    for (let login = 0; login < 12; login++) tokens.push(await mfaToken(email));
    const { rows } = await app.owner.query(
      'SELECT purpose, count(*)::int FROM account_tokens WHERE account_id = $1 GROUP BY purpose ORDER BY purpose',
      [id],
    );
    assert.deepEqual(rows, [
      { purpose: 'mfa', count: 10 },
      { purpose: 'verify', count: 1 },
    ]);
    const complete = async (token = '') =>
      (await verify({ mfaToken: token, recoveryCode: recoveryCodes[0] })).status;
    assert.equal(await complete(tokens[1]), 401, 'the oldest ones ended');
    assert.equal(await complete(tokens[2]), 200);
  });
});

describe('POST /api/saas-auth/login with a second factor', () => {
  test('returns 401 if the password is changed after it was checked', async () => {
    const { id, email } = await accounts.signUpWithTotp();
    await isRefusedAfterNewPassword(id, () => logIn(email));
  });

  test('returns the same error for a wrong password as without a second factor', async () => {
    const { email } = await accounts.signUpWithTotp();
    const wrong = await logIn(email, 'wrong');
    const unknown = await logIn(someEmail(), 'wrong');
    assert.deepEqual([wrong.status, wrong.body.detail], [401, unknown.body.detail]);
  });

  test('opens no session without the second factor if it is added during a login or the acceptance of an invitation', async () => {
    const tenant = await arrangeTenant(app);
    const addDuring = async ({ id }: { id: string }, request: () => Promise<Answer>): Promise<Answer> => {
      let answer!: Promise<Answer>;
      await whileLocked(
        app,
        async (holder) => {
          await holder.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [id]);
          await holder.query(
            `INSERT INTO account_totp (account_id, secret, confirmed_at, last_step) VALUES ($1, '', now(), 0)`,
            [id],
          );
        },
        async (waiting, release) => {
          answer = request();
          await waiting(1);
          await release();
        },
      );
      return answer;
    };
    const account = await accounts.signUpVerified();
    assert.equal((await addDuring(account, () => logIn(account.email))).status, 401);

    const invited = await accounts.signUpVerified();
    const { token } = await arrangeInvitation(app, tenant, { email: invited.email });
    const accepted = await addDuring(invited, () => post('invitations/accept', { token, password }));
    assert.equal(accepted.status, 401);
    const { rows } = await app.owner.query('SELECT FROM memberships WHERE account_id = $1', [invited.id]);
    assert.deepEqual(rows, [], 'the invitation can be accepted again');
  });

  test('returns 403 when an invitation is accepted with the password alone', async () => {
    const account = await accounts.signUpWithTotp();
    const tenant = await arrangeTenant(app);
    const { token } = await arrangeInvitation(app, tenant, { email: account.email });
    const refused = await post('invitations/accept', { token, password });
    assert.deepEqual([refused.status, refused.body.code], [403, 'second_factor_needed']);
    const wrong = await post('invitations/accept', { token, password: 'wrong password' });
    assert.equal(wrong.status, 401, 'a caller without the password does not learn about the second factor');
    assert.equal((await post('me/invitations/accept', { token }, account.bearer)).status, 200);
  });
});

describe('a reset of the password by the operator', () => {
  const database = openDatabase(app.databaseUrl, { poolSize: 1 });
  after(() => database.close());
  const reset = async (email: string, removeTotp: boolean) => {
    const passwordHash = await hashPassword('the new password', null);
    const wanted = { email, passwordHash, removeTotp };
    return database.transaction((transaction) => resetByOperator(transaction, wanted));
  };

  test('ends sessions and waiting logins, and keeps the second factor unless told otherwise', async () => {
    const account = await accounts.signUpWithTotp();
    const { email, recoveryCodes } = account;
    const waiting = await mfaToken(email);
    assert.equal(await reset(email, false), true);
    assert.equal((await app.http.get('/api/saas-auth/me', account)).status, 401);
    const recover = (token: string) => verify({ mfaToken: token, recoveryCode: recoveryCodes[0] });
    assert.equal((await recover(waiting)).status, 401);
    assert.equal((await recover(await mfaToken(email, 'the new password'))).status, 200);

    assert.equal(await reset(email, true), true);
    assert.ok((await logIn(email, 'the new password')).body.accessToken, 'a login needs only the password');
    assert.equal(await reset(someEmail(), true), false);
    const { rows } = await app.owner.query(
      `SELECT actor_kind, details FROM audit_records WHERE target_id = $1 AND action = 'account.password_reset' ORDER BY id`,
      [account.id],
    );
    const source = 'operator';
    assert.deepEqual(rows, [
      { actor_kind: 'system', details: { source, endedSessions: 1, totpRemoved: false } },
      { actor_kind: 'system', details: { source, endedSessions: 1, totpRemoved: true } },
    ]);
  });
});

describe('DELETE /api/saas-auth/totp and POST /api/saas-auth/totp/recovery-codes', () => {
  test('are refused if the password is changed after it was checked', async () => {
    for (const attempt of [
      (bearer: string) => remove(bearer, { password }),
      (bearer: string) => post('totp/recovery-codes', { password }, bearer),
    ]) {
      const account = await accounts.signUpWithTotp();
      await isRefusedAfterNewPassword(account.id, () => attempt(account.bearer));
      const mfa = await mfaToken(account.email, 'the new password');
      const used = { mfaToken: mfa, recoveryCode: account.recoveryCodes[0] };
      assert.equal((await verify(used)).status, 200, 'the second factor and its codes are the same');
    }
  });

  test('return 401 for a code of an app that another one replaces meanwhile', async () => {
    const account = await accounts.signUpWithTotp();
    const refused = await commitWhileWaiting(
      app,
      (holder) =>
        holder.query(`UPDATE account_totp SET secret = '', last_step = 0 WHERE account_id = $1`, [
          account.id,
        ]),
      () => remove(account.bearer, { code: authenticatorCode(account.secret, 1) }),
    );
    assert.equal(refused.status, 401);
  });

  test('count wrong codes together with those of a login', async () => {
    const { email, bearer, secret } = await accounts.signUpWithTotp();
    const token = await mfaToken(email);
    const attempts = [
      (code: string) => remove(bearer, { code }),
      (code: string) => post('totp/recovery-codes', { code }, bearer),
      (code: string) => verify({ mfaToken: token, code }),
    ];
    const wrong = wrongCodeFor(secret);
    for (let guess = 0; guess < 10; guess++)
      assert.equal((await attempts[guess % 3]!(wrong)).status, 401, String(guess));
    for (const attempt of attempts) assert.equal((await attempt(authenticatorCode(secret, 1))).status, 429);
  });

  test('require the password or a code of the app', async () => {
    const account = await accounts.signUpWithTotp();
    const renew = (body: object) => post('totp/recovery-codes', body, account.bearer);
    for (const [body, status] of [
      [{}, 400],
      [{ password: 'wrong' }, 401],
      [{ code: wrongCodeFor(account.secret) }, 401],
    ] as const) {
      assert.equal((await remove(account.bearer, body)).status, status, JSON.stringify(body));
      assert.equal((await renew(body)).status, status, JSON.stringify(body));
    }
    const renewed = await renew({ password });
    assert.equal(renewed.status, 200, renewed.text);
    const old = { mfaToken: await mfaToken(account.email), recoveryCode: account.recoveryCodes[0] };
    assert.equal((await verify(old)).status, 401, 'the old codes stop working');
    const removed = await remove(account.bearer, { code: authenticatorCode(account.secret, 1) });
    assert.equal(removed.status, 204, removed.text);
    assert.ok((await logIn(account.email)).body.accessToken, 'a login needs only the password');
    assert.equal((await remove(account.bearer, { password })).status, 404);
    assert.equal((await renew({ password })).status, 404);
    const actions = await actionsOf(account);
    assert.ok(
      actions.includes('account.recovery_codes_renewed') && actions.includes('account.totp_disabled'),
    );
    const subjects = (await mailsTo(account.email)).map(({ subject }) => subject);
    assert.deepEqual(subjects.slice(0, 2), [
      'Second factor removed from your Guildhall account',
      'New recovery codes for your Guildhall account',
    ]);
  });
});
