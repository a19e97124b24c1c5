import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { someEmail } from '../../../testing/mailbox.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { whileLocked } from '../../../testing/while-locked.ts';

const app = await startTestApp({ processes: 1 });
const closed = await startTestApp({ databaseUrl: app.databaseUrl, env: { SIGNUP: 'closed' } });
/** Servers that are reachable from other machines. The database of each one has no accounts. */
const reachable = [
  await startTestApp({ env: { HOST: '0.0.0.0' } }),
  await startTestApp({ env: { HOST: '::' } }),
  await startTestApp({ env: { DATABASE_URL: 'postgres://localhost/any', MASTER_KEY: '5'.repeat(64) } }),
];
const local = await startTestApp();
const withPublicUrl = await startTestApp({ env: { PUBLIC_URL: 'http://127.0.0.2:9000' } });

const password = 'correct horse';
const signUp = (body: object = {}) =>
  app.http.post('/api/saas-auth/signup', { email: someEmail(), password, ...body });
const logIn = (email: string, given = password) =>
  app.http.post('/api/saas-auth/login', { email, password: given });
const refresh = (refreshToken: string) => app.http.post('/api/saas-auth/refresh', { refreshToken });
const logOut = (refreshToken: string) => app.http.post('/api/saas-auth/logout', { refreshToken });
const me = (bearer: string) => app.http.get('/api/saas-auth/me', { bearer });

describe('POST /api/saas-auth/signup', () => {
  test('makes exactly one of the parallel first accounts platform administrator', async () => {
    await whileLocked(
      app,
      async (hold) => void (await hold.query('LOCK TABLE accounts IN SHARE MODE')),
      async (waiting, release) => {
        const signUps = Array.from({ length: 6 }, () => signUp());
        await waiting(6);
        await release();
        const answers = await Promise.all(signUps);
        assert.deepEqual(
          answers.map((answer) => answer.status),
          Array(6).fill(201),
        );
        assert.equal(answers.filter((answer) => answer.body.user.isPlatformAdmin).length, 1);
      },
    );
    assert.equal((await signUp()).body.user.isPlatformAdmin, false);
  });

  test('creates no platform administrator on a server that is reachable from other machines', async () => {
    for (const { http } of reachable) {
      const { status, body } = await http.post('/api/saas-auth/signup', { email: someEmail(), password });
      assert.deepEqual([status, body.user.isPlatformAdmin], [201, false]);
      const outbox = await http.get('/api/admin/outbox', { bearer: body.accessToken });
      assert.equal(outbox.status, 403);
    }
  });

  /** Signs the first account of a server up, and returns whether it is a platform administrator. */
  const firstIsAdmin = async ({ inject, owner }: typeof app, headers: Record<string, string>) => {
    await owner.query('TRUNCATE accounts CASCADE');
    const answer = await inject.post('/api/saas-auth/signup', { email: someEmail(), password }, { headers });
    assert.equal(answer.status, 201, answer.text);
    return answer.body.user.isPlatformAdmin as boolean;
  };

  test('makes the first account platform administrator if the request comes from this machine', async () => {
    for (const host of ['localhost', 'LOCALHOST:8080', '127.0.0.1:8080', '[::1]', '[::1]:1']) {
      assert.equal(await firstIsAdmin(local, { host }), true, host);
      assert.equal(await firstIsAdmin(local, { host, origin: `http://${host}` }), true, host);
    }
    assert.equal(await firstIsAdmin(withPublicUrl, { host: '127.0.0.2:9000' }), true);
  });

  test('creates no platform administrator when a proxy forwarded the request', async () => {
    for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'])
      assert.equal(await firstIsAdmin(local, { [name]: '127.0.0.1' }), false, name);
  });

  test('creates no platform administrator when Host names another machine, as after DNS rebinding', async () => {
    for (const host of [
      'attacker.example:8080',
      'localhost.attacker.example',
      'localhost@attacker.example',
      '127.0.0.2:8080',
      '192.168.0.7:8080',
      '[::2]',
      ':8080',
      'a b',
    ])
      assert.equal(await firstIsAdmin(local, { host }), false, host);
    for (const host of ['127.0.0.2:9001', 'attacker.example:9000'])
      assert.equal(await firstIsAdmin(withPublicUrl, { host }), false, host);
  });

  test('creates no platform administrator for a page of another origin', async () => {
    for (const origin of [
      'http://attacker.example',
      'http://localhost:3000',
      'http://127.0.0.1:8080',
      'null',
      '',
    ])
      assert.equal(await firstIsAdmin(local, { host: 'localhost:8080', origin }), false, origin);
  });

  test('returns tokens that work, and the login returns the same fields', async () => {
    const email = someEmail();
    const created = await signUp({ email: ` ${email.toUpperCase()} `, displayName: '  Ada  ' });
    assert.equal(created.status, 201, created.text);
    const { accessToken, refreshToken, tokenType, expiresIn, user } = created.body;
    assert.equal(tokenType, 'Bearer');
    assert.equal(expiresIn, 900);
    assert.match(refreshToken, /^gh_session_/);
    assert.equal(user.email, email);
    assert.equal(user.displayName, 'Ada');
    assert.deepEqual((await me(accessToken)).body, { user, memberships: [] });

    const login = await logIn(email.toUpperCase());
    assert.equal(login.status, 200, login.text);
    assert.deepEqual(Object.keys(login.body), Object.keys(created.body));
    assert.deepEqual(login.body.user, user);
    const { rows } = await app.owner.query(
      `SELECT action, actor_id FROM audit_records WHERE target_id = $1`,
      [user.id],
    );
    assert.deepEqual(rows, [{ action: 'account.created', actor_id: user.id }]);
  });

  test('returns a SaaS access token with a lifetime of 15 minutes', async () => {
    const { accessToken, user } = (await signUp()).body;
    const claims = JSON.parse(Buffer.from(accessToken.split('.')[1], 'base64url').toString());
    assert.equal(claims.auth_type, 'saas');
    assert.equal(claims.scope, 'saas');
    assert.equal(claims.sub, user.id);
    assert.equal(claims.exp - claims.iat, 900);
  });

  test('returns 409 when the address is taken, in any letter case and for parallel requests', async () => {
    const email = someEmail();
    const answers = await Promise.all([email, email.toUpperCase(), email].map((email) => signUp({ email })));
    assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [201, 409, 409]);
    const again = await signUp({ email });
    assert.equal(again.body.code, 'email_taken');
  });

  test('returns 403 when sign-up is closed', async () => {
    const answer = await closed.http.post('/api/saas-auth/signup', { email: someEmail(), password });
    assert.equal(answer.status, 403);
    assert.equal(answer.body.code, 'signup_closed');
  });

  test('accepts passwords of 8 to 128 code points', async () => {
    assert.equal((await signUp({ password: '1234567' })).status, 400);
    assert.equal((await signUp({ password: '12345678' })).status, 201);
    assert.equal((await signUp({ password: '🗝'.repeat(128) })).status, 201);
    assert.equal((await signUp({ password: '🗝'.repeat(129) })).status, 400);
  });

  test('returns 400 for malformed requests', async () => {
    for (const body of [
      { email: 'nobody' },
      { email: 5 },
      { password: null },
      { displayName: ' ' },
      { displayName: 'a\nb' },
    ])
      assert.equal((await signUp(body)).status, 400, JSON.stringify(body));
    assert.equal((await app.http.raw('POST', '/api/saas-auth/signup', '{')).body.code, 'malformed_json');
    assert.equal((await app.http.raw('POST', '/api/saas-auth/login', undefined)).status, 400);
  });
});

