import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { eventually } from '../../../testing/eventually.ts';
import { arrangeTenant } from '../../../testing/arrange.ts';
import { emailClient, someNetwork } from '../../../testing/email-player.ts';
import { loginDataOf } from '../../../testing/ledger-data.ts';
import { someEmail } from '../../../testing/mailbox.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { someWallet } from '../../../testing/wallets.ts';

const app = await startTestApp({ env: { TRUST_PROXY: 'on' } });
const providers = ['EvmWallet', 'EmailOneTimeCode'];
const tenant = await arrangeTenant(app, { providers });
const neighbour = await arrangeTenant(app, { providers });
const bare = await arrangeTenant(app);
const { post, secretTo, codeFor, exchange, mailsTo } = await emailClient(app);

const challenge = (body: object, caller = tenant, network?: string) =>
  post('challenge', body, caller, network);
const verify = (challengeId: unknown, response: unknown, caller = tenant, more: object = {}) =>
  post('challenge/verify', { challengeId, response, ...more }, caller);
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');
const plain = ({ status, body }: { status: number; body: object }) => [status, { ...body, requestId: '' }];

/** Requests a challenge for a wallet, and returns it with the correct response. */
async function walletChallenge(caller = tenant, wallet = someWallet()) {
  const { body } = await challenge({ provider: 'EvmWallet', subject: wallet.address }, caller);
  const { challengeId, message } = body as { challengeId: string; message: string };
  return { wallet, challengeId, message, response: await wallet.signMessage({ message }) };
}

/** Requests a challenge for an email address, and returns it with the correct response. */
async function emailChallenge(caller = tenant, email = someEmail()) {
  await app.owner.query(
    `UPDATE one_time_codes SET sent_at = sent_at - interval '1 minute' WHERE email = $1`,
    [email],
  );
  const { body } = await challenge({ provider: 'EmailOneTimeCode', subject: email }, caller);
  return { email, challengeId: body.challengeId as string, response: await secretTo(email) };
}

const kinds = { EvmWallet: walletChallenge, EmailOneTimeCode: emailChallenge };
const kindNames = ['EvmWallet', 'EmailOneTimeCode'] as const;

