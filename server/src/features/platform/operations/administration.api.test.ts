import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openJobs } from '../../../jobs/queue.ts';
import { arrangePlatformAdmin } from '../../../testing/arrange.ts';
import { openDatabase } from '../../../database/database.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { mailQueue } from '../../messages/mail/index.ts';
import type { ComponentHealth } from './check-health.ts';

const app = await startTestApp();
const admin = await arrangePlatformAdmin(app);
const database = openDatabase(app.databaseUrl, { poolSize: 1 });
test.after(() => database.close());

describe('GET /api/admin/jobs', () => {
  test('lists each queue with the oldest job that waits, and the counts of the last worker', async () => {
    const jobs = await openJobs(database);
    await jobs.addAll(database, mailQueue, [
      { data: { mailId: 'later' }, startsAt: new Date(Date.now() + 3_600_000).toISOString() },
      { data: { mailId: 'first' } },
      { data: { mailId: 'second' } },
    ]);
    await jobs.close();
    await app.owner.query(
      `UPDATE pgboss.queue SET failed_count = 3, active_count = 4, monitor_on = now() WHERE name = $1`,
      [mailQueue.name],
    );
    const { status, body } = await app.http.get('/api/admin/jobs', admin);
    assert.equal(status, 200);
    assert.ok(body.items.length > 3);
    const queue = body.items.find(({ name }: { name: string }) => name === mailQueue.name);
    const { oldestWaitingAt, countedAt, ...counts } = queue;
    assert.deepEqual(counts, { name: mailQueue.name, waiting: 2, delayed: 1, running: 4, failed: 3 });
    const { rows } = await app.owner.query(
      `SELECT start_after FROM pgboss.job WHERE name = $1 AND data ->> 'mailId' = 'first'`,
      [mailQueue.name],
    );
    assert.equal(Date.parse(oldestWaitingAt), rows[0].start_after.getTime());
    assert.ok(Date.parse(countedAt));
    const idle = body.items.find(({ name }: { name: string }) => name !== mailQueue.name);
    assert.equal(idle.oldestWaitingAt, null);
    assert.ok(!body.items.some(({ name }: { name: string }) => name.startsWith('__')));
  });

  test('gives the role of the application no access to the data of jobs', async () => {
    await assert.rejects(
      database.rows({ text: 'SELECT data FROM pgboss.job_common', values: [] } as never),
      /permission denied/,
    );
  });
});

describe('GET /api/admin/health', () => {
  const component = async (name: string): Promise<ComponentHealth> => {
    const { status, body, text } = await app.http.get('/api/admin/health', admin);
    assert.equal(status, 200, text);
    return body.components.find((one: ComponentHealth) => one.component === name);
  };

  test('describes each component, including those that are not configured', async () => {
    const { body } = await app.http.get('/api/admin/health', admin);
    assert.match(body.version, /^\d+\.\d+/);
    assert.deepEqual(
      body.components.map(({ component, status }: ComponentHealth) => [component, status]),
      [
        ['database', 'ok'],
        ['worker', 'ok'],
        ['mail', 'off'],
        ['redis', 'off'],
        ['chain', 'off'],
      ],
    );
    const { detail, latencyMs } = body.components[0];
    assert.match(detail, /^PostgreSQL \d+.*, \d+ MiB\.$/);
    assert.ok(latencyMs >= 0);
  });

  test('reports that no worker runs when none has counted the jobs for a minute', async () => {
    await app.owner.query(`UPDATE pgboss.queue SET monitor_on = now() - interval '2 minutes'`);
    const { status, since } = await component('worker');
    assert.equal(status, 'failing');
    assert.ok(Date.parse(since!) < Date.now() - 100_000);
    await app.owner.query('UPDATE pgboss.queue SET monitor_on = NULL');
    assert.equal((await component('worker')).status, 'failing');
    await app.owner.query('UPDATE pgboss.queue SET monitor_on = now()');
    assert.equal((await component('worker')).status, 'ok');
  });

  test('reports a mail that the mail server refuses', async () => {
    const withMail = await startTestApp({
      databaseUrl: app.databaseUrl,
      env: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'guild@example.com' },
    });
    const mail = async (): Promise<ComponentHealth> => {
      const { body } = await withMail.http.get('/api/admin/health', admin);
      return body.components.find((one: ComponentHealth) => one.component === 'mail');
    };
    const insert = (failure: string | null, failedAt: string | null) =>
      app.owner.query(
        `INSERT INTO mails (id, recipient, subject, give_up_at, failure, failed_at)
         VALUES (gen_random_uuid(), 'ada@example.com', 'x', now(), $1, $2)`,
        [failure, failedAt],
      );
    await insert(null, null);
    await insert('550 No such mailbox', 'now');
    assert.equal((await mail()).status, 'ok', 'none waits for another attempt');
    await insert('451 Try again later', null);
    const { status, detail } = await mail();
    assert.equal(status, 'failing');
    assert.match(detail, /451 Try again later/);
  });
});
