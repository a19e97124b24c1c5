import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import { openJobs } from '../../../jobs/queue.ts';
import { arrangeAccount, arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { vault } from '../../../testing/test-vault.ts';
import { deleteOldNotifications, notifyTeam } from './index.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
const services = { vault, jobs: await openJobs(database) };
test.after(async () => {
  await services.jobs.close();
  await database.close();
});

/** Creates an owner with notifications of the given titles, oldest first. */
async function arrangeNotifications(...titles: string[]) {
  const tenant = await arrangeTenant(app);
  const owner = await arrangeAccount(app, tenant, 'owner');
  for (const title of titles)
    await database.transaction((transaction) =>
      notifyTeam(services, transaction, tenant.workspaceId, {
        type: 'test.news',
        title,
        text: `About ${title}.`,
        data: { title },
        tenantId: tenant.tenantId,
      }),
    );
  const list = async (query = '') => (await app.http.get(`/api/notifications${query}`, owner)).body;
  return { tenant, owner, list };
}
const titlesOf = ({ items }: { items: { title: string }[] }) => items.map(({ title }) => title);

describe('GET /api/notifications', () => {
  test('returns the notifications of the account, newest first', async () => {
    const { tenant, list } = await arrangeNotifications('first', 'second');
    await arrangeNotifications('foreign');
    const page = await list();
    assert.deepEqual(titlesOf(page), ['second', 'first']);
    const { items: _, ...rest } = page;
    assert.deepEqual(rest, { limit: 50, offset: 0, totalCount: 2, unreadCount: 2 });
    const { id, createdAt, ...item } = page.items[0];
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.ok(Math.abs(Date.now() - Date.parse(createdAt)) < 60_000);
    assert.deepEqual(item, {
      type: 'test.news',
      title: 'second',
      text: 'About second.',
      data: { title: 'second' },
      workspaceId: tenant.workspaceId,
      tenantId: tenant.tenantId,
      readAt: null,
    });
  });

  test('lists, counts, marks and keeps the last 10,000 notifications', async () => {
    const { owner, list } = await arrangeNotifications('first', 'second');
    await app.owner.query(
      `INSERT INTO notifications (id, account_id, type, title, text)
       SELECT gen_random_uuid(), $1, 'test.news', number, '' FROM generate_series(1, 9999) number`,
      [owner.accountId],
    );
    const { totalCount, unreadCount } = await list('?unreadOnly=true');
    assert.deepEqual([totalCount, unreadCount], [10_000, 10_000]);
    assert.deepEqual(titlesOf(await list('?offset=9999')), ['second']);
    const { body } = await app.http.post('/api/notifications/read-all', undefined, owner);
    assert.deepEqual(body, { markedCount: 10_000 });
    await deleteOldNotifications(database.forPlatform());
    const { rows } = await app.owner.query(
      'SELECT count(*)::integer AS kept, bool_and(read_at IS NOT NULL) AS "areRead" FROM notifications WHERE account_id = $1',
      [owner.accountId],
    );
    assert.deepEqual(rows, [{ kept: 10_000, areRead: true }]);
  });

  test('returns pages', async () => {
    const { owner, list } = await arrangeNotifications('1', '2', '3');
    assert.deepEqual(titlesOf(await list('?limit=2')), ['3', '2']);
    assert.deepEqual(titlesOf(await list('?limit=2&offset=2')), ['1']);
    assert.equal((await app.http.get('/api/notifications?limit=200', owner)).status, 200);
    for (const query of ['limit=201', 'limit=0', 'offset=-1', 'unreadOnly=perhaps'])
      assert.equal((await app.http.get(`/api/notifications?${query}`, owner)).status, 400, query);
  });
});

describe('POST /api/notifications/:notificationId/read', () => {
  test('marks a notification as read and keeps the first time', async () => {
    const { owner, list } = await arrangeNotifications('read', 'unread');
    const [unread, read] = (await list()).items;
    const first = await app.http.post(`/api/notifications/${read.id.toUpperCase()}/read`, undefined, owner);
    assert.equal(first.status, 200);
    assert.notEqual(first.body.readAt, null);
    const again = await app.http.post(`/api/notifications/${read.id}/read`, undefined, owner);
    assert.deepEqual(again.body, first.body);
    const page = await list('?unreadOnly=true');
    assert.deepEqual(page, { items: [unread], limit: 50, offset: 0, totalCount: 1, unreadCount: 1 });
    assert.equal((await list()).totalCount, 2);
  });
});

describe('POST /api/notifications/read-all', () => {
  test('returns the number of notifications that were unread', async () => {
    const { owner, list } = await arrangeNotifications('1', '2', '3');
    const other = await arrangeNotifications('other');
    await app.http.post(`/api/notifications/${(await list()).items[0].id}/read`, undefined, owner);
    const all = await app.http.post('/api/notifications/read-all', undefined, owner);
    assert.deepEqual([all.status, all.body], [200, { markedCount: 2 }]);
    const again = await app.http.post('/api/notifications/read-all', undefined, owner);
    assert.deepEqual(again.body, { markedCount: 0 });
    assert.equal((await list()).unreadCount, 0);
    assert.equal((await other.list()).unreadCount, 1);
  });
});

describe('notification permissions', () => {
  test('return 404 for a notification of another account', async () => {
    const mine = await arrangeNotifications('mine');
    const theirs = await arrangeNotifications('theirs');
    const [{ id }] = (await theirs.list()).items;
    const foreign = await app.http.post(`/api/notifications/${id}/read`, undefined, mine.owner);
    const missing = await app.http.post(`/api/notifications/${randomUUID()}/read`, undefined, mine.owner);
    assert.equal(foreign.status, 404);
    const { instance: _, requestId: __, ...problem } = foreign.body;
    const { instance: ___, requestId: ____, ...expected } = missing.body;
    assert.deepEqual(problem, expected);
    assert.equal((await theirs.list()).unreadCount, 1);
    const malformed = await app.http.post('/api/notifications/none/read', undefined, mine.owner);
    assert.equal(malformed.status, 404);
  });

  test('return 401 without an account', async () => {
    const { tenant } = await arrangeNotifications('secret');
    for (const caller of [{}, { gameKey: tenant.gameKey }, { apiKey: tenant.apiKey }, { bearer: 'no' }])
      assert.equal((await app.http.get('/api/notifications', caller)).status, 401);
  });
});