describe('POST /api/player-auth/challenge and /challenge/verify', () => {
  test('signs a wallet in with the signed message', async () => {
    const wallet = someWallet();
    const issued = await challenge({ provider: 'EvmWallet', subject: wallet.address.toLowerCase() });
    assert.equal(issued.status, 200, issued.text);
    assert.deepEqual(Object.keys(issued.body).toSorted(), [
      'challengeId',
      'expiresAt',
      'message',
      'provider',
    ]);
    const { challengeId, message, provider, expiresAt } = issued.body;
    assert.equal(provider, 'EvmWallet');
    assert.ok(message.includes(`\n${wallet.address}\n`) && message.includes('\nChain ID: 1\n'));
    assert.ok(Math.abs(Date.parse(expiresAt) - Date.now() - 300_000) < 60_000);

    const more = {
      profileVisibility: 'private',
      clientInfo: { platform: 'PC_Linux' },
      deviceInfo: { deviceFingerprint: 'f'.repeat(16) },
    };
    const login = await verify(
      challengeId.toUpperCase(),
      await wallet.signMessage({ message }),
      undefined,
      more,
    );
    assert.equal(login.status, 200, login.text);
    assert.deepEqual([login.body.isNewPlayer, login.body.tenantId], [true, tenant.tenantId]);
    const { rows } = await app.owner.query(
      `SELECT auth_provider, platform, device_id IS NOT NULL AS "hasDevice", profile_visibility
     FROM login_ledger JOIN players ON players.id = player_id WHERE session_id = $1`,
      [login.body.sessionId],
    );
    assert.match((await loginDataOf(app, login.body.sessionId)).ipAddress ?? '', /^10\./);
    assert.deepEqual(rows, [
      { auth_provider: 'evm_wallet', platform: 'PC_Linux', hasDevice: true, profile_visibility: 'private' },
    ]);
  });

  test('signs in with a mailed code', async () => {
    const email = someEmail();
    const issued = await challenge({ provider: 'EmailOneTimeCode', subject: ` ${email.toUpperCase()} ` });
    assert.equal(issued.status, 200, issued.text);
    assert.deepEqual(Object.keys(issued.body).toSorted(), ['challengeId', 'expiresAt', 'provider']);
    assert.equal(issued.body.provider, 'EmailOneTimeCode');
    assert.ok(Math.abs(Date.parse(issued.body.expiresAt) - Date.now() - 600_000) < 60_000);
    const login = await verify(issued.body.challengeId, await secretTo(email));
    assert.equal(login.status, 200, login.text);
    assert.equal(login.body.isNewPlayer, true);
    await walletChallenge();
    const again = await emailChallenge(tenant, email);
    const second = await verify(again.challengeId, again.response);
    assert.deepEqual([second.body.playerId, second.body.isNewPlayer], [login.body.playerId, false]);
  });

  test('accepts the answer at the provider’s own endpoint, and answers its challenges', async () => {
    const wallet = someWallet();
    const first = await walletChallenge(tenant, wallet);
    const there = await post('wallet/verify', { message: first.message, signature: first.response }, tenant);
    assert.equal(there.status, 200, there.text);
    assert.equal((await verify(first.challengeId, first.response)).status, 401, 'used up there');
    const issued = (await post('wallet/challenge', { address: wallet.address }, tenant)).body;
    const signature = await wallet.signMessage({ message: issued.message });
    const here = await verify(issued.challengeId, signature);
    assert.deepEqual([here.status, here.body.playerId], [200, there.body.playerId]);
    const replay = await post('wallet/verify', { message: issued.message, signature }, tenant);
    assert.equal(replay.status, 401, 'used up here');

    const mailed = await emailChallenge();
    const exchanged = await exchange(mailed.email, mailed.response, tenant);
    assert.equal(exchanged.status, 200, exchanged.text);
    assert.equal((await verify(mailed.challengeId, mailed.response)).status, 401, 'used up there');
    const code = await codeFor(mailed.email, tenant);
    const about = (await challenge({ provider: 'EmailOneTimeCode', subject: mailed.email })).body;
    assert.equal(
      (await mailsTo(mailed.email)).length,
      2,
      'within 30 seconds the challenge of the sent code is returned',
    );
    const answered = await verify(about.challengeId, code);
    assert.deepEqual([answered.status, answered.body.playerId], [200, exchanged.body.playerId]);
    assert.equal((await exchange(mailed.email, code, tenant)).status, 401, 'used up here');
  });

  test('returns the same challenge within 30 seconds, and a new code invalidates the old one', async () => {
    const old = await emailChallenge();
    const body = { provider: 'EmailOneTimeCode', subject: old.email };
    const answers = await Promise.all(Array.from({ length: 10 }, () => challenge(body)));
    assert.deepEqual(new Set(answers.map((answer) => answer.body.challengeId)), new Set([old.challengeId]));
    const next = await emailChallenge(tenant, old.email);
    assert.notEqual(next.challengeId, old.challengeId);
    for (const code of [old.response, next.response])
      assert.equal((await verify(old.challengeId, code)).status, 401);
    assert.equal((await verify(next.challengeId, next.response)).status, 200);
  });

  for (const kind of kindNames) {
    test(`${kind}: lets one of fifty parallel answers succeed`, async () => {
      const { challengeId, response } = await kinds[kind]();
      const answers = await Promise.all(Array.from({ length: 50 }, () => verify(challengeId, response)));
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array(49).fill(401)]);
    });

    test(`${kind}: lets one of fifty parallel answers at both endpoints succeed`, async () => {
      const issued = await kinds[kind]();
      const { challengeId, response } = issued;
      const there = () =>
        'email' in issued
          ? exchange(issued.email, response, tenant)
          : post('wallet/verify', { message: issued.message, signature: response }, tenant);
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => (index % 2 ? there() : verify(challengeId, response))),
      );
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array(49).fill(401)]);
    });

    test(`${kind}: returns the same 401 for every wrong answer`, async () => {
      const used = await kinds[kind]();
      assert.equal((await verify(used.challengeId, used.response)).status, 200);
      const expired = await kinds[kind]();
      for (const table of ['wallet_challenges', 'one_time_codes'])
        await app.owner.query(`UPDATE ${table} SET expires_at = now() WHERE id = $1`, [expired.challengeId]);
      const foreign = await kinds[kind](neighbour);
      const guessed = await kinds[kind]();
      const answers = [
        await verify(randomUUID(), used.response),
        await verify(used.challengeId, used.response),
        await verify(expired.challengeId, expired.response),
        await verify(foreign.challengeId, foreign.response),
        await verify(foreign.challengeId, foreign.response, bare),
        await verify(guessed.challengeId, wrong('123456')),
        await verify(guessed.challengeId, await someWallet().signMessage({ message: 'x' })),
        await verify(guessed.challengeId, 'x'.repeat(16_384)),
      ];
      for (const answer of answers) assert.deepEqual(plain(answer), plain(answers[0]!));
      assert.deepEqual([answers[0]!.status, answers[0]!.body.code], [401, 'invalid_credentials']);
      assert.equal(
        (await verify(foreign.challengeId, foreign.response, neighbour)).status,
        200,
        'another tenant cannot use it up',
      );
    });

    test(`${kind}: returns 422 when the provider is disabled, even for an earlier challenge`, async () => {
      const closing = await arrangeTenant(app, { providers });
      const { challengeId, response } = await kinds[kind](closing);
      const enable = (enabled: boolean) =>
        app.owner.query('UPDATE provider_settings SET enabled = $3 WHERE tenant_id = $1 AND provider = $2', [
          closing.tenantId,
          kind,
          enabled,
        ]);
      const subject = kind === 'EvmWallet' ? someWallet().address : someEmail();
      await enable(false);
      // The change invalidates the server's cache asynchronously.
      let issued = await challenge({ provider: kind, subject }, closing);
      await eventually(async () => {
        if (issued.status !== 422) issued = await challenge({ provider: kind, subject }, closing);
        return issued.status === 422;
      });
      for (const answer of [issued, await verify(challengeId, response, closing)])
        assert.deepEqual([answer.status, answer.body.code], [422, 'provider_not_available']);
      assert.equal((await challenge({ provider: kind, subject }, bare)).status, 422);
      await enable(true);
      let login = await verify(challengeId, response, closing);
      for (let look = 0; login.status === 422 && look < 100; look++)
        login = await verify(challengeId, response, closing);
      assert.equal(login.status, 200, 'a refusal uses nothing up');
    });

    test(`${kind}: returns 404 for a missing player and 403 for a banned one`, async () => {
      const mine = await kinds[kind]();
      const caller = { createAccountIfMissing: false };
      const missing = await verify(mine.challengeId, mine.response, tenant, caller);
      assert.deepEqual([missing.status, missing.body.code], [404, 'player_not_found']);
      const again = async () =>
        'email' in mine ? emailChallenge(tenant, mine.email) : walletChallenge(tenant, mine.wallet);
      const next = await again();
      const { playerId } = (await verify(next.challengeId, next.response)).body;
      await app.owner.query(`UPDATE tenant_access SET banned_until = 'infinity' WHERE player_id = $1`, [
        playerId,
      ]);
      const last = await again();
      const banned = await verify(last.challengeId, last.response);
      assert.deepEqual([banned.status, banned.body.code], [403, 'player_banned']);
    });
  }

  test('shares the five attempts of a code between both endpoints, even in parallel', async () => {
    const { email, challengeId, response } = await emailChallenge();
    for (let guess = 0; guess < 5; guess++) {
      const answer =
        guess % 2 ? exchange(email, wrong(response), tenant) : verify(challengeId, wrong(response));
      assert.equal((await answer).status, 401);
    }
    assert.equal((await verify(challengeId, response)).status, 401);
    assert.equal((await exchange(email, response, tenant)).status, 401);

    const next = await emailChallenge(tenant, email);
    const guesses = Array.from({ length: 100 }, (_, index) => {
      const code = String((Number(next.response) + 1 + index) % 1_000_000).padStart(6, '0');
      return index % 2 ? exchange(email, code, tenant) : verify(next.challengeId, code);
    });
    assert.ok((await Promise.all(guesses)).every(({ status }) => status === 401));
    const { rows } = await app.owner.query('SELECT tries FROM one_time_codes WHERE id = $1', [
      next.challengeId,
    ]);
    assert.equal(rows[0].tries, 5);
    assert.equal((await verify(next.challengeId, next.response)).status, 401);

    const last = await emailChallenge(tenant, email);
    for (let guess = 0; guess < 4; guess++)
      await verify(last.challengeId, guess % 2 ? wrong(last.response) : 'no code at all');
    assert.equal((await verify(last.challengeId, last.response)).status, 200);
  });

  test('uses the challenge up on a wrong signature', async () => {
    const { wallet, challengeId, message, response } = await walletChallenge();
    const ofAnother = await someWallet().signMessage({ message });
    assert.equal((await verify(challengeId, ofAnother)).status, 401);
    assert.equal((await verify(challengeId, response)).status, 401);
    assert.equal((await post('wallet/verify', { message, signature: response }, tenant)).status, 401);
    const next = await walletChallenge(tenant, wallet);
    assert.equal((await verify(next.challengeId, next.response)).status, 200);
  });

  test('treats a pending address like a known one when a new code is requested', async () => {
    const known = await emailChallenge();
    await verify(known.challengeId, known.response);
    await app.owner.query(`UPDATE one_time_codes SET sent_at = sent_at - interval '1 minute'`);
    const look = async (email: string) => {
      const { status, body } = await challenge({ provider: 'EmailOneTimeCode', subject: email });
      return { status, body: { ...body, challengeId: '', expiresAt: '' } };
    };
    assert.deepEqual(await look(known.email), await look(someEmail()));
  });

  test('shares the limits with the providers’ own endpoints', async () => {
    const network = someNetwork();
    const flooded = await arrangeTenant(app, { providers });
    const { address } = someWallet();
    for (let count = 0; count < 300; count++) {
      const answer =
        count % 2
          ? post('wallet/challenge', { address }, flooded, network)
          : challenge({ provider: 'EvmWallet', subject: address }, flooded, network);
      assert.equal((await answer).status, 200);
    }
    const refused = await challenge({ provider: 'EvmWallet', subject: address }, flooded, network);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await post('wallet/challenge', { address }, flooded, network)).status, 429);

    for (let count = 0; count < 200; count++) {
      const answer =
        count % 2
          ? post('email/otc', { email: someEmail() }, tenant, network)
          : challenge({ provider: 'EmailOneTimeCode', subject: someEmail() }, tenant, network);
      assert.equal((await answer).status, 200);
    }
    const mail = { provider: 'EmailOneTimeCode', subject: someEmail() };
    assert.equal((await challenge(mail, tenant, network)).status, 429);

    const email = someEmail();
    for (let count = 0; count < 20; count++) assert.ok((await emailChallenge(tenant, email)).challengeId);
    await app.owner.query(`UPDATE one_time_codes SET sent_at = sent_at - interval '1 minute'`);
    const full = await challenge({ provider: 'EmailOneTimeCode', subject: email });
    assert.deepEqual([full.status, full.body.code], [429, 'too_many_attempts']);
  });

  test('does not count correctly answered wallet challenges', async () => {
    const calm = await arrangeTenant(app, { providers });
    const network = someNetwork();
    const wallet = someWallet();
    const ask = () => challenge({ provider: 'EvmWallet', subject: wallet.address }, calm, network);
    const { challengeId, message } = (await ask()).body;
    for (let count = 1; count < 300; count++) await ask();
    const response = await wallet.signMessage({ message });
    assert.equal((await post('challenge/verify', { challengeId, response }, calm, network)).status, 200);
    assert.deepEqual([(await ask()).status, (await ask()).status], [200, 429]);
  });

  test('returns 400 for an invalid body, and counts no attempt', async () => {
    const { address } = someWallet();
    const digits = address.slice(2);
    const miscased = `0x${digits.replace(/[a-f]/i, (digit) =>
      digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase(),
    )}`;
    const cases: [body: object, path: string][] = [
      [{ subject: address }, 'provider'],
      [{ provider: 'Mock', subject: address }, 'provider'],
      [{ provider: 'EmailPassword', subject: someEmail() }, 'provider'],
      [{ provider: 'evmwallet', subject: address }, 'provider'],
      [{ provider: 5, subject: address }, 'provider'],
      [{ provider: null, subject: address }, 'provider'],
      [{ provider: 'EvmWallet' }, 'subject'],
      [{ provider: 'EvmWallet', subject: someEmail() }, 'subject'],
      [{ provider: 'EvmWallet', subject: miscased }, 'subject'],
      [{ provider: 'EvmWallet', subject: `0x${'0'.repeat(40)}` }, 'subject'],
      [{ provider: 'EvmWallet', subject: 5 }, 'subject'],
      [{ provider: 'EmailOneTimeCode' }, 'subject'],
      [{ provider: 'EmailOneTimeCode', subject: address }, 'subject'],
      [{ provider: 'EmailOneTimeCode', subject: '' }, 'subject'],
      [{ provider: 'EmailOneTimeCode', subject: null }, 'subject'],
      [{ provider: 'EmailOneTimeCode', subject: `${'a'.repeat(251)}@b.c` }, 'subject'],
      [{ provider: 'EmailOneTimeCode', subject: 'a@example.com\r\nbcc: b@example.com' }, 'subject'],
    ];
    for (const [body, path] of cases) {
      const answer = await challenge(body);
      assert.deepEqual(
        [answer.status, answer.body.code, answer.body.errors[0].path],
        [400, 'invalid_request', path],
        JSON.stringify(body),
      );
    }
    assert.equal((await challenge([])).status, 400);

    const { challengeId, response } = await emailChallenge();
    const wrongs: [id: unknown, response: unknown, more: object, path: string][] = [
      [undefined, response, {}, 'challengeId'],
      ['x', response, {}, 'challengeId'],
      [`urn:uuid:${challengeId}`, response, {}, 'challengeId'],
      [5, response, {}, 'challengeId'],
      [challengeId, undefined, {}, 'response'],
      [challengeId, '', {}, 'response'],
      [challengeId, Number(response), {}, 'response'],
      [challengeId, 'x'.repeat(16_385), {}, 'response'],
      [challengeId, response, { createAccountIfMissing: 'yes' }, 'createAccountIfMissing'],
      [challengeId, response, { profileVisibility: 'open' }, 'profileVisibility'],
      [challengeId, response, { clientInfo: { platform: 'Toaster' } }, 'clientInfo.platform'],
    ];
    for (const [id, given, more, path] of wrongs) {
      const answer = await verify(id, given, tenant, more);
      const sent = JSON.stringify([id, given, more]);
      assert.deepEqual([answer.status, answer.body.errors[0].path, sent], [400, path, sent]);
    }
    const { rows } = await app.owner.query('SELECT tries FROM one_time_codes WHERE id = $1', [challengeId]);
    assert.equal(rows[0].tries, 0);
    assert.equal((await verify(challengeId, response)).status, 200);
  });

  test('checks the game key before the body', async () => {
    for (const path of ['challenge', 'challenge/verify']) {
      for (const caller of [{}, { gameKey: tenant.apiKey }, { apiKey: tenant.apiKey }])
        assert.equal((await app.http.raw('POST', `/api/player-auth/${path}`, '{', caller)).status, 401, path);
    }
  });
});
