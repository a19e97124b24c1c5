import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { eventually } from '../testing/eventually.ts';
import { withClient } from './client.ts';
import { openStorage } from './storage.ts';

test('PostgreSQL is restarted if it ended before the server asked to keep it running', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'guildhall-storage-'));
  const storage = await openStorage({ databaseUrl: undefined, dataDir }, 'exclusive');
  try {
    const lost = withClient({ connectionString: storage.url }, async (client) => {
      const [postmaster] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
      const end = new Promise((resolve) => client.once('end', resolve));
      process.kill(Number(postmaster), 'SIGKILL');
      await end;
    });
    await lost;

    const lines: string[] = [];
    const log = { warn: (_: object, line: string) => lines.push(line), error: () => {} };
    storage.keepRunning(log);
    await eventually(() => lines.length > 0, 'the restart');
    assert.deepEqual(lines, ['PostgreSQL was restarted']);
  } finally {
    await storage.close();
    rmSync(dataDir, { recursive: true });
  }
});

test('waits for a PostgreSQL that recovers from the crash of one of its processes', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'guildhall-storage-'));
  const location = { databaseUrl: undefined, dataDir };
  const first = await openStorage(location, 'shared');
  try {
    await withClient({ connectionString: first.url }, async (client) => {
      // The log since the last checkpoint, which the recovery reads again.
      await client.query('CREATE TABLE filler AS SELECT generate_series(1, 1000000) AS number');
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const end = new Promise((resolve) => client.once('end', resolve));
      process.kill(rows[0]!.pid, 'SIGKILL');
      await end;
    });
    const second = await openStorage(location, 'shared');
    await second.close();
    assert.throws(() => readFileSync(join(dataDir, 'postgres', 'postmaster.pid')), { code: 'ENOENT' });
  } finally {
    await first.close();
    rmSync(dataDir, { recursive: true });
  }
});

test('stops the PostgreSQL that it has started if the database cannot be created, as on a full disk', async (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'guildhall-storage-'));
  const query = pg.Client.prototype.query as (this: pg.Client, ...sent: unknown[]) => unknown;
  context.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...sent: unknown[]) {
    if (String(sent[0]).startsWith('CREATE DATABASE'))
      return Promise.reject(new Error('No space left on device'));
    return query.apply(this, sent);
  });
  try {
    await assert.rejects(openStorage({ databaseUrl: undefined, dataDir }, 'exclusive'), /No space left/);
    assert.throws(() => readFileSync(join(dataDir, 'postgres', 'postmaster.pid')), { code: 'ENOENT' });
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
