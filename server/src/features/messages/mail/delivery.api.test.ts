import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDatabase, type Querier } from '../../../database/database.ts';
import type { Sql } from '../../../database/sql.ts';
import { openJobs } from '../../../jobs/queue.ts';
import { NOTIFY_WORKERS, repeatJobs } from '../../../testing/notify-workers.ts';
import { arrangePlatformAdmin } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestMailServer } from '../../../testing/mail-server.ts';
import { startTestApp, startTestWorker } from '../../../testing/test-app.ts';
import { vault } from '../../../testing/test-vault.ts';
import { sendMail } from './index.ts';

const app = await startTestApp();
const admin = await arrangePlatformAdmin(app);
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
const services = { vault, jobs: await openJobs(database) };
const server = await startTestMailServer();
const port = Number(new URL(server.url).port);
const MAIL_FROM = 'The Guild <post@guild.example>';
await startTestWorker(app, { SMTP_URL: server.url, MAIL_FROM });
test.after(async () => {
  await services.jobs.close();
  await database.close();
});

const send = (subject: string, { usefulSeconds = 600, to = 'ada@example.com' } = {}) =>
  database.transaction((transaction) => {
    const content = { subject, paragraphs: [`About ${subject}.`, { code: '123456' }] };
    return sendMail(services, transaction, { to, content, usefulSeconds });
  });
const findMail = async (subject: string) => {
  const { body } = await app.http.get('/api/admin/outbox', admin);
  return body.items.find((mail: { subject: string }) => mail.subject === subject);
};
/** Makes the next attempt due now instead of after 5 seconds or more. */
const hurry = () =>
  app.owner.query(
    `UPDATE pgboss.job SET start_after = now() WHERE name = 'mail' AND state = 'retry' ${NOTIFY_WORKERS}`,
  );
const jobStates = async () =>
  (await app.owner.query(`SELECT state FROM pgboss.job WHERE name = 'mail' AND state NOT IN ('completed')`))
    .rows;

