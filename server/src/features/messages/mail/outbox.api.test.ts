import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import { openJobs } from '../../../jobs/queue.ts';
import { arrangeAccount, arrangePlatformAdmin, arrangeTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp, startTestWorker } from '../../../testing/test-app.ts';
import { vault } from '../../../testing/test-vault.ts';
import { sendMail } from './index.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const admin = await arrangePlatformAdmin(app);
const owner = await arrangeAccount(app, tenant, 'owner');
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
const services = { vault, jobs: await openJobs(database) };
test.after(async () => {
  await services.jobs.close();
  await database.close();
});

const outbox = (query = '', caller: object = admin) => app.http.get(`/api/admin/outbox${query}`, caller);
const send = (subject: string, { fail = false } = {}) =>
  database.transaction(async (transaction) => {
    const content = { subject, paragraphs: ['Hello,', { code: '123456' }, `about ${subject}.`] };
    await sendMail(services, transaction, { to: 'ada@example.com', content, usefulSeconds: 600 });
    if (fail) throw new Error('rolled back');
  });

describe('GET /api/admin/outbox', () => {
  test('returns mails in pages, newest first', async () => {
    assert.deepEqual((await outbox()).body, { items: [], limit: 50, offset: 0, totalCount: 0 });
    for (const subject of ['one', 'two', 'three']) await send(subject);
    const all = await outbox();
    assert.equal(all.status, 200, all.text);
    assert.deepEqual(
      all.body.items.map((mail: { subject: string }) => mail.subject),
      ['three', 'two', 'one'],
    );
    const { id, createdAt, ...mail } = all.body.items[0];
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
    assert.deepEqual(mail, {
      to: 'ada@example.com',
      subject: 'three',
      text: 'Hello,\n\n    123456\n\nabout three.\n',
      sentAt: null,
      failedAt: null,
      failure: null,
    });
    const page = (await outbox('?limit=1&offset=1')).body;
    assert.deepEqual([page.items[0].subject, page.limit, page.offset, page.totalCount], ['two', 1, 1, 3]);
    assert.equal((await outbox('?limit=200')).status, 200);
    for (const query of ['?limit=0', '?limit=201', '?offset=-1', '?limit=x'])
      assert.equal((await outbox(query)).status, 400, query);
  });

  test('lists and counts the last 10,000 mails', async () => {
    // These ids are older than those of all other mails.
    await app.owner.query(
      `INSERT INTO mails (id, recipient, subject, give_up_at)
       SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, 'ada@example.com', 'mail ' || number, now()
       FROM generate_series(1, 10000) number`,
    );
    await send('the last one');
    const { items, totalCount } = (await outbox('?limit=1')).body;
    assert.deepEqual([items[0].subject, totalCount], ['the last one', 10_000]);
    const end = (await outbox('?offset=9999')).body;
    assert.equal(end.items.length, 1);
    const { subject } = end.items[0];
    const { rows } = await app.owner.query(`SELECT count(*)::int AS newer FROM mails WHERE id > $1`, [
      end.items[0].id,
    ]);
    assert.equal(rows[0].newer, 9_999, subject);
    assert.deepEqual((await outbox('?offset=10000')).body.items, []);
    await app.owner.query(`DELETE FROM mails WHERE id < '00000000-0000-7000-9000-000000000000'`);
  });
});

describe('sendMail', () => {
  test('enqueues nothing if the transaction fails', async () => {
    const before = (await outbox()).body.totalCount;
    await assert.rejects(send('never', { fail: true }), /rolled back/);
    assert.equal((await outbox()).body.totalCount, before);
    const { rows } = await app.owner.query(
      `SELECT count(*)::int AS count FROM pgboss.job WHERE name = 'mail'`,
    );
    assert.equal(rows[0].count, before, 'no job was added');
  });

  test('stores the content encrypted', async () => {
    await send('sealed');
    const { rows } = await app.owner.query(
      `SELECT mail::text || job.data::text AS text FROM mails mail, pgboss.job job`,
    );
    assert.ok(rows.length > 0);
    for (const { text } of rows) {
      assert.doesNotMatch(text, /123456|Hello/);
      assert.doesNotMatch(text, new RegExp(Buffer.from('123456').toString('hex')));
    }
  });
});

describe('deliverMail', () => {
  test('keeps mails in the outbox without a mail server', async () => {
    const worker = await startTestWorker(app);
    await send('kept');
    const isDone = async () => {
      const { rows } = await app.owner.query(
        `SELECT FROM pgboss.job WHERE name = 'mail' AND state <> 'completed'`,
      );
      return rows.length === 0;
    };
    await eventually(isDone);
    await worker.stop();
    const [kept] = (await outbox()).body.items;
    assert.deepEqual([kept.subject, kept.sentAt, kept.failedAt], ['kept', null, null]);
    assert.match(kept.text, /123456/);
  });
});

describe('outbox permissions', () => {
  test('allow only platform administrators to read the outbox', async () => {
    const answer = await outbox('', owner);
    assert.deepEqual([answer.status, answer.body.code], [403, 'forbidden']);
    assert.equal((await outbox('?limit=x', owner)).status, 400, 'validation comes before authorization');
    for (const caller of [{}, tenant, { bearer: 'x' }]) assert.equal((await outbox('', caller)).status, 401);
    await app.owner.query('UPDATE accounts SET is_platform_admin = false WHERE id = $1', [admin.accountId]);
    assert.equal((await outbox()).status, 403, 'a former platform administrator has no access');
  });

  test('let the application add jobs but not read or change them', async () => {
    const client = await app.owner.connect();
    await client.query('SET ROLE guildhall_app');
    try {
      for (const statement of [
        'SELECT data FROM pgboss.job',
        'DELETE FROM pgboss.job',
        'UPDATE pgboss.job SET data = NULL',
      ])
        await assert.rejects(client.query(statement), /permission denied/, statement);
    } finally {
      await client.query('RESET ROLE');
      client.release();
    }
  });
});
