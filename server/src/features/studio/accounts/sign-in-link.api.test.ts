import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import { accountClient } from '../../../testing/account-client.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { vault } from '../../../testing/test-vault.ts';
import { createSignInLink } from './index.ts';

const app = await startTestApp();
const accounts = await accountClient(app);
const database = openDatabase(app.databaseUrl, { poolSize: 1 });
after(() => database.close());

const createLink = (accountId: string): Promise<string> =>
  database
    .forAccount(accountId)
    .transaction((transaction) => createSignInLink(transaction, vault, accountId));
const use = (token: unknown) => app.http.post('/api/saas-auth/link', { token });

describe('POST /api/saas-auth/link', () => {
  test('signs the account in once', async () => {
    const account = await accounts.signUpVerified();
    const token = await createLink(account.id);
    const { status, body } = await use(token);
    assert.equal(status, 200);
    assert.equal(body.user.id, account.id);
    const me = await app.http.get('/api/saas-auth/me', { bearer: body.accessToken });
    assert.equal(me.status, 200);
    assert.equal((await use(token)).status, 401);
    assert.ok((await accounts.actionsOf(account)).includes('account.link_used'));
  });

  test('lets one of several parallel requests in', async () => {
    const account = await accounts.signUpVerified();
    const token = await createLink(account.id);
    const answers = await Promise.all(Array.from({ length: 6 }, () => use(token)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401, 401, 401, 401, 401]);
  });

  test('stores only a fingerprint of the token', async () => {
    const account = await accounts.signUpVerified();
    const token = await createLink(account.id);
    const { rows } = await app.owner.query('SELECT token_hash FROM account_tokens WHERE account_id = $1', [
      account.id,
    ]);
    assert.ok(rows.every(({ token_hash: hash }) => !hash.includes(Buffer.from(token))));
  });

  test('returns the same 401 for an expired, a malformed and a foreign token', async () => {
    const account = await accounts.signUpVerified();
    const token = await createLink(account.id);
    await app.owner.query(
      `UPDATE account_tokens SET expires_at = now() - interval '1 second' WHERE purpose = 'link'`,
    );
    const details = new Set<string>();
    for (const given of [token, 'gh_link_x', account.refreshToken]) {
      const { status, body } = await use(given);
      assert.equal(status, 401);
      details.add(body.detail);
    }
    assert.equal(details.size, 1);
    assert.equal((await use(7)).status, 400);
  });

  test('ends when the account gets a new password or a second factor', async () => {
    const changed = await accounts.signUpVerified();
    const first = await createLink(changed.id);
    const passwords = { currentPassword: 'correct horse', newPassword: 'battery staple' };
    const put = await app.http.put('/api/saas-auth/password', passwords, { bearer: changed.bearer });
    assert.equal(put.status, 200, put.text);
    assert.equal((await use(first)).status, 401);

    const guarded = await accounts.signUpWithTotp();
    assert.equal((await use(await createLink(guarded.id))).status, 401);
  });
});