describe('deliverMail', () => {
  test('delivers a mail and erases its text', async () => {
    await send('Grüße, Ada');
    await eventually(() => server.mails.length === 1);
    const [mail] = server.mails;
    assert.equal(mail?.subject, 'Grüße, Ada');
    assert.deepEqual(mail?.from, { name: 'The Guild', address: 'post@guild.example' });
    assert.deepEqual(mail?.to, [{ name: '', address: 'ada@example.com' }]);
    assert.deepEqual(mail?.envelope, { from: 'post@guild.example', to: ['ada@example.com'] });
    assert.equal(mail?.text?.trim(), 'About Grüße, Ada.\n\n    123456');
    assert.match(mail?.html ?? '', /<p>About Grüße, Ada.<\/p>/);
    assert.equal(mail?.headers.find(({ key }) => key === 'auto-submitted')?.value, 'auto-generated');
    assert.match(mail?.messageId ?? '', /^<[0-9a-f-]{36}@guild.example>$/);

    await eventually(async () => (await findMail('Grüße, Ada')).sentAt !== null);
    const { text, failedAt, failure } = await findMail('Grüße, Ada');
    assert.deepEqual({ text, failedAt, failure }, { text: null, failedAt: null, failure: null });
  });

  test('prevents header and recipient injection', async () => {
    server.mails.length = 0;
    await send('Evil\r\nBcc: all@example.com\r\n\r\n<b>Body</b>');
    await eventually(() => server.mails.length === 1);
    const [mail] = server.mails;
    assert.equal(mail?.subject, 'Evil Bcc: all@example.com <b>Body</b>');
    assert.deepEqual(mail?.envelope.to, ['ada@example.com']);
    assert.equal(
      mail?.headers.some(({ key }) => key === 'bcc'),
      false,
    );
  });

  test('retries after a 4xx reply and delivers once', async () => {
    server.mails.length = 0;
    server.refusal = { to: 'RCPT', code: 451, message: 'Greylisted, come back later' };
    await send('grey');
    await eventually(async () => (await findMail('grey')).failure?.includes('Greylisted'));
    assert.equal((await findMail('grey')).failedAt, null);
    assert.match((await findMail('grey')).text, /About grey/);
    server.refusal = undefined;
    await eventually(async () => {
      await hurry();
      return server.mails.length === 1;
    });
    await eventually(async () => (await findMail('grey')).sentAt !== null);
    assert.equal((await findMail('grey')).failure, null);
  });

  test('retries while an invitation is valid', async () => {
    server.mails.length = 0;
    server.refusal = { to: 'RCPT', code: 451, message: 'Out of service' };
    await send('invitation', { usefulSeconds: 7 * 24 * 60 * 60 });
    // In 7 days there are at most 1,008 retries after 10 minutes each, and 7 shorter ones before.
    await eventually(async () => {
      const { rowCount } = await app.owner.query(
        `UPDATE pgboss.job SET retry_count = 1015, start_after = now() WHERE name = 'mail' AND state = 'retry'
         ${NOTIFY_WORKERS}`,
      );
      return rowCount === 1;
    });
    await eventually(async () => {
      const { rows } = await app.owner.query(
        `SELECT state FROM pgboss.job WHERE name = 'mail' AND retry_count > 1015 AND state IN ('retry', 'failed')`,
      );
      if (rows.length > 0) assert.deepEqual(rows, [{ state: 'retry' }]);
      return rows.length > 0;
    });
    server.refusal = undefined;
    await hurry();
    await eventually(async () => (await findMail('invitation')).sentAt !== null);
    assert.equal(server.mails.length, 1);
  });

  for (const { title, to, isNotice } of [
    { title: 'delivers a code before notices that were sent earlier', to: 'someone', isNotice: true },
    { title: 'does not let mails to one address delay those to others', to: 'flooded', isNotice: false },
  ])
    test(title, async () => {
      server.mails.length = 0;
      await database.transaction(async (transaction) => {
        const mail = { content: { subject: 'flood', paragraphs: [] }, usefulSeconds: 600, isNotice };
        for (let index = 0; index < 40; index++)
          await sendMail(services, transaction, { ...mail, to: `${to}@example.com` });
        const content = { subject: 'code', paragraphs: [] };
        await sendMail(services, transaction, { to: 'ada@example.com', content, usefulSeconds: 600 });
      });
      await eventually(() => server.mails.length === 41);
      const place = server.mails.findIndex(({ subject }) => subject === 'code');
      assert.ok(place < 8, `${place} mails were delivered before`);
    });

  for (const to of ['RCPT', 'DATA'] as const) {
    test(`records a 5xx reply to ${to} as final and does not retry`, async () => {
      const subject = `refused at ${to}`;
      const { offered } = server;
      server.refusal = { to, code: 550, message: 'No such mailbox' };
      await send(subject);
      await eventually(async () => (await findMail(subject)).failedAt !== null);
      server.refusal = undefined;
      const { id, failure, sentAt, text } = await findMail(subject);
      assert.match(failure, /550.*No such mailbox/);
      assert.deepEqual([sentAt, text], [null, null]);
      await eventually(async () => (await jobStates()).length === 0);
      await repeatJobs(app, 'mail', 'mailId', id);
      await eventually(async () => (await jobStates()).length === 0);
      assert.equal(server.offered, offered + 1);
    });
  }

  test('delivers a mail when an unavailable server is back', async () => {
    await server.stop();
    await send('patient');
    const refused = 'The mail server cannot be used. The connection was refused (ECONNREFUSED).';
    await eventually(async () => (await findMail('patient')).failure === refused);
    const back = await startTestMailServer(port);
    await eventually(async () => {
      await hurry();
      return back.mails.length === 1;
    });
    assert.equal(back.mails[0]?.subject, 'patient');
    await back.stop();
  });

  test('does not deliver an expired mail', async () => {
    await send('late', { usefulSeconds: -1 });
    await eventually(async () => (await findMail('late')).failedAt !== null);
    assert.match((await findMail('late')).failure, /expired before/);
  });

  test('retries the job of a crashed worker', async () => {
    await startTestMailServer(port);
    const client = await app.owner.connect();
    const rows = async (statement: Sql) => (await client.query(statement.text, statement.values)).rows;
    const querier = {
      rows,
      row: async (statement: Sql) => (await rows(statement))[0],
      run: rows,
    } as unknown as Querier;
    try {
      await client.query('BEGIN');
      const content = { subject: 'orphan', paragraphs: [] };
      await sendMail(services, querier, { to: 'ada@example.com', content, usefulSeconds: 600 });
      // Simulates a worker that started the job two minutes ago and then crashed.
      await client.query(`
      UPDATE pgboss.job SET state = 'active', started_on = now() - interval '2 minutes'
      WHERE name = 'mail' AND state = 'created'`);
      await client.query('COMMIT');
    } finally {
      client.release();
    }
    await eventually(async () => (await findMail('orphan')).sentAt !== null);
  });
});
