import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../../../database/database.ts';
import type { KeyCaller } from '../../../core/callers.ts';
import { arrangeTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { openUsageMeter } from './index.ts';
import { findQuota } from './queries.ts';

const app = await startTestApp();

/** The database at an address of its own, which can be shut: nobody listens there then, as while PostgreSQL starts anew. */
async function openDoor() {
  const { host, port, user = '', database = '' } = new pg.Client({ connectionString: app.databaseUrl });
  const sockets = new Set<Socket>();
  const door = createServer((client) => {
    const server = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => [client, server].forEach((end) => end.destroy()));
    }
    client.pipe(server).pipe(client);
  });
  const listen = (at: number) =>
    new Promise<number>((resolve) => {
      door.listen(at, '127.0.0.1', () => resolve((door.address() as { port: number }).port));
    });
  const at = await listen(0);
  const shut = () => {
    door.close();
    for (const socket of sockets) socket.destroy();
  };
  after(shut);
  return { url: `postgres://${user}@127.0.0.1:${at}/${database}`, shut, reopen: () => listen(at) };
}

test('reads are kept while the database cannot be reached, and written down once', async () => {
  const { tenantId, workspaceId } = await arrangeTenant(app);
  const { rows } = await app.owner.query('SELECT id FROM tenant_keys WHERE tenant_id = $1', [tenantId]);
  const key = { keyId: rows[0].id, tenantId, payerId: workspaceId } as KeyCaller;
  const door = await openDoor();
  const database = openDatabase(door.url);
  const meter = openUsageMeter(database, { on: () => {}, close: async () => {} });
  after(async () => {
    await meter.close();
    await database.close();
  });
  const used = async () => (await findQuota(database.forWorkspace(workspaceId), workspaceId))!.used;

  meter.count(key, { units: 1, bytesIn: 0, bytesOut: 0 });
  await eventually(async () => (await used()) === 1);
  door.shut();
  await eventually(() =>
    used().then(
      () => false,
      ({ code }) => code === 'ECONNREFUSED',
    ),
  );
  meter.count(key, { units: 2, bytesIn: 0, bytesOut: 0 });
  // Looking at a quota writes down what was gathered before it: here, twice in vain.
  for (let look = 0; look < 2; look++) await assert.rejects(meter.quota(workspaceId));
  await door.reopen();
  await eventually(async () => (await used()) === 3);
});
