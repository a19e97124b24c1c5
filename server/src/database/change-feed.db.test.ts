import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startDatabaseProxy } from '../../acceptance/database-proxy.ts';
import { cloneTestDatabase } from '../testing/databases.ts';
import { eventually } from '../testing/eventually.ts';
import { openChangeFeed } from './change-feed.ts';

const noLog = { info: () => {} };
const database = await cloneTestDatabase();
const owner = new pg.Pool({ connectionString: database.url, max: 2 });
after(async () => {
  await owner.end();
  await database.drop();
});

const workspaceId = randomUUID();
await owner.query(`INSERT INTO workspaces (id, name, slug) VALUES ($1, 'x', 'x')`, [workspaceId]);
const change = () =>
  owner.query('UPDATE workspaces SET requests_per_hour = requests_per_hour + 1 WHERE id = $1', [workspaceId]);

describe('openChangeFeed', () => {
  test('notifies the listeners of a table with the id of the changed row', async () => {
    const changes = await openChangeFeed(database.url, noLog);
    const notified: (string | undefined)[] = [];
    changes.on('workspaces', (id) => notified.push(id));
    changes.on('memberships', () => assert.fail('a change of workspaces notifies listeners of memberships'));
    await change();
    await eventually(() => notified.length > 0);
    assert.deepEqual(notified, [workspaceId]);
    await changes.close();
  });

  test('reconnects with one attempt at a time, then invalidates everything and logs one line', async () => {
    const proxy = await startDatabaseProxy(database.url);
    const lines: [object, string][] = [];
    const changes = await openChangeFeed(proxy.url, { info: (...line) => lines.push(line) });
    const notified: (string | undefined)[] = [];
    changes.on('workspaces', (id) => notified.push(id));
    const refusedAt = performance.now();
    proxy.refuse();
    await eventually(() => notified.length > 0);
    await sleep(1200);
    const seconds = (performance.now() - refusedAt) / 1000;
    // The first connection, and one attempt at once after its loss.
    const atMost = 2 + 2 * seconds;
    assert.ok(proxy.attempts <= atMost, `${proxy.attempts} attempts in ${seconds} s, half a second apart`);

    await change();
    assert.deepEqual(lines, []);
    const before = notified.length;
    proxy.open();
    await eventually(() => notified.length > before + 1);
    assert.ok(
      notified.every((id) => id === undefined),
      'changes in the meantime are unknown, so everything is invalidated',
    );
    const known = notified.length;
    await change();
    await eventually(() => notified.length > known);
    assert.notEqual(notified.at(-1), undefined, 'the feed listens again');
    assert.equal(lines.length, 1);
    const [fields, message] = lines[0]! as [{ outageSeconds: number }, string];
    assert.equal(message, 'the database can be reached again');
    assert.ok(Math.abs(fields.outageSeconds - seconds) <= 2, `${fields.outageSeconds} of ${seconds} s`);

    await changes.close();
    const attempts = proxy.attempts;
    await sleep(700);
    assert.equal(proxy.attempts, attempts, 'a closed feed does not reconnect');
  });

  test('stops reconnecting when it is closed while the database is unavailable', async () => {
    const proxy = await startDatabaseProxy(database.url);
    const changes = await openChangeFeed(proxy.url, noLog);
    let notified = false;
    changes.on('tenants', () => (notified = true));
    proxy.refuse();
    await eventually(() => notified);
    await changes.close();
    proxy.open();
    await sleep(700);
    // A feed that reconnects stays connected. PostgreSQL may notice the end of an earlier connection later.
    await eventually(async () => {
      const { rowCount } = await owner.query(
        `SELECT FROM pg_stat_activity
         WHERE application_name = 'guildhall change feed' AND datname = current_database()`,
      );
      return rowCount === 0;
    });
  });

  test('throws if the database is unavailable at the start', async () => {
    const proxy = await startDatabaseProxy(database.url);
    proxy.refuse();
    await assert.rejects(openChangeFeed(proxy.url, noLog));
    await sleep(700);
    assert.equal(proxy.attempts, 1, 'no second attempt');
  });

  test('invalidates everything repeatedly while the connection is half-open', async () => {
    const proxy = await startDatabaseProxy(database.url);
    const changes = await openChangeFeed(proxy.url, noLog);
    const notified: (string | undefined)[] = [];
    changes.on('workspaces', (id) => notified.push(id));
    proxy.blackhole('guildhall change feed');
    await change();
    await eventually(() => notified.length >= 3);
    assert.ok(notified.every((id) => id === undefined));
    proxy.open();
    await eventually(async () => {
      await change();
      return notified.at(-1) !== undefined;
    });
    await changes.close();
  });
});
