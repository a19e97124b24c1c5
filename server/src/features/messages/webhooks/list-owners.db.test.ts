import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import {
  arrangeAccount,
  arrangePlatformAdmin,
  arrangeTenant,
  type TestTenant,
} from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { listOwners } from './queries.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 1 });
test.after(() => database.close());

async function arrangeWebhook(workspaceId: string | null): Promise<string> {
  const id = randomUUID();
  await app.owner.query(
    `INSERT INTO webhooks (id, workspace_id, url, secret) VALUES ($1, $2, 'https://example.com', '')`,
    [id, workspaceId],
  );
  return id;
}

const addOwner = ({ workspaceId }: TestTenant, accountId: string) =>
  app.owner.query(`INSERT INTO memberships (workspace_id, account_id, role) VALUES ($1, $2, 'owner')`, [
    workspaceId,
    accountId,
  ]);

/** Workspaces of new tenants, with one webhook each and these owners, the oldest first. */
const arrangeWorkspaces = (count: number, owners: string[]) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const tenant = await arrangeTenant(app);
      for (const accountId of owners) await addOwner(tenant, accountId);
      return arrangeWebhook(tenant.workspaceId);
    }),
  );

const newAccount = async () => (await arrangeAccount(app, await arrangeTenant(app))).accountId;
const ownersOf = async (...webhooks: string[]) =>
  new Map((await listOwners(database.forPlatform(), webhooks)).map(({ group, owner }) => [group, owner]));

describe('the owner of the places of a webhook', () => {
  test('is the account that has owned the workspaces for longest', async () => {
    const [account, heir] = [await newAccount(), await newAccount()];
    const [first = '', second = ''] = await arrangeWorkspaces(2, [account, heir]);
    const [third = ''] = await arrangeWorkspaces(1, [heir]);
    const both = new Map([
      [first, account],
      [second, account],
    ]);
    assert.deepEqual(new Map([...(await ownersOf(first))].toSorted()), new Map([...both].toSorted()));
    assert.deepEqual([...(await ownersOf(third))], [[third, heir]]);
    assert.deepEqual((await ownersOf(second, third)).size, 3);
  });

  test('is the workspace if a platform administrator owns it, or nobody', async () => {
    const { accountId } = await arrangePlatformAdmin(app);
    const ofAdmin = await arrangeWorkspaces(2, [accountId]);
    const ofNobody = await arrangeWorkspaces(2, []);
    for (const [webhook, owner] of await ownersOf(...ofAdmin, ...ofNobody)) {
      const { rows } = await app.owner.query('SELECT workspace_id FROM webhooks WHERE id = $1', [webhook]);
      assert.equal(owner, rows[0].workspace_id);
    }
    assert.equal((await ownersOf(ofAdmin[0]!)).size, 1);
  });

  test('is the deployment if no workspace has the webhook', async () => {
    const webhooks = [await arrangeWebhook(null), await arrangeWebhook(null)];
    const owners = await ownersOf(webhooks[0]!);
    assert.deepEqual([...owners.keys()].toSorted(), webhooks.toSorted());
    assert.deepEqual(new Set(owners.values()), new Set(['deployment']));
  });
});
