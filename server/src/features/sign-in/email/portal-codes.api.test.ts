import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NOTIFY_WORKERS } from '../../../testing/notify-workers.ts';
import { arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { emailClient, someNetwork } from '../../../testing/email-player.ts';
import { eventually } from '../../../testing/eventually.ts';
import { someEmail } from '../../../testing/mailbox.ts';
import { startTestApp, startTestWorker } from '../../../testing/test-app.ts';
import { whileLocked } from '../../../testing/while-locked.ts';
import { PORTAL_TENANT_ID } from '../portal/index.ts';

const app = await startTestApp({ env: { TRUST_PROXY: 'on' } });
await startTestWorker(app);
const tenant = await arrangeTenant(app, { providers: ['EmailOneTimeCode', 'EmailPassword', 'Mock'] });
const { post, mailsTo, secretTo, codeFor, exchange: exchangeInGame, signUp } = await emailClient(app);

const atPortal = (path: string, body: unknown, network = someNetwork()) =>
  app.http.post(`/api/player-portal-auth/${path}`, body, { headers: { 'x-forwarded-for': network } });
const send = (email: unknown, network?: string) => atPortal('email/otc', { email }, network);
const exchange = (email: unknown, code: unknown, network?: string) =>
  atPortal('otc/exchange', { email, code }, network);
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');
const SUBJECT = 'Your sign-in code for the player portal';
const portalMails = async (email: string) =>
  (await mailsTo(email)).filter(({ subject }) => subject === SUBJECT);
const count = async (table: string) =>
  (await app.owner.query(`SELECT count(*)::int AS count FROM ${table}`)).rows[0].count as number;
const expireWait = (email: string) =>
  app.owner.query(`UPDATE one_time_codes SET sent_at = sent_at - interval '1 minute' WHERE email = $1`, [
    email,
  ]);

/** Arranges a player with a verified address. */
async function arrangeVerified() {
  const email = someEmail();
  const { playerId } = (await exchangeInGame(email, await codeFor(email, tenant), tenant)).body;
  return { email, playerId: playerId as string };
}

/** Requests a portal code and waits until the worker has mailed it. */
async function portalCodeFor(email: string): Promise<string> {
  await expireWait(email);
  const { length } = await portalMails(email);
  const sent = await send(email);
  assert.equal(sent.status, 200, sent.text);
  await eventually(async () => (await portalMails(email)).length > length);
  return secretTo(email);
}

/** Waits until the worker's queue is empty. */
const workIsDone = () =>
  eventually(
    async () =>
      (
        await app.owner.query(
          `SELECT FROM pgboss.job WHERE name = 'portal-code' AND state IN ('created', 'active', 'retry')`,
        )
      ).rowCount === 0,
  );

describe('POST /api/player-portal-auth/email/otc and /otc/exchange', () => {
  test('signs a player in with a mailed code', async () => {
    const { email, playerId } = await arrangeVerified();
    const sent = await send(` ${email.toUpperCase()} `);
    assert.deepEqual([sent.status, Object.keys(sent.body)], [200, ['expiresAt', 'resendAfterSeconds']]);
    assert.ok(Math.abs(Date.parse(sent.body.expiresAt) - Date.now() - 600_000) < 60_000);
    assert.equal(sent.body.resendAfterSeconds, 30);
    await eventually(async () => (await portalMails(email)).length === 1);

    const [sessions, logins] = [await count('portal_sessions'), await count('login_ledger')];
    const login = await exchange(email.toUpperCase(), await secretTo(email));
    assert.equal(login.status, 200, login.text);
    const { accessToken, refreshToken, ...rest } = login.body;
    assert.deepEqual(rest, { tokenType: 'Bearer', expiresIn: 7200, playerId });
    const claims = JSON.parse(Buffer.from(accessToken.split('.')[1], 'base64url').toString());
    assert.deepEqual([claims.sub, claims.tid], [playerId, null]);
    assert.equal((await app.http.get('/api/player/devices', { bearer: accessToken })).status, 200);
    assert.equal((await atPortal('refresh', { refreshToken })).body.playerId, playerId);
    assert.equal(await count('portal_sessions'), sessions + 1);
    assert.equal(await count('login_ledger'), logins, 'a portal sign-in is no sign-in to a tenant');
  });

  test('accepts an address that was verified with the token of a sign-up', async () => {
    const email = someEmail();
    const { playerId } = (await signUp(email, tenant)).body;
    await post('email/verify', { token: await secretTo(email) }, tenant);
    assert.equal((await exchange(email, await portalCodeFor(email))).body.playerId, playerId);
  });

  test('returns the same response without mail for unknown, pending, unverified and closed addresses', async () => {
    const known = await arrangeVerified();
    const [unknown, pending, unverified] = [someEmail(), someEmail(), someEmail()];
    await post('email/otc', { email: pending }, tenant);
    await signUp(unverified, tenant);
    const closed = await arrangeVerified();
    await app.owner.query('UPDATE players SET is_active = false WHERE id = $1', [closed.playerId]);
    const players = await count('players');

    const look = async (email: string) => {
      const { status, headers, body } = await send(email);
      return { status, headers: [...headers.keys()].toSorted(), body: { ...body, expiresAt: '' } };
    };
    const expected = await look(known.email);
    const others = [unknown, pending, unverified, closed.email];
    for (const email of others) assert.deepEqual(await look(email), expected);
    await eventually(async () => (await portalMails(known.email)).length === 1);
    await workIsDone();
    for (const email of others) {
      assert.deepEqual(await portalMails(email), []);
      const { rows } = await app.owner.query(
        'SELECT code_hash FROM one_time_codes WHERE email = $1 AND tenant_id = $2',
        [email, PORTAL_TENANT_ID],
      );
      assert.deepEqual(rows, [{ code_hash: null }], 'there is no code to guess');
    }
    const refusals = [
      await exchange(known.email, wrong(await secretTo(known.email))),
      ...(await Promise.all(others.map((email) => exchange(email, '000000')))),
      await exchange(someEmail(), '000000'),
    ];
    for (const { status, body } of refusals)
      assert.deepEqual({ ...body, requestId: '' }, { ...refusals[0]!.body, requestId: '', status });
    assert.deepEqual([refusals[0]!.status, refusals[0]!.body.code], [401, 'invalid_credentials']);
    const { rows: tried } = await app.owner.query(
      `SELECT DISTINCT tries FROM one_time_codes WHERE email = ANY($1) AND tenant_id = $2`,
      [[known.email, ...others], PORTAL_TENANT_ID],
    );
    assert.deepEqual(tried, [{ tries: 1 }], 'an attempt is counted even if there is no code');
    assert.equal(await count('players'), players);
  });

  test('refuses a code when the account is closed or the address removed in the meantime', async () => {
    for (const change of [
      'UPDATE players SET is_active = false WHERE id = $1',
      'UPDATE email_credentials SET verified_at = NULL WHERE player_id = $1',
      `DELETE FROM auth_methods WHERE player_id = $1`,
    ]) {
      const { email, playerId } = await arrangeVerified();
      const code = await portalCodeFor(email);
      await app.owner.query(change, [playerId]);
      const refused = await exchange(email, code);
      assert.deepEqual([refused.status, refused.body.code], [401, 'invalid_credentials'], change);
    }
  });

  test('accepts portal codes only in the portal, and tenant codes only in the tenant', async () => {
    const { email } = await arrangeVerified();
    const ofTenant = await codeFor(email, tenant);
    const ofPortal = await portalCodeFor(email);
    assert.equal((await exchange(email, ofTenant)).status, 401);
    assert.equal((await exchangeInGame(email, ofPortal, tenant)).status, 401);
    const { rows } = await app.owner.query('SELECT id, tenant_id FROM one_time_codes WHERE email = $1', [
      email,
    ]);
    const portalCode = rows.find(({ tenant_id }) => tenant_id !== tenant.tenantId);
    const byId = await post('challenge/verify', { challengeId: portalCode.id, response: ofPortal }, tenant);
    assert.equal(byId.status, 401);
    assert.equal((await exchange(email, ofPortal)).status, 200);
    assert.equal((await exchangeInGame(email, ofTenant, tenant)).status, 200);
  });

  test('lets one of fifty parallel exchanges succeed', async () => {
    const { email, playerId } = await arrangeVerified();
    const code = await portalCodeFor(email);
    const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(email, code)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array(49).fill(401)]);
    const sessions = await app.owner.query('SELECT FROM portal_sessions WHERE player_id = $1', [playerId]);
    assert.equal(sessions.rowCount, 1);
  });

  test('use one connection for five exchanges of a player whom another transaction has locked', async () => {
    const { email, playerId } = await arrangeVerified();
    const code = await portalCodeFor(email);
    await whileLocked(
      app,
      (holder) => holder.query('SELECT FROM email_credentials WHERE player_id = $1 FOR UPDATE', [playerId]),
      async (waiting, release) => {
        const held = Array.from({ length: 5 }, () => exchange(email, code));
        await waiting(1);
        await arrangePlayer(app, tenant);
        await waiting(1);
        await release();
        const answers = (await Promise.all(held)).map(({ status }) => status);
        assert.deepEqual(answers.toSorted(), [200, ...Array(4).fill(401)]);
      },
    );
  });

  test('opens one session for a few parallel exchanges', async () => {
    for (let round = 0; round < 10; round++) {
      const { email } = await arrangeVerified();
      const code = await portalCodeFor(email);
      const answers = await Promise.all(Array.from({ length: 5 }, () => exchange(email, code)));
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array(4).fill(401)]);
    }
  });

  test('allows five attempts, even in parallel, then accepts the next code', async () => {
    const { email } = await arrangeVerified();
    const code = await portalCodeFor(email);
    const guesses = Array.from({ length: 60 }, (_, guess) =>
      exchange(email, String((Number(code) + 1 + guess) % 1_000_000).padStart(6, '0')),
    );
    assert.ok((await Promise.all(guesses)).every(({ status }) => status === 401));
    assert.equal((await exchange(email, code)).status, 401);
    const expired = await portalCodeFor(email);
    await app.owner.query('UPDATE one_time_codes SET expires_at = now() WHERE email = $1', [email]);
    assert.equal((await exchange(email, expired)).status, 401);
    const next = await portalCodeFor(email);
    for (let guess = 0; guess < 4; guess++) assert.equal((await exchange(email, wrong(next))).status, 401);
    assert.equal((await exchange(email, next)).status, 200);
  });

  test('lets a player in while one network guesses at their codes', async () => {
    const { email } = await arrangeVerified();
    const network = someNetwork();
    let signedIn = 0;
    for (let round = 0; round < 3; round++) {
      const code = await portalCodeFor(email);
      for (let guess = 0; guess < 5; guess++) await exchange(email, wrong(code), network);
      if ((await exchange(email, code)).status === 200) signedIn++;
    }
    assert.equal(signedIn, 1, 'the network has used up two codes, and no more');
  });

  test('limits wrong codes for one network to 100, for all addresses together', async () => {
    const network = someNetwork();
    const guess = () => exchange(someEmail(), '000000', network);
    const answers = await Promise.all(Array.from({ length: 100 }, guess));
    assert.ok(answers.every(({ status }) => status === 401));
    const refused = await guess();
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await exchange(someEmail(), '000000')).status, 401, 'other networks are not limited');
  });

  test('mails one code for a repeated job, and none for a late job or a replaced code', async () => {
    const { email } = await arrangeVerified();
    const code = await portalCodeFor(email);
    const again = () =>
      app.owner.query(
        `UPDATE pgboss.job SET state = 'created', start_after = now(), retry_count = 0
       WHERE name = 'portal-code' AND data->>'email' = $1 ${NOTIFY_WORKERS}`,
        [email],
      );
    await again();
    await workIsDone();
    assert.equal((await portalMails(email)).length, 1);
    await app.owner.query('UPDATE one_time_codes SET code_hash = NULL, expires_at = now() WHERE email = $1', [
      email,
    ]);
    await again();
    await workIsDone();
    assert.equal((await portalMails(email)).length, 1);
    const next = await portalCodeFor(email);
    assert.equal((await exchange(email, code)).status, 401);
    assert.equal((await exchange(email, next)).status, 200);
  });

  test('sends no second code within 30 seconds, even to parallel requests', async () => {
    const { email } = await arrangeVerified();
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(email)));
    assert.equal(new Set(answers.map(({ body }) => body.expiresAt)).size, 1);
    await workIsDone();
    assert.equal((await portalMails(email)).length, 1);
  });

  test('limits the mails to 20 a day for an address, and to 200 an hour for a network', async () => {
    const { email } = await arrangeVerified();
    await app.owner.query('UPDATE email_credentials SET mails_sent = 20 WHERE email = $1', [email]);
    for (let mail = 0; mail < 20; mail++) {
      await expireWait(email);
      assert.equal((await send(email)).status, 200);
    }
    await expireWait(email);
    const enough = await send(email);
    assert.deepEqual([enough.status, enough.body.code], [429, 'too_many_attempts']);

    const network = someNetwork();
    const answers = await Promise.all(Array.from({ length: 200 }, () => send(someEmail(), network)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 200);
    const refused = await send(someEmail(), network);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    assert.ok(Number(refused.headers.get('retry-after')) > 3_000);
  });

  test('returns 400 for malformed requests, and counts no attempt', async () => {
    for (const email of ['nobody', '', 5, null, undefined, 'a b@example.com', `${'a'.repeat(251)}@b.c`])
      assert.equal((await send(email)).status, 400, String(email));
    const { email } = await arrangeVerified();
    const code = await portalCodeFor(email);
    for (const bad of [Number(code), '12345', '1234567', 'abcdef', '', null, undefined])
      assert.equal((await exchange(email, bad)).status, 400, String(bad));
    assert.equal((await exchange('nobody', code)).status, 400);
    assert.equal((await exchange(email, code)).status, 200);
  });
});
