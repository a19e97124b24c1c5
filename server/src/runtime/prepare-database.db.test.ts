import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withClient } from '../database/client.ts';
import { migrate } from '../database/migrate.ts';
import { prepareDatabase } from './prepare-database.ts';
import pg from 'pg';
import { pino } from 'pino';
import { startWorker } from '../jobs/worker.ts';
import { asAdministrator, cloneTestDatabase, dropDatabase, withDatabase } from '../testing/databases.ts';
import { eventually } from '../testing/eventually.ts';

const migrateAt = (url: string, folder?: string) => withClient(url, (owner) => migrate(owner, folder));

/** Returns a folder with the migrations of this version and of a later one. */
function nextVersion(context: TestContext, migrations: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-migrations-'));
  context.after(() => rmSync(folder, { recursive: true }));
  cpSync(fileURLToPath(new URL('../../migrations', import.meta.url)), folder, { recursive: true });
  for (const [name, text] of Object.entries(migrations)) writeFileSync(join(folder, `${name}.sql`), text);
  return folder;
}

// Each has a database of its own, and waits for locks most of the time.
describe('a start', { concurrency: true }, () => {
  test('processes that start together on an empty database wait for one another, and one migrates it', async () => {
    const { url, drop } = await cloneTestDatabase();
    const name = `empty_${process.pid}`;
    await asAdministrator(url, `CREATE DATABASE ${name}`);
    try {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 4 }, () => prepareDatabase(withDatabase(url, name))),
      );
      const starts = outcomes.map((outcome) => {
        if (outcome.status === 'rejected') throw outcome.reason;
        return outcome.value;
      });
      assert.equal(starts.filter(({ migrations }) => migrations.length > 0).length, 1);
      const made = starts.flatMap(({ partitions }) => partitions);
      assert.equal(new Set(made).size, made.length, 'each partition is made once');
      assert.deepEqual(await prepareDatabase(withDatabase(url, name)), {
        migrations: [],
        partitions: [],
        distributed: [],
      });
    } finally {
      await dropDatabase(url, name);
      await drop();
    }
  });

  test('the worker, not the server start, builds the indexes of the job queues, and rebuilds an interrupted one', async () => {
    const { url, drop } = await cloneTestDatabase();
    const [owner, holder] = [new pg.Client(url), new pg.Client(url)];
    await Promise.all([owner.connect(), holder.connect()]);
    const build = 'CREATE INDEX CONCURRENTLY IF NOT EXISTS job_common_next ON pgboss.job_common (priority)';
    const progress = async () => {
      const { rows } = await owner.query(
        `SELECT status, indisvalid FROM pgboss.bam LEFT JOIN pg_index ON indexrelid = to_regclass('pgboss.job_common_next')`,
      );
      return rows;
    };
    try {
      // A build waits for all older snapshots, such as the one of pg_dump.
      await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
      await owner.query('SET lock_timeout = 100');
      await assert.rejects(owner.query(build), /lock timeout/);
      await holder.query('COMMIT');
      await owner.query(
        "INSERT INTO pgboss.bam (name, version, status, table_name, command) VALUES ('next', 99, 'failed', 'job_common', $1)",
        [build],
      );
      await owner.query('UPDATE pgboss.version SET bam_on = NULL');
      await prepareDatabase(url);
      assert.deepEqual(await progress(), [{ status: 'failed', indisvalid: false }]);
      const worker = await startWorker(url, { scheduled: [], queued: [] }, pino({ level: 'silent' }));
      await eventually(async () => (await progress())[0]?.status === 'completed');
      await worker.stop();
      assert.deepEqual(await progress(), [{ status: 'completed', indisvalid: true }]);
    } finally {
      await Promise.all([owner.end(), holder.end()]);
      await drop();
    }
  });

  test('a migration ends, and releases its locks, if its process is killed', async (context) => {
    const { url, drop } = await cloneTestDatabase();
    const folder = nextVersion(context, { '9998_next': 'LOCK TABLE mails; SELECT pg_sleep(3600)' });
    const observer = new pg.Client(url);
    await observer.connect();
    const countSleeping = async () =>
      (
        await observer.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
        )
      ).rowCount;
    try {
      const socket = new Socket();
      const migrating = assert.rejects(
        withClient(url, (owner) => migrate(owner, folder), { stream: () => socket }),
      );
      await eventually(async () => (await countSleeping()) === 1);
      socket.destroy();
      await migrating;
      await eventually(async () => (await countSleeping()) === 0);
      await observer.query('SELECT FROM mails');
    } finally {
      await observer.end();
      await drop();
    }
  });

  test('a start says that the update of the job queues waits for the lock of another connection', async () => {
    const { url, drop } = await cloneTestDatabase();
    const holder = new pg.Client(url);
    await holder.connect();
    try {
      await holder.query('UPDATE pgboss.version SET version = 40');
      // As pg_dump does.
      await holder.query('BEGIN; LOCK TABLE pgboss.schedule IN ACCESS SHARE MODE');
      await assert.rejects(
        prepareDatabase(url),
        /^OperatorError: The update of the job queues waited 30 seconds for a lock .+ start again when it has ended\.$/,
      );
      await holder.query('COMMIT');
      await prepareDatabase(url);
    } finally {
      await holder.end();
      await drop();
    }
  });

  test('a migration that gets no lock within a second stops waiting, and succeeds after the lock is released', async (context) => {
    const { url, drop } = await cloneTestDatabase();
    const [holder, observer] = [new pg.Client(url), new pg.Client(url)];
    await Promise.all([holder.connect(), observer.connect()]);
    const folder = nextVersion(context, { '9998_next': 'ALTER TABLE mails ADD COLUMN next integer' });
    try {
      // As pg_dump does.
      await holder.query('BEGIN; LOCK TABLE mails IN ACCESS SHARE MODE');
      let isOver = false;
      const migrating = migrateAt(url, folder).finally(() => (isOver = true));
      // While a statement waits for a lock on a table, all later statements on this table wait too.
      for (const count of [1, 0])
        await eventually(async () => {
          const { rowCount } = await observer.query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          return rowCount === count;
        });
      assert.equal(isOver, false);
      await holder.query('COMMIT');
      assert.deepEqual(await migrating, ['9998_next']);
      await observer.query('SELECT next FROM mails');
    } finally {
      await Promise.all([holder.end(), observer.end()]);
      await drop();
    }
  });
});

test('a migration that fails changes nothing, and neither do the migrations before it', async (context) => {
  const { url, drop } = await cloneTestDatabase();
  const folder = nextVersion(context, {
    '9998_next': 'ALTER TABLE mails ADD COLUMN next integer',
    '9999_broken': 'ALTER TABLE nowhere ADD COLUMN next integer',
  });
  const shown = context.mock.method(console, 'error', () => {});
  try {
    await assert.rejects(migrateAt(url, folder), {
      name: 'OperatorError',
      message:
        'A migration failed: relation "nowhere" does not exist. The database is unchanged, so the version that used it before can start on it.',
    });
    assert.match(shown.mock.calls[0]!.arguments.join('\n'), /ALTER TABLE nowhere/);
    await migrateAt(url);
    await withClient(url, async (client) => {
      const { rows } = await client.query(`SELECT name FROM migrations WHERE name LIKE '999%'`);
      assert.deepEqual(rows, []);
      await assert.rejects(client.query('SELECT next FROM mails'), /column "next" does not exist/);
    });
  } finally {
    await drop();
  }
});
