import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import { newRefreshToken } from '../../../security/refresh-tokens.ts';
import { newId } from '../../../core/ids.ts';
import { arrangeTenant, someStoreAAccount } from '../../../testing/arrange.ts';
import { emailClient } from '../../../testing/email-player.ts';
import { someEmail } from '../../../testing/mailbox.ts';
import { startTestApp, startTestWorker } from '../../../testing/test-app.ts';
import { vault } from '../../../testing/test-vault.ts';
import { insertSession } from './queries.ts';

const app = await startTestApp({ env: { TRUST_PROXY: 'on' } });
await startTestWorker(app);
const tenant = await arrangeTenant(app, { providers: ['EmailOneTimeCode', 'EmailPassword'] });
const { post, codeFor, exchange, signUp, resetTokenFor } = await emailClient(app);
const database = openDatabase(app.databaseUrl);
after(() => database.close());

/** Signs up with an address of another person, and links a StoreA account. */
async function hijack(email: string) {
  const { playerId } = (await signUp(email, tenant)).body;
  const accountId = someStoreAAccount();
  await app.owner.query(
    `INSERT INTO auth_methods (id, player_id, auth_provider, provider_user_id, linked_at) VALUES ($1, $2, 'StoreA', $3, now())`,
    [randomUUID(), playerId, accountId],
  );
  /** Creates a portal session of the account and returns its refresh token. Undefined if the sign-in was refused. */
  const openPortal = async () => {
    const refreshToken = newRefreshToken(vault, 'portal');
    const identity = { provider: 'StoreA', providerUserId: accountId } as const;
    const opened = await insertSession(database, identity, { sessionId: newId(), refreshToken });
    return opened && refreshToken.token;
  };
  return { playerId: playerId as string, openPortal };
}
const refresh = async (refreshToken: string | undefined) =>
  (await app.http.post('/api/player-portal-auth/refresh', { refreshToken })).status;

describe('portal sessions of an unverified sign-up', () => {
  test('end when the owner verifies the address with a code or a reset', async () => {
    for (const proof of ['a code', 'a reset']) {
      const email = someEmail();
      const hijacker = await hijack(email);
      const theirs = await hijacker.openPortal();
      if (proof === 'a code') await exchange(email, await codeFor(email, tenant), tenant);
      else {
        const body = { token: await resetTokenFor(email, tenant), newPassword: 'the owner’s own' };
        assert.equal((await post('email/password-reset/confirm', body, tenant)).status, 200);
      }
      assert.equal(await refresh(theirs), 401, proof);
      assert.equal(await hijacker.openPortal(), undefined, proof);
    }
  });

  test('end when the password of a verified address is reset', async () => {
    const email = someEmail();
    await exchange(email, await codeFor(email, tenant), tenant);
    const { rows } = await app.owner.query('SELECT player_id FROM email_credentials WHERE email = $1', [
      email,
    ]);
    const identity = { provider: 'EmailOneTimeCode', providerUserId: email } as const;
    const refreshToken = newRefreshToken(vault, 'portal');
    const opened = await insertSession(database, identity, { sessionId: newId(), refreshToken });
    assert.equal(opened?.playerId, rows[0].player_id);
    const body = { token: await resetTokenFor(email, tenant), newPassword: 'another one' };
    assert.equal((await post('email/password-reset/confirm', body, tenant)).status, 200);
    assert.equal(await refresh(refreshToken.token), 401);
  });

  test('end when they are opened in parallel with the verification', async () => {
    for (let round = 0; round < 20; round++) {
      const email = someEmail();
      const { playerId, openPortal } = await hijack(email);
      const code = await codeFor(email, tenant);
      const signIns = async () => {
        for (let count = 0; count < 20; count++) await openPortal();
      };
      const [owner] = await Promise.all([exchange(email, code, tenant), signIns(), signIns(), signIns()]);
      assert.equal(owner.status, 200, owner.text);
      const { rowCount } = await app.owner.query(
        'SELECT FROM portal_sessions WHERE player_id = $1 AND revoked_at IS NULL',
        [playerId],
      );
      assert.equal(rowCount, 0, `round ${round + 1}`);
    }
  });
});
