import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../../../database/database.ts';
import type { KeyCaller } from '../../../core/callers.ts';
import { arrangeTenant } from '../../../testing/arrange.ts';
import { avoidEndOf } from '../../../testing/avoid-end-of.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { whileLocked } from '../../../testing/while-locked.ts';
import { openUsageMeter } from './index.ts';
import { findQuota } from './queries.ts';

const app = await startTestApp();

/** A proxy to the database that can be closed. It then refuses connections, like PostgreSQL during a restart. */
async function openProxy() {
  const { host, port, user = '', database = '' } = new pg.Client({ connectionString: app.databaseUrl });
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
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
      proxy.listen(at, '127.0.0.1', () => resolve((proxy.address() as { port: number }).port));
    });
  const at = await listen(0);
  const close = () => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  };
  after(close);
  return { url: `postgres://${user}@127.0.0.1:${at}/${database}`, close, reopen: () => listen(at) };
}

describe('openUsageMeter', () => {
  test('keeps only the keys of a refused statement, and logs the begin and the end of the failure', async () => {
    await avoidEndOf('month');
    const { tenantId, workspaceId } = await arrangeTenant(app);
    const database = openDatabase(app.databaseUrl);
    const log: string[] = [];
    const meter = openUsageMeter({
      database,
      changes: { on: () => {}, close: async () => {} },
      logger: { warn: (_, message) => void log.push(message) },
    });
    after(async () => {
      await meter.close();
      await database.close();
    });
    const used = async () => (await findQuota(database.forWorkspace(workspaceId), workspaceId))!.used;
    const count = (units: number) =>
      meter.count({ keyId: randomUUID(), tenantId, payerId: workspaceId } as KeyCaller, {
        units,
        bytesIn: 0,
        bytesOut: 0,
      });

    await app.owner.query('ALTER TABLE usage_entries ADD CONSTRAINT refused CHECK (units <> 13)');
    count(13);
    // A statement writes 1,000 keys.
    for (let key = 0; key < 1_000; key++) count(1);
    await eventually(async () => (await used()) === 1);
    for (let attempt = 0; attempt < 2; attempt++) await meter.quota(randomUUID());
    await app.owner.query('ALTER TABLE usage_entries DROP CONSTRAINT refused');
    await eventually(async () => (await used()) === 1_013 && log.length > 1);
    assert.deepEqual(log, ['usage cannot be recorded, will retry', 'usage is recorded again']);
  });

  test('keeps the keys of further statements if the connection breaks', async () => {
    const broken = createServer((socket) => socket.destroy());
    await once(broken.listen(0, '127.0.0.1'), 'listening');
    const database = openDatabase(
      `postgres://guildhall@127.0.0.1:${(broken.address() as AddressInfo).port}/guildhall`,
    );
    const log: string[] = [];
    const meter = openUsageMeter({
      database,
      changes: { on: () => {}, close: async () => {} },
      logger: { warn: (_, message) => void log.push(message) },
    });
    after(async () => {
      await meter.close();
      await database.close();
      broken.close();
    });
    for (let key = 0; key < 2_500; key++)
      meter.count({ keyId: randomUUID(), tenantId: randomUUID(), payerId: randomUUID() } as KeyCaller, {
        units: 1,
        bytesIn: 0,
        bytesOut: 0,
      });
    const lost = 'usage may not be recorded, because the connection broke while it was written';
    await eventually(() => log.filter((message) => message === lost).length === 3);
    assert.deepEqual(log, [lost, 'usage cannot be recorded, will retry', lost, lost]);
  });

  test('keeps reads while the database is unavailable, writes them once, and warns if they may be lost', async () => {
    await avoidEndOf('month');
    const { tenantId, workspaceId } = await arrangeTenant(app);
    const { rows } = await app.owner.query('SELECT id FROM tenant_keys WHERE tenant_id = $1', [tenantId]);
    const key = { keyId: rows[0].id, tenantId, payerId: workspaceId } as KeyCaller;
    const proxy = await openProxy();
    const database = openDatabase(proxy.url);
    const warnings: { details: object; message: string }[] = [];
    const meter = openUsageMeter({
      database,
      changes: { on: () => {}, close: async () => {} },
      logger: { warn: (details, message) => void warnings.push({ details, message }) },
    });
    after(async () => {
      await meter.close();
      await database.close();
    });
    const used = async () => (await findQuota(database.forWorkspace(workspaceId), workspaceId))!.used;

    meter.count(key, { units: 1, bytesIn: 0, bytesOut: 0 });
    await eventually(async () => (await used()) === 1);
    proxy.close();
    await eventually(() =>
      used().then(
        () => false,
        ({ code }) => code === 'ECONNREFUSED',
      ),
    );
    meter.count(key, { units: 2, bytesIn: 0, bytesOut: 0 });
    // Reading a quota first writes the collected usage. Both writes fail here.
    for (let attempt = 0; attempt < 2; attempt++) await assert.rejects(meter.quota(workspaceId));
    await proxy.reopen();
    await eventually(async () => (await used()) === 3 && warnings.length > 1);
    assert.deepEqual(
      warnings.splice(0).map(({ message }) => message),
      ['usage cannot be recorded, will retry', 'usage is recorded again'],
    );

    // The statement may be committed after the connection broke, so it is not repeated.
    const lock = async (holder: pg.PoolClient) => void (await holder.query('LOCK TABLE usage_entries'));
    await whileLocked(app, lock, async (waiting) => {
      meter.count(key, { units: 4, bytesIn: 5, bytesOut: 0 });
      await waiting(1);
      proxy.close();
      await eventually(() => warnings.length === 1);
    });
    const { reason: _, ...lost } = warnings[0]!.details as Record<string, unknown>;
    assert.deepEqual(lost, { keys: 1, units: 4 });
  });
});