describe('POST /api/saas-auth/login', () => {
  test('returns the same 401 for an unknown address and a wrong password', async () => {
    const { email } = (await signUp()).body.user;
    const plain = ({ status, body: { requestId, ...body } }: Awaited<ReturnType<typeof logIn>>) => ({
      status,
      body,
    });
    const wrong = plain(await logIn(email, 'wrong'));
    assert.equal(wrong.status, 401);
    assert.equal(wrong.body.code, 'invalid_credentials');
    assert.deepEqual(plain(await logIn(someEmail(), 'wrong')), wrong);
  });

  test('hashes the password for an unknown address too', async () => {
    // This server has a login budget of its own, which allows 100 wrong passwords.
    const answers = await Promise.all(
      Array.from({ length: 90 }, () =>
        local.http.post('/api/saas-auth/login', { email: someEmail(), password }),
      ),
    );
    // Only requests that hash a password can fill the queue of passwords and get 503.
    const statuses = new Set(answers.map((answer) => answer.status));
    assert.deepEqual(statuses, new Set([401, 503]));
  });

  test('returns 503 with Retry-After when too many passwords wait to be hashed', async () => {
    const answers = await Promise.all(Array.from({ length: 90 }, () => signUp()));
    const busy = answers.filter((answer) => answer.status === 503);
    assert.ok(busy.length > 0 && busy.length < 90, `${busy.length} of 90`);
    assert.equal(busy[0]!.body.code, 'busy');
    assert.ok(Number(busy[0]!.headers.get('retry-after')) > 0);
    assert.equal((await signUp()).status, 201);
  });

  test('does not lock an account for right passwords in parallel', async () => {
    const { email } = (await signUp()).body.user;
    const logins = await Promise.all(Array.from({ length: 30 }, () => logIn(email)));
    for (const login of logins.filter(({ status }) => status !== 200))
      assert.deepEqual([login.status, login.headers.get('retry-after')], [429, '1']);
    assert.equal((await logIn(email)).status, 200);
  });

  test('returns 429 after 10 wrong passwords, even for the right password', async () => {
    const { email } = (await signUp()).body.user;
    assert.equal((await logIn(email)).status, 200);
    const guesses = await Promise.all(
      Array.from({ length: 12 }, (_, guess) => logIn(email, `wrong ${guess}`)),
    );
    const statuses = guesses.map((guess) => guess.status).toSorted();
    assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429]);
    const right = await logIn(email);
    assert.equal(right.status, 429);
    assert.equal(right.body.code, 'too_many_attempts');
    const seconds = Number(right.headers.get('retry-after'));
    assert.ok(seconds > 800 && seconds <= 900, `Retry-After: ${seconds}`);
  });
});

