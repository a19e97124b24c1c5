import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, connect as connectTo, type Socket } from 'node:net';
import { after, test, type TestContext } from 'node:test';
import pg from 'pg';
import { cloneTestDatabase } from '../testing/databases.ts';
import { eventually } from '../testing/eventually.ts';
import { openChangeFeed } from './change-feed.ts';

const database = await cloneTestDatabase();
const owner = new pg.Pool({ connectionString: database.url, max: 2 });
after(async () => {
  await owner.end();
  await database.drop();
});

/** A door in front of PostgreSQL that can be shut: then it hangs up on whoever knocks, and counts them. */
async function openDoor(context: TestContext) {
  const { searchParams, hostname, port: plainPort } = new URL(database.url);
  const folder = searchParams.get('host');
  const port = searchParams.get('port') || plainPort || '5432';
  const behind = folder?.startsWith('/')
    ? { path: `${folder}/.s.PGSQL.${port}` }
    : { host: folder ?? hostname, port: Number(port) };
  const door = { open: true, knocks: 0, url: '', shut: () => {} };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    door.knocks++;
    socket.on('error', () => {});
    if (!door.open) return socket.destroy();
    const postgres = connectTo(behind);
    for (const [one, other] of [
      [socket, postgres],
      [postgres, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = new URL(database.url);
  address.searchParams.delete('host');
  address.searchParams.delete('port');
  address.hostname = '127.0.0.1';
  address.port = String((server.address() as { port: number }).port);
  door.url = address.href;
  door.shut = () => {
    door.open = false;
    for (const socket of sockets) socket.destroy();
  };
  context.after(async () => {
    door.shut();
    server.close();
    await once(server, 'close');
  });
  return door;
}

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

test('while the database is away there is one attempt at a time, and everything is forgotten on its return', async (context) => {
  const door = await openDoor(context);
  const changes = await openChangeFeed(door.url);
  const told: (string | undefined)[] = [];
  changes.on('workspaces', (id) => told.push(id));
  door.shut();
  await eventually(() => told.length > 0);
  await new Promise((resolve) => setTimeout(resolve, 1200));
  assert.ok(door.knocks <= 4, `${door.knocks} attempts in 1.2 seconds, half a second apart`);

  await change();
  const before = told.length;
  door.open = true;
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
  const knocks = door.knocks;
  await new Promise((resolve) => setTimeout(resolve, 700));
  assert.equal(door.knocks, knocks, 'a closed feed does not come back');
});

test('a feed that is closed while the database is away gives up', async (context) => {
  const door = await openDoor(context);
  const changes = await openChangeFeed(door.url);
  let told = false;
  changes.on('tenants', () => (told = true));
  door.shut();
  await eventually(() => told);
  await changes.close();
  door.open = true;
  await new Promise((resolve) => setTimeout(resolve, 700));
  const { rows } = await owner.query(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE application_name = 'guildhall change feed' AND datname = current_database()`,
  );
  assert.equal(rows[0].count, 0);
});

test('a database that does not answer at the start is an error', async (context) => {
  const door = await openDoor(context);
  door.shut();
  await assert.rejects(openChangeFeed(door.url));
  await new Promise((resolve) => setTimeout(resolve, 700));
  assert.equal(door.knocks, 1, 'nobody knocks again');
});
