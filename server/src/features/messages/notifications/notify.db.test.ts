import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import { openJobs } from '../../../jobs/queue.ts';
import { createVault } from '../../../security/vault.ts';
import { arrangeAccount, arrangePlatformAdmin, arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp, TEST_MASTER_KEY } from '../../../testing/test-app.ts';
import { notifyPlatformAdmins, notifyTeam } from './index.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 4 });
const services = { vault: createVault(Buffer.from(TEST_MASTER_KEY, 'hex')), jobs: await openJobs(database) };
test.after(async () => {
  await services.jobs.close();
  await database.close();
});
const tenant = await arrangeTenant(app);
const owner = await arrangeAccount(app, tenant, 'owner');
const admin = await arrangeAccount(app, tenant, 'admin');
const viewer = await arrangeAccount(app, tenant, 'viewer');
const platformAdmin = await arrangePlatformAdmin(app);

const notificationsOf = async (type: string) =>
  (
    await app.owner.query(
      `SELECT account_id, position::int, title, text, data, workspace_id, tenant_id FROM notifications
       WHERE type = $1 ORDER BY account_id, position`,
      [type],
    )
  ).rows;
const recipientsOf = async (subject: string) =>
  (
    await app.owner.query('SELECT recipient FROM mails WHERE subject = $1 ORDER BY recipient', [subject])
  ).rows.map(({ recipient }) => recipient);
const addressOf = ({ accountId }: { accountId: string }) => `${accountId}@example.com`;

describe('notifyTeam', () => {
  test('notifies owners and admins in the app and by mail, but not viewers', async () => {
    const { workspaceId, tenantId } = tenant;
    const notice = { type: 'test.news', title: 'News', text: 'All is well.', data: { a: 1 }, tenantId };
    await database.transaction((transaction) => notifyTeam(services, transaction, workspaceId, notice));
    const rows = await notificationsOf('test.news');
    assert.deepEqual(
      rows.map((row) => row.account_id).toSorted(),
      [owner.accountId, admin.accountId].toSorted(),
    );
    for (const row of rows) {
      const { account_id: _, ...rest } = row;
      assert.deepEqual(rest, {
        position: 1,
        title: 'News',
        text: 'All is well.',
        data: { a: 1 },
        workspace_id: workspaceId,
        tenant_id: tenantId,
      });
    }
    assert.deepEqual(await recipientsOf('News'), [addressOf(owner), addressOf(admin)].toSorted());
    assert.ok(!(await recipientsOf('News')).includes(addressOf(viewer)));
  });
});

describe('notifyPlatformAdmins', () => {
  test('notifies platform administrators about the deployment', async () => {
    const notice = { type: 'test.admins', title: 'To admins', text: 'Look.' };
    await database
      .forPlatform()
      .transaction((transaction) => notifyPlatformAdmins(services, transaction, notice));
    const [row, ...others] = await notificationsOf('test.admins');
    assert.equal(others.length, 0);
    assert.equal(row.account_id, platformAdmin.accountId);
    assert.equal(row.workspace_id, null);
    assert.deepEqual(await recipientsOf('To admins'), [addressOf(platformAdmin)]);
  });
});

describe('notifyTeam in transactions', () => {
  test('notifies nobody if the transaction fails', async () => {
    const failing = database.transaction(async (transaction) => {
      await notifyTeam(services, transaction, tenant.workspaceId, {
        type: 'test.undone',
        title: 'Undone',
        text: '-',
      });
      throw new Error('no');
    });
    await assert.rejects(failing, /no/);
    assert.deepEqual(await notificationsOf('test.undone'), []);
    assert.deepEqual(await recipientsOf('Undone'), []);
  });

  test('works in a tenant scope', async () => {
    await database.forTenant(tenant.tenantId).transaction((transaction) =>
      notifyTeam(services, transaction, tenant.workspaceId, {
        type: 'test.scope',
        title: 'Scope',
        text: '-',
      }),
    );
    assert.equal((await notificationsOf('test.scope')).length, 2);
  });

  test('assigns positions in the order of commits', async () => {
    const notifyThen = (type: string, then: () => Promise<unknown>) =>
      database.transaction(async (transaction) => {
        await notifyTeam(services, transaction, tenant.workspaceId, { type, title: type, text: '-' });
        await then();
      });
    await notifyThen('test.slow', () => notifyThen('test.quick', async () => {}));
    const [slow] = await notificationsOf('test.slow');
    const [quick] = await notificationsOf('test.quick');
    assert.equal(slow.position, quick.position + 1);
  });

  test('assigns positions without gaps to concurrent notifications', async () => {
    const second = await arrangeTenant(app);
    for (const { accountId } of [owner, admin])
      await app.owner.query(
        `INSERT INTO memberships (workspace_id, account_id, role) VALUES ($1, $2, 'admin')`,
        [second.workspaceId, accountId],
      );
    const notice = { type: 'test.many', title: 'Many', text: '-' };
    const [one, other] = [tenant.workspaceId, second.workspaceId];
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        database.transaction(async (transaction) => {
          for (const workspaceId of index % 2 ? [one, other] : [other, one])
            await notifyTeam(services, transaction, workspaceId, notice);
        }),
      ),
    );
    const positions = (await notificationsOf('test.many'))
      .filter((row) => row.account_id === owner.accountId)
      .map(({ position }) => position);
    assert.equal(positions.length, 24);
    assert.deepEqual(
      positions,
      positions.map((_, index) => positions[0] + index),
    );
  });
});
