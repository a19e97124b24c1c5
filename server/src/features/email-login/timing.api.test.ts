import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { arrangeTenant } from '../../testing/arrange.ts';
import { emailClient, someEmail } from '../../testing/email-player.ts';
import type { Answer } from '../../testing/http-client.ts';
import { startTestApp } from '../../testing/test-app.ts';

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
 * Compares how long requests about known and about unknown addresses take, in turns, so that whatever else the machine does
 * meets both alike. What disturbs a request makes it slower, never faster, so the fastest tenth is compared: on a busy
 * machine the medians of equal work differ by a third, these by a twentieth. The difference may be 15 %, and always 2 ms: a
 * hash that is left out, or a mail that is sent at once, stands out.
 */
async function assertSameTime(known: string[], send: (email: string) => Promise<Answer>): Promise<void> {
  const took = async (email: string): Promise<number> => {
    const began = performance.now();
    assert.ok((await send(email)).status < 500);
    return performance.now() - began;
  };
  for (let warmUp = 0; warmUp < 5; warmUp++) await took(someEmail());
  const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] };
  for (const [index, email] of known.entries()) {
    const kinds = [['known', email] as const, ['unknown', someEmail()] as const];
    for (const [kind, address] of index % 2 ? kinds : kinds.toReversed())
      times[kind].push(await took(address));
  }
  const fast = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)]!;
  const [a, b] = [fast(times.known), fast(times.unknown)];
  assert.ok(Math.abs(a - b) < Math.max(2, 0.15 * Math.max(a, b)), `known ${a} ms, unknown ${b} ms`);
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
