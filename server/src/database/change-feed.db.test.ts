import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { startDatabaseProxy } from '../testing/database-proxy.ts';
import { cloneTestDatabase } from '../testing/databases.ts';
import { eventually } from '../testing/eventually.ts';
import { openChangeFeed } from './change-feed.ts';

const database = await cloneTestDatabase();
const owner = new pg.Pool({ connectionString: database.url, max: 2 });
after(async () => {
  await owner.end();
  await database.drop();
});

const change = () =>
  owner.query(`INSERT INTO workspaces (id, name, slug) VALUES (gen_random_uuid(), 'x', gen_random_uuid())`);

test('a change is told with its id, to those who listen for its table', async () => {
  const changes = await openChangeFeed(database.url);
  const told: (string | undefined)[] = [];
  changes.on('workspaces', (id) => told.push(id));
  changes.on('memberships', () => assert.fail('a workspace is no membership'));
  const { rows } = await owner.query(
    `INSERT INTO workspaces (id, name, slug) VALUES (gen_random_uuid(), 'x', 'told') RETURNING id`,
  );
  await eventually(() => told.length > 0);
  assert.deepEqual(told, [rows[0].id]);
  await changes.close();
});

test('while the database is away there is one attempt at a time, and everything is forgotten on its return', async () => {
  const proxy = await startDatabaseProxy(database.url);
  const changes = await openChangeFeed(proxy.url);
  const told: (string | undefined)[] = [];
  changes.on('workspaces', (id) => told.push(id));
  proxy.refuse();
  await eventually(() => told.length > 0);
  await new Promise((resolve) => setTimeout(resolve, 1200));
  assert.ok(proxy.attempts <= 4, `${proxy.attempts} attempts in 1.2 seconds, half a second apart`);

  await change();
  const before = told.length;
  proxy.open();
  await eventually(() => told.length > before + 1);
  assert.ok(
    told.every((id) => id === undefined),
    'what changed meanwhile is unknown: forget everything',
  );
  const known = told.length;
  await change();
  await eventually(() => told.length > known);
  assert.notEqual(told.at(-1), undefined, 'it listens again');

  await changes.close();
  const attempts = proxy.attempts;
  await new Promise((resolve) => setTimeout(resolve, 700));
  assert.equal(proxy.attempts, attempts, 'a closed feed does not come back');
});

test('a feed that is closed while the database is away gives up', async () => {
  const proxy = await startDatabaseProxy(database.url);
  const changes = await openChangeFeed(proxy.url);
  let told = false;
  changes.on('tenants', () => (told = true));
  proxy.refuse();
  await eventually(() => told);
  await changes.close();
  proxy.open();
  await new Promise((resolve) => setTimeout(resolve, 700));
  const { rows } = await owner.query(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE application_name = 'guildhall change feed' AND datname = current_database()`,
  );
  assert.equal(rows[0].count, 0);
});

test('a database that does not answer at the start is an error', async () => {
  const proxy = await startDatabaseProxy(database.url);
  proxy.refuse();
  await assert.rejects(openChangeFeed(proxy.url));
  await new Promise((resolve) => setTimeout(resolve, 700));
  assert.equal(proxy.attempts, 1, 'nobody tries again');
});

test('invalidates everything when the connection is half-open, and again and again until it is replaced', async () => {
  const proxy = await startDatabaseProxy(database.url);
  const changes = await openChangeFeed(proxy.url);
  const told: (string | undefined)[] = [];
  changes.on('workspaces', (id) => told.push(id));
  proxy.blackhole('guildhall change feed');
  await change();
  await eventually(() => told.length >= 3, 20_000);
  assert.ok(told.every((id) => id === undefined));
  proxy.open();
  await eventually(async () => {
    await change();
    return told.at(-1) !== undefined;
  }, 30_000);
  await changes.close();
});
