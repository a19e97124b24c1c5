import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeTenant } from '../../../testing/arrange.ts';
import { emailClient, someNetwork } from '../../../testing/email-player.ts';
import type { Answer } from '../../../testing/http-client.ts';
import { someEmail } from '../../../testing/mailbox.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp({ env: { TRUST_PROXY: 'on' } });
const tenant = await arrangeTenant(app, { providers: ['EmailOneTimeCode', 'EmailPassword'] });
const { post, signUp } = await emailClient(app);

/** Inserts verified players into the database, because the API creates only 10 per second. */
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
 * Compares the durations of requests for known and unknown addresses, in pairs with alternating order. If both do the same work, the
 * known address is slower in half of the pairs on any machine. With 60 pairs, a share below 20 % or above 80 % occurs once in 300,000
 * runs. A missing hash or a synchronous mail makes the share nearly 0 % or 100 %.
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
  assert.ok(share > 0.2 && share < 0.8, `the known address was slower in ${100 * share} % of the pairs`);
}

describe('response times for known and unknown addresses', () => {
  test('are the same for a requested code', async () => {
    await assertSameTime(await knownEmails(100), (email) => post('email/otc', { email }, tenant));
  });

  test('are the same for a wrong password', async () => {
    await assertSameTime(await knownEmails(60), (email) =>
      post('email/tenant-login', { email, password: 'wrong' }, tenant),
    );
  });

  test('are the same for a requested password reset', async () => {
    await assertSameTime(await knownEmails(100), (email) =>
      post('email/password-reset/request', { email }, tenant),
    );
  });

  test('are the same for a portal code, requested and wrong', async () => {
    const atPortal = (path: string, body: object) =>
      app.http.post(`/api/player-portal-auth/${path}`, body, {
        headers: { 'x-forwarded-for': someNetwork() },
      });
    await assertSameTime(await knownEmails(100), async (email) => {
      await atPortal('email/otc', { email });
      return atPortal('otc/exchange', { email, code: '000000' });
    });
  });
});
