import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase, type Querier } from '../../../database/database.ts';
import type { Sql } from '../../../database/sql.ts';
import { openJobs } from '../../../jobs/queue.ts';
import { createVault } from '../../../security/vault.ts';
import { arrangePlatformAdmin } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestMailServer } from '../../../testing/mail-server.ts';
import { startTestApp, startTestWorker, TEST_MASTER_KEY } from '../../../testing/test-app.ts';
import { sendMail } from './index.ts';

const app = await startTestApp();
const admin = await arrangePlatformAdmin(app);
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
const services = { vault: createVault(Buffer.from(TEST_MASTER_KEY, 'hex')), jobs: await openJobs(database) };
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
    const letter = { subject, paragraphs: [`About ${subject}.`, { code: '123456' }] };
    return sendMail(services, transaction, { to, letter, usefulSeconds });
  });
const kept = async (subject: string) => {
  const { body } = await app.http.get('/api/admin/outbox', admin);
  return body.items.find((mail: { subject: string }) => mail.subject === subject);
};
/** Makes the next attempt due, which would come after five seconds and more. */
const hurry = () =>
  app.owner.query(`UPDATE pgboss.job SET start_after = now() WHERE name = 'mail' AND state = 'retry'`);
const jobStates = async () =>
  (await app.owner.query(`SELECT state FROM pgboss.job WHERE name = 'mail' AND state NOT IN ('completed')`))
    .rows;

test('a mail arrives as it was written, within moments, and its text is erased', async () => {
  const began = Date.now();
  await send('Grüße, Ada');
  await eventually(() => server.mails.length === 1, 20_000);
  const took = Date.now() - began;
  assert.ok(took < 10_000, `${took} ms`);
  const [mail] = server.mails;
  assert.equal(mail?.subject, 'Grüße, Ada');
  assert.deepEqual(mail?.from, { name: 'The Guild', address: 'post@guild.example' });
  assert.deepEqual(mail?.to, [{ name: '', address: 'ada@example.com' }]);
  assert.deepEqual(mail?.envelope, { from: 'post@guild.example', to: ['ada@example.com'] });
  assert.equal(mail?.text?.trim(), 'About Grüße, Ada.\n\n    123456');
  assert.match(mail?.html ?? '', /<p>About Grüße, Ada.<\/p>/);
  assert.equal(mail?.headers.find(({ key }) => key === 'auto-submitted')?.value, 'auto-generated');
  assert.match(mail?.messageId ?? '', /^<[0-9a-f-]{36}@guild.example>$/);

  await eventually(async () => (await kept('Grüße, Ada')).sentAt !== null);
  const { text, failedAt, failure } = await kept('Grüße, Ada');
  assert.deepEqual({ text, failedAt, failure }, { text: null, failedAt: null, failure: null });
});

test('nobody can add a header to a mail, or a recipient', async () => {
  server.mails.length = 0;
  await send('Evil\r\nBcc: all@example.com\r\n\r\n<b>Body</b>');
  await eventually(() => server.mails.length === 1, 20_000);
  const [mail] = server.mails;
  assert.equal(mail?.subject, 'Evil Bcc: all@example.com <b>Body</b>');
  assert.deepEqual(mail?.envelope.to, ['ada@example.com']);
  assert.equal(
    mail?.headers.some(({ key }) => key === 'bcc'),
    false,
  );
});

test('a 4xx is tried again, and the mail arrives once', async () => {
  server.mails.length = 0;
  server.refusal = { to: 'RCPT', code: 451, message: 'Greylisted, come back later' };
  await send('grey');
  await eventually(async () => (await kept('grey')).failure?.includes('Greylisted'), 20_000);
  assert.equal((await kept('grey')).failedAt, null);
  assert.match((await kept('grey')).text, /About grey/);
  server.refusal = undefined;
  await eventually(async () => (await hurry()).rowCount === 1);
  await eventually(() => server.mails.length === 1, 20_000);
  await eventually(async () => (await kept('grey')).sentAt !== null);
  assert.equal((await kept('grey')).failure, null);
});

for (const to of ['RCPT', 'DATA'] as const) {
  test(`a 5xx to ${to} is final: recorded, and not tried again`, async () => {
    const subject = `refused at ${to}`;
    const { offered } = server;
    server.refusal = { to, code: 550, message: 'No such mailbox' };
    await send(subject);
    await eventually(async () => (await kept(subject)).failedAt !== null, 20_000);
    server.refusal = undefined;
    const { failure, sentAt, text } = await kept(subject);
    assert.match(failure, /550.*No such mailbox/);
    assert.deepEqual([sentAt, text], [null, null]);
    await eventually(async () => (await jobStates()).length === 0);
    assert.equal(server.offered, offered + 1);
  });
}

test('a server that is down does not lose a mail, and it leaves when the server is back', async () => {
  await server.stop();
  await send('patient');
  await eventually(async () => (await kept('patient')).failure?.includes('ECONNREFUSED'), 20_000);
  const back = await startTestMailServer(port);
  await eventually(async () => {
    await hurry();
    return back.mails.length === 1;
  }, 20_000);
  assert.equal(back.mails[0]?.subject, 'patient');
  await back.stop();
});

test('a mail that comes too late to be of use is given up', async () => {
  await send('late', { usefulSeconds: -1 });
  await eventually(async () => (await kept('late')).failedAt !== null, 20_000);
  assert.match((await kept('late')).failure, /while it was of use/);
});

test('the job of a worker that died is taken up again', async () => {
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
    const letter = { subject: 'orphan', paragraphs: [] };
    await sendMail(services, querier, { to: 'ada@example.com', letter, usefulSeconds: 600 });
    // As if a worker had taken the job two minutes ago, and was killed.
    await client.query(`
      UPDATE pgboss.job SET state = 'active', started_on = now() - interval '2 minutes'
      WHERE name = 'mail' AND state = 'created'`);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
  await eventually(async () => (await kept('orphan')).sentAt !== null, 60_000);
});
