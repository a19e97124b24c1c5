import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { accountClient } from '../../../testing/account-client.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const { signUp, logIn, refresh, post, actionsOf } = await accountClient(app);
const list = (bearer: string, query = '') => app.http.get(`/api/saas-auth/sessions${query}`, { bearer });
const end = (bearer: string, id: string) => app.http.delete(`/api/saas-auth/sessions/${id}`, { bearer });

describe('GET /api/saas-auth/sessions', () => {
  test('returns the sessions that can be refreshed and marks the current one', async () => {
    const { email, bearer } = await signUp();
    const userAgent = 'x'.repeat(300);
    const login = await app.http.post(
      '/api/saas-auth/login',
      { email, password: 'correct horse' },
      { headers: { 'user-agent': userAgent } },
    );
    const gone = (await logIn(email)).body;
    assert.equal((await post('logout', { refreshToken: gone.refreshToken })).status, 204);
    const { status, body } = await list(bearer);
    assert.equal(status, 200);
    assert.deepEqual([body.totalCount, body.limit, body.offset], [2, 50, 0]);
    const [second, first] = body.items;
    assert.deepEqual([first.isCurrent, second.isCurrent], [true, false]);
    assert.deepEqual([second.ipAddress, second.userAgent], ['127.0.0.1', 'x'.repeat(256)]);
    assert.ok(Date.parse(first.createdAt) <= Date.parse(second.createdAt));

    const next = await app.http.post(
      '/api/saas-auth/refresh',
      { refreshToken: login.body.refreshToken },
      { headers: { 'user-agent': 'other' } },
    );
    const after = (await list(next.body.accessToken)).body.items[0];
    assert.deepEqual([after.id, after.userAgent, after.isCurrent], [second.id, 'other', true]);
    assert.ok(Date.parse(after.lastUsedAt) >= Date.parse(second.lastUsedAt));
    const page = await list(bearer, '?limit=1&offset=1');
    assert.deepEqual([page.body.items.length, page.body.totalCount], [1, 2]);
    assert.equal((await list(bearer, '?limit=201')).status, 400);
  });

  test('has at most 1,000 sessions: a login ends the least recently used one', async () => {
    const { id, email, bearer, refreshToken } = await signUp();
    await app.owner.query(
      `INSERT INTO account_sessions (id, account_id) SELECT gen_random_uuid(), $1 FROM generate_series(1, 998)`,
      [id],
    );
    await logIn(email);
    assert.equal((await list(bearer)).status, 200, 'a thousand sessions');
    await logIn(email);
    assert.equal((await list(bearer)).status, 401);
    assert.equal((await refresh(refreshToken)).status, 401);
  });

  test('counts no ended sessions for the limit, and a login deletes nothing of them', async () => {
    const { id, email, refreshToken } = await signUp();
    await app.owner.query(
      `WITH session AS (
         INSERT INTO account_sessions (id, account_id, revoked_at)
         SELECT gen_random_uuid(), $1, now() - interval '1 hour' FROM generate_series(1, 1000) RETURNING id)
       INSERT INTO account_refresh_tokens (token_hash, session_id, expires_at, used_at)
       SELECT uuid_send(id), id, now() + interval '1 day', now() FROM session`,
      [id],
    );
    assert.equal((await logIn(email)).status, 200);
    assert.equal((await refresh(refreshToken)).status, 200);
    const { rowCount } = await app.owner.query(
      `SELECT FROM account_refresh_tokens token JOIN account_sessions session ON session.id = session_id
       WHERE account_id = $1 AND revoked_at IS NOT NULL`,
      [id],
    );
    assert.equal(rowCount, 1_000);
  });
});

describe('DELETE /api/saas-auth/sessions/{sessionId}', () => {
  test('ends the session, audits it once, and is idempotent', async () => {
    const account = await signUp();
    const other = (await logIn(account.email)).body;
    const { items } = (await list(account.bearer)).body;
    const { id } = items.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent);
    assert.equal((await end(account.bearer, id)).status, 204);
    assert.equal((await end(account.bearer, id.toUpperCase())).status, 204);
    assert.equal((await refresh(other.refreshToken)).status, 401);
    assert.equal((await refresh(account.refreshToken)).status, 200);
    assert.equal((await list(account.bearer)).body.totalCount, 1);
    assert.equal((await actionsOf(account)).filter((action) => action === 'account.session_ended').length, 1);
  });

  test('returns 404 for sessions of others, unknown sessions and invalid ids', async () => {
    const [mine, theirs] = [await signUp(), await signUp()];
    const [session] = (await list(theirs.bearer)).body.items;
    for (const id of [session.id, randomUUID(), 'x'])
      assert.equal((await end(mine.bearer, id)).status, 404, id);
    assert.equal((await refresh(theirs.refreshToken)).status, 200);
  });
});
