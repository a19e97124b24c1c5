import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import { openJobs } from '../../../jobs/queue.ts';
import { arrangeAccount, arrangePlatformAdmin, arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { vault } from '../../../testing/test-vault.ts';
import { sendMail } from '../mail/index.ts';
import { notifyPlatformAdmins, notifyTeam } from './index.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 4 });
const services = { vault, jobs: await openJobs(database) };
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

  test('mails a platform administrator whose address is not verified', async () => {
    // The first sign-up on a server that only its machine can reach.
    await app.owner.query('UPDATE accounts SET email_verified_at = NULL WHERE is_platform_admin');
    const notice = { type: 'test.first', title: 'To the first', text: 'Look.' };
    await database
      .forPlatform()
      .transaction((transaction) => notifyPlatformAdmins(services, transaction, notice));
    assert.deepEqual(await recipientsOf('To the first'), [addressOf(platformAdmin)]);
  });
});

describe('mails of notices', () => {
  const arrangeOwner = async ({ isVerified }: { isVerified: boolean }) => {
    const studio = await arrangeTenant(app);
    const account = await arrangeAccount(app, studio, 'owner');
    if (!isVerified)
      await app.owner.query('UPDATE accounts SET email_verified_at = NULL WHERE id = $1', [
        account.accountId,
      ]);
    return { workspaceId: studio.workspaceId, ...account };
  };
  const notifyAt = (workspaceId: string, type: string, options: { toUnverified?: boolean } = {}) =>
    database.transaction((transaction) =>
      notifyTeam(services, transaction, workspaceId, { type, title: type, text: '-', ...options }),
    );
  /** Returns the failures of the mails with a subject. The failure is null if the mail waits for delivery. */
  const failuresOf = async (subject: string) =>
    (
      await app.owner.query('SELECT failure, body FROM mails WHERE subject = $1 ORDER BY id', [subject])
    ).rows.map(({ failure, body }) => (body ? failure : `${failure} Erased.`));
  const TOO_MANY = 'Not sent: this address received too many notices today. Erased.';
  const setCount = (accountId: string, sent: number, age = '1 hour') =>
    app.owner.query(
      `INSERT INTO mail_budgets VALUES ('team ' || $1, now() - $3::interval, $2)
       ON CONFLICT (budget) DO UPDATE SET since = excluded.since, sent = excluded.sent`,
      [accountId, sent, age],
    );

  test('are not sent to an unverified address, which gets the notification', async () => {
    const { workspaceId } = await arrangeOwner({ isVerified: false });
    await notifyAt(workspaceId, 'test.unverified');
    assert.equal((await notificationsOf('test.unverified')).length, 1);
    assert.deepEqual(await failuresOf('test.unverified'), []);
  });

  test('are sent to an unverified address 20 times a day if it is asked for', async () => {
    const { workspaceId } = await arrangeOwner({ isVerified: false });
    const send = () => notifyAt(workspaceId, 'test.spike', { toUnverified: true });
    await Promise.all(Array.from({ length: 23 }, send));
    assert.equal((await notificationsOf('test.spike')).length, 23);
    const failures = await failuresOf('test.spike');
    assert.equal(failures.filter((failure) => failure === null).length, 20);
    assert.equal(failures.filter((failure) => failure === TOO_MANY).length, 3);
  });

  test('are sent to a verified address 200 times a day', async () => {
    const { workspaceId, accountId } = await arrangeOwner({ isVerified: true });
    await setCount(accountId, 198);
    for (let notice = 0; notice < 4; notice++) await notifyAt(workspaceId, 'test.limit');
    assert.equal((await notificationsOf('test.limit')).length, 4);
    assert.deepEqual(await failuresOf('test.limit'), [null, null, TOO_MANY, TOO_MANY]);
    await setCount(accountId, 200, '25 hours');
    await notifyAt(workspaceId, 'test.next-day');
    assert.deepEqual(await failuresOf('test.next-day'), [null]);
    // The clock of PostgreSQL was wrong, and was set back.
    await setCount(accountId, 200, '-25 hours');
    await notifyAt(workspaceId, 'test.wrong-clock');
    assert.deepEqual(await failuresOf('test.wrong-clock'), [null]);
  });

  test('are delivered after codes, verifications, resets and invitations', async () => {
    const { workspaceId, accountId } = await arrangeOwner({ isVerified: true });
    await notifyAt(workspaceId, 'test.queue');
    const content = { subject: 'Code', paragraphs: [] };
    await database.transaction((transaction) =>
      sendMail(services, transaction, { to: 'ada@example.com', content, usefulSeconds: 600 }),
    );
    const { rows } = await app.owner.query(
      `SELECT subject, group_id FROM pgboss.job JOIN mails ON mails.id = (data->>'mailId')::uuid
       WHERE subject IN ('Code', 'test.queue') ORDER BY priority DESC, created_on`,
    );
    assert.deepEqual(rows, [
      { subject: 'Code', group_id: 'ada@example.com' },
      { subject: 'test.queue', group_id: addressOf({ accountId }) },
    ]);
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