describe('POST /api/saas-auth/refresh', () => {
  test('returns new tokens and invalidates the old refresh token', async () => {
    const { refreshToken, user } = (await signUp()).body;
    const next = await refresh(refreshToken);
    assert.equal(next.status, 200, next.text);
    assert.deepEqual(next.body.user, user);
    assert.equal((await me(next.body.accessToken)).status, 200);
    assert.equal((await refresh(refreshToken)).body.code, 'invalid_refresh_token');
    assert.equal((await refresh(next.body.refreshToken)).status, 200);
  });

  test('lets one of the parallel requests succeed and keeps its token valid', async () => {
    const { refreshToken } = (await signUp()).body;
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(refreshToken)));
    const winners = answers.filter((answer) => answer.status === 200);
    assert.equal(winners.length, 1);
    assert.equal(answers.filter((answer) => answer.status === 401).length, 9);
    assert.equal((await refresh(winners[0]!.body.refreshToken)).status, 200);
  });

  test('ends the session when a token is reused after 10 seconds, and audits it once', async () => {
    const { refreshToken, accessToken, user } = (await signUp()).body;
    const next = await refresh(refreshToken);
    await app.owner.query(`
    UPDATE account_refresh_tokens SET used_at = used_at - interval '11 seconds'
    WHERE session_id IN (SELECT id FROM account_sessions WHERE account_id = '${user.id}')`);
    assert.equal((await refresh(refreshToken)).status, 401);
    assert.equal((await refresh(refreshToken)).status, 401);
    assert.equal((await refresh(next.body.refreshToken)).status, 401);
    assert.equal((await me(accessToken)).status, 401, 'its access tokens end too');
    const { rows } = await app.owner.query(
      `SELECT action FROM audit_records WHERE actor_id = $1 AND action = 'refresh_token.reused'`,
      [user.id],
    );
    assert.equal(rows.length, 1);
  });

  test('returns 401 for an expired refresh token', async () => {
    const { refreshToken, user } = (await signUp()).body;
    await app.owner.query(`
    UPDATE account_refresh_tokens SET expires_at = now() - interval '1 second'
    WHERE session_id IN (SELECT id FROM account_sessions WHERE account_id = '${user.id}')`);
    assert.equal((await refresh(refreshToken)).status, 401);
  });
});

describe('POST /api/saas-auth/logout', () => {
  test('ends only its own session and is idempotent', async () => {
    const { refreshToken, accessToken, user } = (await signUp()).body;
    const other = (await logIn(user.email)).body.refreshToken;
    assert.equal((await logOut(refreshToken)).status, 204);
    assert.equal((await logOut(refreshToken)).status, 204);
    assert.equal((await refresh(refreshToken)).status, 401);
    assert.equal((await me(accessToken)).status, 401, 'its access tokens end too');
    assert.equal((await refresh(other)).status, 200);
  });

  test('leaves no valid refresh token when a refresh runs in parallel', async () => {
    for (let round = 0; round < 5; round++) {
      const { refreshToken } = (await signUp()).body;
      const [refreshed] = await Promise.all([refresh(refreshToken), logOut(refreshToken)]);
      if (refreshed.status === 200) assert.equal((await refresh(refreshed.body.refreshToken)).status, 401);
    }
  });

  test('returns 401 for tokens of another kind and for missing tokens', async () => {
    const { accessToken, refreshToken } = (await signUp()).body;
    const player = refreshToken.replace('gh_session_', 'gh_refresh_');
    for (const token of [accessToken, player, refreshToken.slice(0, -1), 'x', `${refreshToken}0`]) {
      assert.equal((await refresh(token)).status, 401, token);
      assert.equal((await logOut(token)).status, 401, token);
    }
    assert.equal((await refresh('')).status, 400);
    assert.equal((await refresh('x'.repeat(513))).status, 400);
    assert.equal((await me('')).body.code, 'missing_bearer');
    assert.equal((await me(refreshToken)).body.code, 'invalid_bearer');
    assert.equal((await me(`${accessToken}x`)).body.code, 'invalid_bearer');
  });
});
