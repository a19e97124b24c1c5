import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { eventually } from '../testing/eventually.ts';
import { advisoryLocks } from './advisory-locks.ts';
import { withClient } from './client.ts';
import { startEmbeddedServer } from './embedded/embedded-server.ts';
import { openStorage } from './storage.ts';

// The tests that do not need a new cluster share one, because its creation takes 2 seconds of processor time.
const dataDir = mkdtempSync(join(tmpdir(), 'guildhall-storage-'));
const location = { databaseUrl: undefined, dataDir };
after(() => rmSync(dataDir, { recursive: true }));

const silent = { warn: () => {}, error: () => {} };

/** Kills the PostgreSQL of the shared cluster, and waits until its connections have ended. */
async function killPostmaster(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const [postmaster] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
    const end = new Promise((resolve) => client.once('end', resolve));
    process.kill(Number(postmaster), 'SIGKILL');
    await end;
  });
}

test('PostgreSQL is restarted if it ended before the server asked to keep it running', async () => {
  const storage = await openStorage(location, 'exclusive');
  try {
    await killPostmaster(storage.url);
    const lines: string[] = [];
    storage.keepRunning({ ...silent, warn: (_: object, line: string) => lines.push(line) });
    await eventually(() => lines.length > 0, 'the restart');
    assert.deepEqual(lines, ['PostgreSQL was restarted']);
  } finally {
    await storage.close();
  }
});

test('says that another server has taken the folder while PostgreSQL was down, and leaves PostgreSQL to it', async () => {
  const first = await openStorage(location, 'exclusive');
  await killPostmaster(first.url);
  const second = await openStorage(location, 'exclusive');
  try {
    first.keepRunning(silent);
    const { message } = await first.lockLost;
    assert.match(message, /^Another Guildhall server has taken \S+ while .+, or set another DATA_DIR\.$/);
    await first.close();
    await withClient(second.url, (client) => client.query('SELECT 1'));
  } finally {
    await second.close();
  }
});

test('restarts PostgreSQL behind a symbolic link after another process has stopped it', async () => {
  // A socket cannot have a space in its path.
  const dataDir = mkdtempSync(join(tmpdir(), 'guildhall storage-'));
  try {
    const first = await openStorage({ databaseUrl: undefined, dataDir }, 'shared');
    const second = await startEmbeddedServer(dataDir);
    const linkOf = (url: string): string => new URL(url).searchParams.get('host')!;
    assert.equal(linkOf(second.url('guildhall')), linkOf(first.url));
    await first.close();
    assert.ok(!existsSync(linkOf(first.url)));
    await second.ensureRunning();
    const url = second.url('guildhall');
    await withClient(url, (client) => client.query('SELECT 1'));
    await second.stop();
    assert.ok(!existsSync(dirname(linkOf(url))));
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

test('uses and stops a PostgreSQL whose link in the temporary folder was deleted', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'guildhall storage-'));
  try {
    const first = await startEmbeddedServer(dataDir);
    const linkOf = ({ url }: typeof first): string => new URL(url('guildhall')).searchParams.get('host')!;
    const processId = () => readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0];
    const running = processId();
    rmSync(dirname(linkOf(first)), { recursive: true });
    const second = await startEmbeddedServer(dataDir);
    assert.equal(processId(), running);
    await withClient(second.url('postgres'), (client) => client.query('SELECT 1'));
    rmSync(dirname(linkOf(second)), { recursive: true });
    await second.stop();
    assert.ok(!existsSync(join(dataDir, 'postgres', 'postmaster.pid')));
    const third = await startEmbeddedServer(dataDir);
    await third.stop();
    for (const server of [first, second, third]) assert.ok(!existsSync(dirname(linkOf(server))));
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

type EndBackend = (client: pg.Client, pid: number) => unknown;
const endings: Record<string, EndBackend> = {
  'was ended by hand': (client, pid) => client.query('SELECT pg_terminate_backend($1)', [pid]),
  crashed: (_, pid) => process.kill(pid, 'SIGKILL'),
};
for (const [how, end] of Object.entries(endings))
  test(`takes the lock again if the process of PostgreSQL that held it ${how}`, async () => {
    const storage = await openStorage(location, 'exclusive');
    try {
      let restarts = 0;
      storage.keepRunning({ ...silent, warn: () => restarts++ });
      await withClient(storage.url, async (client) => {
        const { rows } = await client.query<{ pid: number }>(
          `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${advisoryLocks.embeddedServer}`,
        );
        await end(client, rows[0]!.pid);
      });
      await eventually(() => restarts > 0, 'the recovery');
      await assert.rejects(
        openStorage(location, 'exclusive'),
        /^OperatorError: Another Guildhall server already/,
      );
    } finally {
      await storage.close();
    }
  });

test('waits for a PostgreSQL that recovers from the crash of one of its processes', async () => {
  const first = await openStorage(location, 'shared');
  try {
    await withClient(first.url, async (client) => {
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
