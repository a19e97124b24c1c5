import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlatformAdmin, arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();

const create = (caller: { bearer: string }) =>
  app.http.post('/api/workspaces', { name: randomBytes(4).toString('hex') }, caller);

/** Makes an account the owner of `count` workspaces, and a viewer of 20 others. */
async function own(accountId: string, count: number): Promise<void> {
  await app.owner.query(
    `WITH made AS (
       INSERT INTO workspaces (id, name, slug)
       SELECT gen_random_uuid(), 'x', gen_random_uuid() FROM generate_series(1, $2) RETURNING id)
     INSERT INTO memberships (workspace_id, account_id, role)
     SELECT id, $1, CASE WHEN row_number() OVER () <= 20 THEN 'viewer' ELSE 'owner' END FROM made`,
    [accountId, count + 20],
  );
}

async function countOwned(accountId: string): Promise<number> {
  const { rows } = await app.owner.query(
    `SELECT count(*)::int AS count FROM memberships WHERE account_id = $1 AND role = 'owner'`,
    [accountId],
  );
  return rows[0].count;
}

describe('the limit of 100 workspaces that an account owns', () => {
  test('rejects another workspace until the account no longer owns one', async () => {
    const account = await arrangeAccount(app, await arrangeTenant(app));
    await own(account.accountId, 99);
    const { status, body } = await create(account);
    assert.equal(status, 201);
    const refused = await create(account);
    assert.deepEqual([refused.status, refused.body.code], [409, 'workspace_limit']);
    const heir = await arrangeAccount(app, await arrangeTenant(app));
    await app.owner.query(
      `INSERT INTO memberships (workspace_id, account_id, role) VALUES ($1, $2, 'owner')`,
      [body.id, heir.accountId],
    );
    const left = await app.http.delete(`/api/workspaces/${body.id}/members/${account.accountId}`, account);
    assert.equal(left.status, 204);
    assert.equal((await create(account)).status, 201);
  });

  test('is not exceeded when requests run in parallel', async () => {
    const account = await arrangeAccount(app, await arrangeTenant(app));
    await own(account.accountId, 98);
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(account)));
    assert.equal(answers.filter(({ status }) => status === 201).length, 2);
    assert.equal(await countOwned(account.accountId), 100);
  });

  test('does not apply to platform administrators', async () => {
    const admin = await arrangePlatformAdmin(app);
    await own(admin.accountId, 181);
    assert.equal((await create(admin)).status, 201);
    const { memberships } = (await app.http.get('/api/saas-auth/me', admin)).body;
    assert.equal(memberships.length, 200, 'of 202');
  });
});
