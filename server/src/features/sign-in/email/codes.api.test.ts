import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangePlan, arrangeTenant } from '../../../testing/arrange.ts';
import { emailClient, PASSWORD, someNetwork } from '../../../testing/email-player.ts';
import { eventually } from '../../../testing/eventually.ts';
import { someEmail } from '../../../testing/mailbox.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { vault } from '../../../testing/test-vault.ts';

const app = await startTestApp({ processes: 1, env: { TRUST_PROXY: 'on' } });
const providers = ['EmailOneTimeCode', 'EmailPassword', 'Mock'];
const tenant = await arrangeTenant(app, { providers });
const stranger = await arrangeTenant(app, { providers });
const bare = await arrangeTenant(app, { providers: ['EmailPassword'] });
const { post, mailsTo, secretTo, codeFor, exchange, signUp } = await emailClient(app);

const send = (email: unknown, network?: string) => post('email/otc', { email }, tenant, network);
const exists = (email: string, caller = tenant) =>
  post('players/exists', { provider: 'EmailOneTimeCode', providerUserId: email }, caller);
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');
const row = async (statement: string, ...values: unknown[]) =>
  (await app.owner.query(statement, values)).rows[0];

describe('POST /api/player-auth/email/otc and /otc/exchange', () => {
  test('mails a code that signs a new player in', async () => {
    const email = someEmail();
    const sent = await send(` ${email.toUpperCase()} `);
    assert.equal(sent.status, 200, sent.text);
    assert.deepEqual(Object.keys(sent.body), ['expiresAt', 'resendAfterSeconds']);
    assert.ok(Math.abs(Date.parse(sent.body.expiresAt) - Date.now() - 600_000) < 60_000);
    assert.equal(sent.body.resendAfterSeconds, 30);
    const { name } = await row('SELECT name FROM tenants WHERE id = $1', tenant.tenantId);
    const [mail, ...others] = await mailsTo(email);
    assert.equal(others.length, 0);
    assert.equal(mail?.subject, 'Your sign-in code');
    assert.match(mail?.text ?? '', new RegExp(`the game “${name}”`));
    assert.match(mail?.text ?? '', /10 minutes[^]*did not ask/);
    const code = await secretTo(email);
    assert.match(code, /^[0-9]{6}$/);

    const deviceInfo = { deviceFingerprint: 'f'.repeat(16) };
    const clientInfo = { platform: 'PC_Linux' };
    const more = { deviceInfo, clientInfo, profileVisibility: 'private' };
    const first = await exchange(email.toUpperCase(), code, tenant, more);
    assert.equal(first.status, 200, first.text);
    assert.equal(first.body.isNewPlayer, true);
    assert.equal(first.body.tenantId, tenant.tenantId);
    const { playerId, sessionId } = first.body;
    const player = await row('SELECT * FROM players WHERE id = $1', playerId);
    assert.deepEqual([player.email, player.profile_visibility], [email, 'private']);
    const session = await row('SELECT * FROM login_ledger WHERE session_id = $1', sessionId);
    assert.deepEqual([session.auth_provider, session.platform], ['email', 'PC_Linux']);
    assert.ok(session.device_id);
    assert.ok((await row('SELECT verified_at FROM email_credentials WHERE email = $1', email)).verified_at);

    const again = await exchange(email, await codeFor(email, tenant), tenant, { profileVisibility: 'full' });
    assert.deepEqual([again.body.playerId, again.body.isNewPlayer], [playerId, false]);
    const elsewhere = await exchange(email, await codeFor(email, stranger), stranger);
    assert.deepEqual([elsewhere.body.playerId, elsewhere.body.isNewPlayer], [playerId, false]);
  });

  test('returns the same response for known, pending and unknown addresses', async () => {
    const known = someEmail();
    await exchange(known, await codeFor(known, tenant), tenant);
    const pending = someEmail();
    await post('email/otc', { email: pending }, stranger);
    const plain = ({ status, headers, body }: Awaited<ReturnType<typeof send>>) => ({
      status,
      headers: [...headers.keys()].toSorted(),
      body: { ...body, expiresAt: typeof body.expiresAt },
    });
    await app.owner.query(`UPDATE one_time_codes SET sent_at = sent_at - interval '1 minute'`);
    const unknown = plain(await send(someEmail()));
    assert.deepEqual(plain(await send(known)), unknown);
    assert.deepEqual(plain(await send(pending)), unknown);
  });

  test('sends no second code within 30 seconds, even to parallel requests', async () => {
    const email = someEmail();
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(email)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(10).fill(200),
    );
    assert.equal(new Set(answers.map(({ body }) => body.expiresAt)).size, 1);
    assert.equal((await mailsTo(email)).length, 1);
    await app.owner.query(
      `UPDATE one_time_codes SET sent_at = sent_at - interval '10 seconds' WHERE email = $1`,
      [email],
    );
    const later = await send(email);
    assert.equal(later.body.expiresAt, answers[0]?.body.expiresAt);
    assert.ok(later.body.resendAfterSeconds <= 20, later.text);
    const first = await secretTo(email);
    await app.owner.query(
      `UPDATE one_time_codes SET sent_at = sent_at - interval '20 seconds' WHERE email = $1`,
      [email],
    );
    assert.equal((await send(email)).body.resendAfterSeconds, 30);
    assert.equal((await mailsTo(email)).length, 2);
    assert.equal((await exchange(email, first, tenant)).status, 401, 'an address has one valid code');
    assert.equal((await exchange(email, await secretTo(email), tenant)).status, 200);
  });

  test('counts one mail when parallel requests conflict', async () => {
    const email = someEmail();
    const waiting = async () => {
      const { rows } = await app.owner.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length;
    };
    const holder = await app.owner.connect();
    let answers: ReturnType<typeof send>[];
    try {
      await holder.query('BEGIN');
      await holder.query(
        'INSERT INTO email_credentials (email, mails_since, mails_sent) VALUES ($1, now(), 0)',
        [email],
      );
      answers = Array.from({ length: 8 }, () => send(email));
      await eventually(async () => (await waiting()) === 8);
    } finally {
      await holder.query('COMMIT');
      holder.release();
    }
    for (const { status, text } of await Promise.all(answers)) assert.equal(status, 200, text);
    const { rows } = await app.owner.query('SELECT mails_sent FROM email_credentials WHERE email = $1', [
      email,
    ]);
    assert.deepEqual(rows, [{ mails_sent: 1 }]);
  });

  const ask = async (email: string, caller = tenant, network = someNetwork()) => {
    await app.owner.query(
      `UPDATE one_time_codes SET sent_at = sent_at - interval '1 minute' WHERE email = $1`,
      [email],
    );
    return post('email/otc', { email }, caller, network);
  };
  const deliverable = async (email: string) =>
    (await app.owner.query('SELECT FROM mails WHERE recipient = $1 AND failed_at IS NULL', [email])).rowCount;

  test('limits the mails from a tenant to an address to 20 a day', async () => {
    const email = someEmail();
    for (let mail = 0; mail < 20; mail++) assert.equal((await ask(email)).status, 200, `mail ${mail + 1}`);
    const refused = await ask(email);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    const seconds = Number(refused.headers.get('retry-after'));
    assert.ok(seconds > 86_000 && seconds <= 86_400, `Retry-After: ${seconds}`);
    assert.equal((await mailsTo(email)).length, 20);
    await app.owner.query(`UPDATE mail_counts SET since = since - interval '1 day' WHERE email = $1`, [
      email,
    ]);
    assert.equal((await ask(email)).status, 200);
  });

  test('limits the mails from all tenants without a sign-in to 20 a day, with the same response', async () => {
    const email = someEmail();
    await app.owner.query(
      'INSERT INTO email_credentials (email, mails_since, mails_sent) VALUES ($1, now(), 19)',
      [email],
    );
    assert.equal((await ask(email)).status, 200);
    assert.equal(await deliverable(email), 1);
    const held = await ask(email, stranger);
    assert.deepEqual([held.status, held.body.resendAfterSeconds], [200, 30]);
    assert.equal(await deliverable(email), 1, 'the twenty-first mail is not sent');

    const { code_hash: heldHash } = await row(
      'SELECT code_hash FROM one_time_codes WHERE email = $1 AND tenant_id = $2',
      email,
      stranger.tenantId,
    );
    const hashOf = (code: number) =>
      vault.fingerprint(`one-time code ${stranger.tenantId} ${email} ${String(code).padStart(6, '0')}`);
    assert.equal(heldHash.length, hashOf(0).length);
    for (let code = 0; code < 1_000_000; code++)
      if (hashOf(code).equals(heldHash)) assert.fail('a code that was not sent can be guessed');
    const guess = await exchange(email, '000000', stranger);
    assert.deepEqual([guess.status, guess.body.code], [401, 'invalid_credentials']);
  });

  test('sends mail from a tenant with a sign-in, regardless of other tenants', async () => {
    const email = someEmail();
    assert.equal((await exchange(email, await codeFor(email, tenant), tenant)).status, 200);
    await app.owner.query('UPDATE email_credentials SET mails_sent = 20 WHERE email = $1', [email]);
    const before = (await deliverable(email))!;
    assert.equal((await ask(email, stranger)).status, 200);
    assert.equal(await deliverable(email), before, 'the mail of another tenant is not sent');
    assert.equal((await exchange(email, await codeFor(email, tenant), tenant)).status, 200);
    const { rows } = await app.owner.query('SELECT mails_sent FROM email_credentials WHERE email = $1', [
      email,
    ]);
    assert.deepEqual(rows, [{ mails_sent: 20 }]);
  });

  test('limits the mails for one network and address to 10 a day', async () => {
    const email = someEmail();
    const network = someNetwork();
    for (let request = 0; request < 10; request++)
      assert.equal((await ask(email, tenant, network)).status, 200);
    const refused = await ask(email, tenant, network);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    assert.equal((await send(someEmail(), network)).status, 200);
    assert.equal((await ask(email)).status, 200);
  });

  test('counts the mails of sign-ups for one network and address, and no refused sign-up', async () => {
    const [email, network] = [someEmail(), someNetwork()];
    const signUpThere = () => post('email/signup', { email, password: PASSWORD }, tenant, network);
    for (let count = 0; count < 10; count++) {
      const { body } = await signUpThere();
      assert.equal((await signUpThere()).body.code, 'player_exists');
      const deleted = await app.http.delete('/api/player-profile/me', { bearer: body.accessToken });
      assert.equal(deleted.status, 204, deleted.text);
    }
    assert.equal((await signUpThere()).body.code, 'too_many_attempts');
    assert.equal((await ask(email, tenant, network)).body.code, 'too_many_attempts');
    assert.equal((await exchange(email, await codeFor(email, tenant), tenant)).status, 200);
  });

  test('does not count repeated requests that send no mail', async () => {
    const email = someEmail();
    const network = someNetwork();
    for (let click = 0; click < 25; click++) assert.equal((await send(email, network)).status, 200);
    const again = await ask(email, tenant, network);
    assert.equal(again.status, 200, again.text);
    assert.equal((await mailsTo(email)).length, 2);
  });

  test('does not count requests that a hard stop has refused', async () => {
    const stopped = await arrangeTenant(app, { providers });
    await arrangePlan(app, stopped, { monthlyUnits: 0, hardStop: true });
    const [email, network] = [someEmail(), someNetwork()];
    for (let request = 0; request < 11; request++)
      assert.equal((await ask(email, stopped, network)).body.code, 'quota_exceeded');
    const signUpThere = () => post('email/signup', { email, password: PASSWORD }, stopped, network);
    for (let request = 0; request < 11; request++)
      assert.equal((await signUpThere()).body.code, 'quota_exceeded');
    await arrangePlan(app, stopped, { monthlyUnits: null });
    assert.equal((await ask(email, stopped, network)).status, 200);
  });

  test('does not count refused requests for an address for its network', async () => {
    const [email, network] = [someEmail(), someNetwork()];
    for (let request = 0; request < 10; request++)
      assert.equal((await ask(email, tenant, network)).status, 200);
    for (let request = 0; request < 200; request++) assert.equal((await send(email, network)).status, 429);
    assert.equal((await send(someEmail(), network)).status, 200);
  });

  test('limits the mails for one network to 200 an hour', async () => {
    const network = someNetwork();
    const answers = await Promise.all(Array.from({ length: 200 }, () => send(someEmail(), network)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 200);
    const refused = await send(someEmail(), network);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    assert.ok(Number(refused.headers.get('retry-after')) > 3_000);
    assert.equal((await send(someEmail())).status, 200, 'other networks are not limited');
  });

  test('returns the same 401 for wrong, used, expired and unknown codes', async () => {
    const email = someEmail();
    const code = await codeFor(email, tenant);
    const refusals = [
      await exchange(email, wrong(code), tenant),
      await exchange(someEmail(), code, tenant),
      await exchange(email, code, stranger),
    ];
    assert.equal((await exchange(email, code, tenant)).status, 200);
    refusals.push(await exchange(email, code, tenant));
    const expired = await codeFor(email, tenant);
    await app.owner.query(`UPDATE one_time_codes SET expires_at = now() WHERE email = $1`, [email]);
    refusals.push(await exchange(email, expired, tenant));
    for (const { status, body } of refusals) {
      const { code: problem, detail } = body;
      assert.deepEqual(
        { status, problem, detail },
        {
          status: 401,
          problem: 'invalid_credentials',
          detail: 'The code is wrong, was used, or has expired. Check it, or request a new one.',
        },
      );
    }
  });

  test('refuses the right code after five wrong attempts, and accepts the next code', async () => {
    const email = someEmail();
    const code = await codeFor(email, tenant);
    for (let guess = 0; guess < 5; guess++)
      assert.equal((await exchange(email, wrong(code), tenant)).status, 401);
    assert.equal((await exchange(email, code, tenant)).status, 401);
    const next = await codeFor(email, tenant);
    for (let guess = 0; guess < 4; guess++)
      assert.equal((await exchange(email, wrong(next), tenant)).status, 401);
    assert.equal((await exchange(email, next, tenant)).status, 200);
  });

  test('lets one of a hundred parallel exchanges succeed', async () => {
    for (const isKnown of [false, true]) {
      const email = someEmail();
      if (isKnown) await exchange(email, await codeFor(email, tenant), tenant);
      const code = await codeFor(email, tenant);
      const answers = await Promise.all(Array.from({ length: 100 }, () => exchange(email, code, tenant)));
      const statuses = answers.map(({ status }) => status).toSorted();
      assert.deepEqual(statuses, [200, ...Array(99).fill(401)]);
    }
  });

  test('counts parallel wrong attempts, so the right code is refused after them', async () => {
    const email = someEmail();
    const code = await codeFor(email, tenant);
    const guesses = Array.from({ length: 100 }, (_, guess) =>
      String((Number(code) + 1 + guess) % 1_000_000).padStart(6, '0'),
    );
    const answers = await Promise.all(guesses.map((guess) => exchange(email, guess, tenant)));
    assert.ok(answers.every(({ status }) => status === 401));
    assert.equal((await row('SELECT tries FROM one_time_codes WHERE email = $1', email)).tries, 5);
    assert.equal((await exchange(email, code, tenant)).status, 401);
  });

  test('limits wrong codes for one network and address to ten, by address and by challenge together', async () => {
    const email = someEmail();
    const network = someNetwork();
    const guess = (code: string, from = network) => post('otc/exchange', { email, code }, tenant, from);
    const first = await codeFor(email, tenant);
    for (let attempt = 0; attempt < 6; attempt++) assert.equal((await guess(wrong(first))).status, 401);
    const second = await codeFor(email, tenant);
    const { id: challengeId } = await row('SELECT id FROM one_time_codes WHERE email = $1', email);
    for (let attempt = 0; attempt < 4; attempt++) {
      const body = { challengeId, response: wrong(second) };
      assert.equal((await post('challenge/verify', body, tenant, network)).status, 401);
    }
    const third = await codeFor(email, tenant);
    const refused = await guess(third);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    assert.ok(Number(refused.headers.get('retry-after')) > 800);
    assert.equal((await row('SELECT tries FROM one_time_codes WHERE email = $1', email)).tries, 0);
    assert.equal((await guess(third, someNetwork())).status, 200, 'the owner uses another network');
  });

  test('does not count right codes, so that many players can share a network', async () => {
    const network = someNetwork();
    for (let login = 0; login < 12; login++) {
      const email = someEmail();
      const code = await codeFor(email, tenant);
      assert.equal((await post('otc/exchange', { email, code }, tenant, network)).status, 200);
    }
    const email = someEmail();
    for (let login = 0; login < 12; login++) {
      const code = await codeFor(email, tenant);
      assert.equal((await post('otc/exchange', { email, code }, tenant, network)).status, 200);
    }
  });

  test('returns 404 for a pending address with createAccountIfMissing=false, and keeps the code', async () => {
    const email = someEmail();
    const code = await codeFor(email, tenant);
    const refused = await exchange(email, code, tenant, { createAccountIfMissing: false });
    assert.deepEqual([refused.status, refused.body.code], [404, 'player_not_found']);
    assert.equal((await exchange(email, code, tenant)).body.isNewPlayer, true);
    const next = await codeFor(email, tenant);
    assert.equal((await exchange(email, next, tenant, { createAccountIfMissing: false })).status, 200);
  });

  test('refuses a banned player, a blocked device and a closed account', async () => {
    const email = someEmail();
    const deviceInfo = { deviceFingerprint: 'b'.repeat(16) };
    const { playerId } = (await exchange(email, await codeFor(email, tenant), tenant, { deviceInfo })).body;
    await app.owner.query(`UPDATE devices SET is_blocked = true WHERE player_id = $1`, [playerId]);
    const blocked = await exchange(email, await codeFor(email, tenant), tenant, { deviceInfo });
    assert.deepEqual([blocked.status, blocked.body.code], [403, 'device_blocked']);
    await app.owner.query(`UPDATE tenant_access SET banned_until = 'infinity' WHERE player_id = $1`, [
      playerId,
    ]);
    const banned = await exchange(email, await codeFor(email, tenant), tenant);
    assert.deepEqual([banned.status, banned.body.code], [403, 'player_banned']);
    assert.equal((await exchange(email, await codeFor(email, stranger), stranger)).status, 200);
    await app.owner.query(`UPDATE players SET is_active = false WHERE id = $1`, [playerId]);
    assert.equal((await exchange(email, await codeFor(email, stranger), stranger)).status, 401);
  });

  test('finds only verified addresses of the tenant’s players in players/exists', async () => {
    const email = someEmail();
    assert.equal((await exists(email)).status, 404);
    const code = await codeFor(email, tenant);
    assert.deepEqual(
      [(await exists(email)).status, (await exists(email)).body.code],
      [404, 'player_not_found'],
      'pending',
    );
    const { playerId } = (await exchange(email, code, tenant)).body;
    const found = await exists(` ${email.toUpperCase()} `);
    assert.deepEqual([found.status, found.body], [200, { playerId }]);
    assert.equal(
      (await exists(email, stranger)).status,
      404,
      'the player has never signed in to this tenant',
    );

    const unverified = someEmail();
    await signUp(unverified, tenant);
    assert.equal((await exists(unverified)).status, 404);
    assert.equal((await post('email/verify', { token: await secretTo(unverified) }, tenant)).status, 200);
    assert.equal((await exists(unverified)).status, 200);
    assert.equal((await exists(email, bare)).status, 422);
  });

  test('returns 422 without the provider, and 401 without a game key', async () => {
    for (const [path, body] of [
      ['email/otc', { email: someEmail() }],
      ['otc/exchange', { email: someEmail(), code: '123456' }],
    ] as const) {
      const refused = await post(path, body, bare);
      assert.deepEqual([refused.status, refused.body.code], [422, 'provider_not_available'], path);
      assert.equal((await post(path, body, { gameKey: tenant.apiKey })).status, 401, path);
    }
  });

  test('returns 400 for malformed requests, and counts no attempt', async () => {
    for (const email of [
      'nobody',
      'a@b@c',
      'a b@example.com',
      'a@example.com\r\nbcc: b@example.com',
      5,
      null,
      '',
      `${'a'.repeat(251)}@b.c`,
    ])
      assert.equal((await send(email)).status, 400, String(email));
    const email = someEmail();
    const code = await codeFor(email, tenant);
    for (const bad of [Number(code), '12345', '1234567', 'abcdef', '', null, '１２３４５６'])
      assert.equal((await exchange(email, bad as string, tenant)).status, 400, String(bad));
    assert.equal((await exchange(email, code, tenant, { profileVisibility: 'open' })).status, 400);
    assert.equal((await row('SELECT tries FROM one_time_codes WHERE email = $1', email)).tries, 0);
    assert.equal((await exchange(email, code, tenant)).status, 200);
  });

  test('encodes the name of the game in the mail', async () => {
    const evil = await arrangeTenant(app, { providers });
    await app.owner.query('UPDATE tenants SET name = $2 WHERE id = $1', [
      evil.tenantId,
      'Evil\r\nBcc: x@example.com\n    999999',
    ]);
    const email = someEmail();
    await post('email/otc', { email }, evil);
    const [mail] = await mailsTo(email);
    assert.equal(mail?.subject, 'Your sign-in code');
    assert.match(mail?.text ?? '', /the game “Evil Bcc x example com 999999”:/);
    assert.equal((await exchange(email, await secretTo(email), evil)).status, 200);
  });
});
