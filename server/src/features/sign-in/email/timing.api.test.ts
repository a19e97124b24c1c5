import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { arrangeTenant } from '../../../testing/arrange.ts';
import { emailClient, someEmail, someNetwork } from '../../../testing/email-player.ts';
import type { Answer } from '../../../testing/http-client.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp({ env: { TRUST_PROXY: 'on' } });
const tenant = await arrangeTenant(app, { providers: ['EmailOneTimeCode', 'EmailPassword'] });
const { post, signUp } = await emailClient(app);

/** Addresses of verified players, made past the API, which would take a second for each ten. */
async function knownEmails(count: number): Promise<string[]> {
  const { body } = await signUp(someEmail(), tenant);
  const emails = Array.from({ length: count }, someEmail);
  for (const email of emails) {
    const playerId = randomUUID();
    await app.owner.query(
      `WITH player AS (INSERT INTO players (id, created_at) VALUES ($1, now())), method AS (
         INSERT INTO auth_methods (id, player_id, auth_provider, provider_user_id, linked_at)
         SELECT gen_random_uuid(), $1, provider, $2, now() FROM unnest(ARRAY['EmailOneTimeCode', 'EmailPassword']) provider)
       INSERT INTO email_credentials (email, player_id, password_hash, verified_at, mails_since, mails_sent)
       SELECT $2, $1, password_hash, now(), now(), 1 FROM email_credentials WHERE player_id = $3`,
      [playerId, email, body.playerId],
    );
  }
  return emails;
}

/**
 * Compares how long requests about known and about unknown addresses take, in pairs, one right after the other and either
 * first in turns. Where both do the same work the known one is the slower in half of the pairs, however busy the machine is: of
 * sixty, in less than a fifth or more than four fifths once in 300,000 runs. A hash that is left out, or a mail that is sent at
 * once, makes it nearly all or none.
 */
async function assertSameTime(known: string[], send: (email: string) => Promise<Answer>): Promise<void> {
  const took = async (email: string): Promise<number> => {
    const began = performance.now();
    assert.ok((await send(email)).status < 500);
    return performance.now() - began;
  };
  for (let warmUp = 0; warmUp < 5; warmUp++) await took(someEmail());
  let knownWasSlower = 0;
  for (const [index, email] of known.entries()) {
    const knownFirst = index % 2 === 0;
    const first = await took(knownFirst ? email : someEmail());
    const second = await took(knownFirst ? someEmail() : email);
    if (knownFirst ? first > second : second > first) knownWasSlower++;
  }
  const share = knownWasSlower / known.length;
  assert.ok(share > 0.2 && share < 0.8, `the known one was the slower in ${100 * share} % of the pairs`);
}

test('a request for a code takes the same time for known and unknown addresses', async () => {
  await assertSameTime(await knownEmails(100), (email) => post('email/otc', { email }, tenant));
});

test('a wrong password takes the same time for known and unknown addresses', async () => {
  await assertSameTime(await knownEmails(60), (email) =>
    post('email/tenant-login', { email, password: 'wrong' }, tenant),
  );
});

test('a request for a reset takes the same time for known and unknown addresses', async () => {
  await assertSameTime(await knownEmails(100), (email) =>
    post('email/password-reset/request', { email }, tenant),
  );
});

test('a request for a portal code, and a wrong one, take the same time for known and unknown addresses', async () => {
  const atPortal = (door: string, body: object) =>
    app.http.post(`/api/player-portal-auth/${door}`, body, { headers: { 'x-forwarded-for': someNetwork() } });
  await assertSameTime(await knownEmails(100), async (email) => {
    await atPortal('email/otc', { email });
    return atPortal('otc/exchange', { email, code: '000000' });
  });
});
