import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import type { ChangeFeed, WatchedTable } from '../../../database/change-feed.ts';
import { openDatabase } from '../../../database/database.ts';
import { createAcquireSlots } from '../../../processes/concurrency-slots.ts';
import { arrangeAccount, arrangeTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { listEndedSessions } from '../../studio/accounts/index.ts';
import { openNotificationFeed, type NotificationStream } from './notification-feed.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
after(() => database.close());

/** Opens a feed whose change feed reports only what the test reports. A report without an ID is one after a gap. */
function arrangeFeed(
  endedSessions = (sessionIds: string[]): Promise<string[]> => listEndedSessions(database, sessionIds),
) {
  const handlers = new Map<WatchedTable, (id: string | undefined) => void>();
  const changes: ChangeFeed = {
    on: (table, handler) => void handlers.set(table, handler),
    close: async () => {},
  };
  const feed = openNotificationFeed({
    database,
    changes,
    acquireSlots: createAcquireSlots(),
    endedSessions,
  });
  return { feed, reportChange: (table: WatchedTable, id?: string) => handlers.get(table)?.(id) };
}
const arrangeCaller = async () => {
  const { accountId } = await arrangeAccount(app, await arrangeTenant(app));
  const sessionId = randomUUID();
  await app.owner.query('INSERT INTO account_sessions (id, account_id) VALUES ($1, $2)', [
    sessionId,
    accountId,
  ]);
  return { accountId, sessionId, expiresAtMs: Date.now() + 60_000 };
};
const endSession = (sessionId: string) =>
  app.owner.query('UPDATE account_sessions SET revoked_at = now() WHERE id = $1', [sessionId]);
const readAll = (stream: NotificationStream) => {
  const read: unknown[] = [];
  const done = (async () => {
    for await (const item of stream.items) read.push('ended' in item ? item : item.title);
  })();
  return { read, done };
};

describe('openNotificationFeed', () => {
  test('sends missed notifications and ends revoked sessions after a gap in the change feed', async () => {
    const { feed, reportChange } = arrangeFeed();
    const [one, other] = [await arrangeCaller(), await arrangeCaller()];
    const [mine, theirs] = [
      readAll(await feed.open(one, undefined)),
      readAll(await feed.open(other, undefined)),
    ];
    await app.owner.query(
      `INSERT INTO notifications (id, account_id, type, title, text) VALUES ($1, $2, 'test', 'missed', '-')`,
      [randomUUID(), one.accountId],
    );
    await endSession(other.sessionId);
    reportChange('notifications');
    await eventually(() => mine.read.length === 1);
    assert.deepEqual(mine.read, ['missed']);
    reportChange('account_sessions');
    await theirs.done;
    assert.deepEqual(theirs.read, [{ ended: 'session_ended' }]);
    feed.close();
    await mine.done;
    assert.deepEqual(mine.read, ['missed', { ended: 'server_stopping' }]);
  });

  test('ends a stream whose session ends while it opens', async () => {
    const caller = await arrangeCaller();
    const { feed, reportChange } = arrangeFeed(async (sessionIds) => {
      const ended = await listEndedSessions(database, sessionIds);
      await endSession(caller.sessionId);
      reportChange('account_sessions', caller.sessionId);
      return ended;
    });
    const { read, done } = readAll(await feed.open(caller, undefined));
    await done;
    assert.deepEqual(read, [{ ended: 'session_ended' }]);
  });

  test('rejects sessions that have ended, and counts no stream for them', async () => {
    const { feed } = arrangeFeed();
    const caller = await arrangeCaller();
    await endSession(caller.sessionId);
    for (let attempt = 0; attempt < 11; attempt++)
      await assert.rejects(feed.open(caller, undefined), { code: 'invalid_bearer' });
    (await feed.open({ ...caller, sessionId: randomUUID() }, undefined)).close();
  });

  test('ends streams when the feed is closed or the database is unavailable', async () => {
    const { feed, reportChange } = arrangeFeed();
    const caller = await arrangeCaller();
    const unavailable = openDatabase(app.databaseUrl, { poolSize: 1 });
    const changes: ChangeFeed = { on: () => {}, close: async () => {} };
    const broken = openNotificationFeed({
      database: unavailable,
      changes,
      acquireSlots: createAcquireSlots(),
      endedSessions: async () => [],
    });
    const stream = await broken.open(caller, undefined);
    await unavailable.close();
    const cut = readAll(stream);
    await cut.done;
    assert.deepEqual(cut.read, [{ ended: 'unavailable' }]);
    await assert.rejects(broken.open(caller, undefined));

    feed.close();
    reportChange('notifications');
    const late = readAll(await feed.open(caller, undefined));
    await late.done;
    assert.deepEqual(late.read, [{ ended: 'server_stopping' }]);
  });
});
