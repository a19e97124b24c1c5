import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeTenant, someStoreAAccount } from '../../../testing/arrange.ts';
import { emailClient, PASSWORD, someNetwork } from '../../../testing/email-player.ts';
import { eventually } from '../../../testing/eventually.ts';
import type { Answer } from '../../../testing/http-client.ts';
import { someEmail } from '../../../testing/mailbox.ts';
import { startStoreAOpenId } from '../../../testing/providers/store-a-openid.ts';
import { startTestApp, startTestWorker } from '../../../testing/test-app.ts';

const store = await startStoreAOpenId();
const app = await startTestApp({
  env: { TRUST_PROXY: 'on', STORE_A_OPENID_URL: store.url, PORTAL_URL: 'https://portal.example' },
});
await startTestWorker(app);
const tenant = await arrangeTenant(app, { providers: ['EmailOneTimeCode', 'EmailPassword'] });
const { post, codeFor, exchange, signUp, resetTokenFor } = await emailClient(app);

const portal = (path: string, body?: object) =>
  app.http.post(`/api/player-portal-auth/${path}`, body, { headers: { 'x-forwarded-for': someNetwork() } });
const portalLogin = async (accountId: string) => {
  const { authUrl } = (await portal('storea/start')).body;
  return portal('storea/exchange', { callbackUrl: await store.browse(authUrl, accountId) });
};
const portalRefresh = async (refreshToken: string) => (await portal('refresh', { refreshToken })).status;

/** Arranges a player with an unverified address and a linked StoreA account. */
async function hijack(email: string) {
  const { playerId } = (await signUp(email, tenant)).body;
  const [accountId, methodId] = [someStoreAAccount(), randomUUID()];
  await app.owner.query(
    `INSERT INTO auth_methods (id, player_id, auth_provider, provider_user_id, is_primary, linked_at)
     VALUES ($1, $2, 'StoreA', $3, false, now())`,
    [methodId, playerId, accountId],
  );
  return { playerId, accountId, methodId };
}

describe('portal sessions of an address', () => {
  test('end when the owner verifies the address with a code', async () => {
    const email = someEmail();
    const { accountId } = await hijack(email);
    const session = await portalLogin(accountId);
    assert.equal(session.status, 200, session.text);
    assert.equal((await exchange(email, await codeFor(email, tenant), tenant)).status, 200);
    assert.equal(await portalRefresh(session.body.refreshToken), 401);
    assert.equal((await portalLogin(accountId)).status, 401, 'the sign-in method was removed');
  });

  test('end when the owner verifies the address, if there are more than one statement changes', async () => {
    const email = someEmail();
    const { playerId, methodId } = await hijack(email);
    await app.owner.query(
      `INSERT INTO portal_sessions (id, player_id, auth_method_id, revoked_at, has_logged_out)
       SELECT gen_random_uuid(), $1, $2, CASE WHEN number % 2 = 0 THEN now() END, number % 2 = 0
       FROM generate_series(1, 5001) number`,
      [playerId, methodId],
    );
    // A statement that changes too many rows is cancelled after 10 seconds.
    await app.owner.query(`
      CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF (SELECT count(*) FROM changed) > 5000 THEN RAISE 'too many rows in one statement'; END IF;
          RETURN NULL;
        END $$;
      CREATE TRIGGER refuse_many AFTER UPDATE ON portal_sessions REFERENCING NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_many()`);
    const owner = await exchange(email, await codeFor(email, tenant), tenant);
    await app.owner.query('DROP FUNCTION refuse_many CASCADE');
    assert.equal(owner.status, 200, owner.text);
    const left = await app.owner.query(
      'SELECT FROM portal_sessions WHERE player_id = $1 AND (revoked_at IS NULL OR has_logged_out)',
      [playerId],
    );
    assert.equal(left.rowCount, 0);
  });

  test('end when the player sets a new password', async () => {
    const email = someEmail();
    const { accountId, playerId } = await hijack(email);
    await app.owner.query('UPDATE email_credentials SET verified_at = now() WHERE email = $1', [email]);
    const session = await portalLogin(accountId);
    assert.equal(session.body.playerId, playerId, session.text);
    const body = { token: await resetTokenFor(email, tenant), newPassword: `${PASSWORD} 2` };
    assert.equal((await post('email/password-reset/confirm', body, tenant)).status, 200);
    assert.equal(await portalRefresh(session.body.refreshToken), 401);
    assert.equal(
      (await portalLogin(accountId)).status,
      200,
      'the method stays, because the address was verified before',
    );
  });

  /** The number of statements that wait for a lock. */
  const waiting = async () => {
    const { rows } = await app.owner.query(
      `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows[0].count as number;
  };

  for (const first of ['the verification', 'the portal'] as const) {
    test(`do not deadlock when a verification and a sign-in run in parallel: ${first} first`, async () => {
      const email = someEmail();
      const { accountId, methodId } = await hijack(email);
      const code = await codeFor(email, tenant);
      const begin = {
        'the verification': () => exchange(email, code, tenant),
        'the portal': () => portalLogin(accountId),
      };
      // Both requests run until they wait for the lock on the sign-in method.
      const holder = await app.owner.connect();
      await holder.query('BEGIN');
      await holder.query('SELECT FROM auth_methods WHERE id = $1 FOR UPDATE', [methodId]);
      const second = first === 'the verification' ? 'the portal' : 'the verification';
      const answers = {} as Record<keyof typeof begin, Promise<Answer>>;
      try {
        answers[first] = begin[first]();
        await eventually(async () => (await waiting()) === 1);
        answers[second] = begin[second]();
        await eventually(async () => (await waiting()) === 2);
      } finally {
        await holder.query('COMMIT');
        holder.release();
      }

      const [proof, session] = [await answers['the verification'], await answers['the portal']];
      assert.equal(proof.status, 200, proof.text);
      if (first === 'the verification') assert.equal(session.status, 401, session.text);
      else {
        assert.equal(session.status, 200, session.text);
        assert.equal(await portalRefresh(session.body.refreshToken), 401);
      }
    });
  }
});
