import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ProblemError } from '../../../../../core/problem.ts';
import type { AlteredRow } from '../../../../../core/row-hash.ts';
import { openDatabase } from '../../../../../database/database.ts';
import { openOwnerPool } from '../../../../../database/pool.ts';
import { firstOfMonth } from '../../../../../database/partitions/partitioned-tables.ts';
import { dropOldRows } from '../../../../../runtime/retention.ts';
import { arrangePlayer, arrangeTenant } from '../../../../../testing/arrange.ts';
import { eventually } from '../../../../../testing/eventually.ts';
import { createOlderPartitions } from '../../../../../testing/older-partitions.ts';
import { bucketAt, startS3Server } from '../../../../../testing/s3-server.ts';
import { startTestApp } from '../../../../../testing/test-app.ts';
import { exportEvents } from '../../reading/export-events.ts';
import { queryEvents } from '../../reading/query-events.ts';
import { ArchiveStorageError, ArchiveTooLargeError, createArchiveBucket } from './archive-bucket.ts';
import {
  EVENTS_FILE,
  listPartFolders,
  partFolder,
  partName,
  PART_FILES,
  PROOFS_FILE,
} from './archive-files.ts';
import { archiveEvents } from '../writing/archive-events.ts';
import { openArchive, type Archive } from './archive.ts';
import { createDuckdb } from '../duckdb/duckdb.ts';
import { deleteLeastRecent } from './local-copies.ts';
import { selectParts } from './queries.ts';
import { deleteStaleCopies } from './stale-copies.ts';
import { verifyArchive } from '../reading/verify-archive.ts';

const s3 = await startS3Server();
/** The server and the worker have folders of their own. */
const folders = await mkdtemp(join(tmpdir(), 'guildhall-bucket-'));
const [ofServer, ofWorker] = [join(folders, 'server'), join(folders, 'worker')];
const storage = bucketAt(s3.url);
const app = await startTestApp({
  env: {
    ARCHIVE_DIR: ofServer,
    ARCHIVE_STORAGE_URL: `s3://events/archive?endpoint=${s3.url}`,
    LOG_LEVEL: 'silent',
  },
});
const database = openDatabase(app.databaseUrl, { poolSize: 2, work: 'job' });
const duckdb = createDuckdb();
const worker: Archive = { root: ofWorker, duckdb, bucket: createArchiveBucket(storage, ofWorker, 1e9) };
after(async () => {
  await database.close();
  await rm(folders, { recursive: true });
});
afterEach(() => Object.assign(s3, { trouble: 'none', onRequest: () => {} }));
const today = new Date();
await createOlderPartitions(app.owner, 'match_events', 2, today);
await createOlderPartitions(app.owner, 'player_events', 2, today);

const month = (later: number): string => firstOfMonth(today, later);
const archive = () => archiveEvents(app.owner, worker, month(0));

/** A tenant with a player and 20 events in two months that are over. */
async function arrange() {
  const tenant = await arrangeTenant(app, { autoCreate: true });
  const player = await arrangePlayer(app, tenant);
  const send = async (prefix: string, count: number) => {
    const events = Array.from({ length: count }, (_, number) => ({
      playerId: player.playerId,
      eventKey: 'jump',
      idempotencyKey: `${prefix} ${number}`,
      occurredAt: `${month((number % 2) - 2).slice(0, 8)}1${number % 10}T10:00:00Z`,
      value: number,
    }));
    const { status, text } = await app.http.post('/api/game/player-events', { events }, player.caller);
    assert.equal(status, 201, text);
  };
  await send('first', 20);
  /** A query that no roll-up answers. */
  const query = () =>
    app.http.post(
      `/api/bus_tenants/${tenant.tenantId}/queries`,
      { scope: 'player', from: `${month(-2)}T00:00:00Z`, to: `${month(0)}T00:00:00Z`, groupBy: ['playerId'] },
      { apiKey: tenant.apiKey },
    );
  /** On a slow machine, the downloads take longer than the 15 seconds of a query. They continue, and the next query finds the files. */
  const ask = async () => {
    let answer = await query();
    await eventually(async () => {
      if (answer.body.code !== 'query_timeout') return true;
      answer = await query();
      return false;
    });
    return answer;
  };
  const exported = () =>
    app.http.get(`/api/bus_tenants/${tenant.tenantId}/events/export?scope=player&format=ndjson`, {
      apiKey: tenant.apiKey,
    });
  const countLive = async () =>
    (await app.owner.query('SELECT FROM player_events WHERE tenant_id = $1', [tenant.tenantId])).rowCount;
  const parts = () => selectParts(database.forTenant(tenant.tenantId), tenant.tenantId);
  const verify = async (from = worker) => {
    const problems: (string | undefined)[] = [];
    let rows = 0;
    const report = ({ problem }: AlteredRow) => problems.push(problem);
    await verifyArchive(database, from, {
      tenantId: tenant.tenantId,
      range: {},
      report,
      onRows: (more) => (rows += more),
    });
    return { rows, problems };
  };
  const keys = () => [...s3.objects.keys()].filter((key) => key.includes(tenant.tenantId)).toSorted();
  return { ...tenant, send, ask, exported, countLive, parts, verify, keys };
}

describe('openArchive', () => {
  test('keeps copies apart from an archive without a bucket', () => {
    const settings = { archiveDir: '/archive', archiveCacheBytes: 1 };
    assert.equal(openArchive({ ...settings, archiveBucket: undefined }).root, '/archive');
    assert.equal(openArchive({ ...settings, archiveBucket: storage }).root, '/archive/copies');
  });
});

describe('an archive in a bucket', () => {
  test('has all files, and is read through copies on another machine', async () => {
    const tenant = await arrange();
    const before = [(await tenant.ask()).text, (await tenant.exported()).text];
    await archive();
    assert.equal(await tenant.countLive(), 0);
    const expected = (await tenant.parts()).flatMap((part) =>
      PART_FILES.map((file) => `events/archive/${tenant.tenantId}/${partName(part)}/${file}`),
    );
    assert.equal(expected.length, 2 * PART_FILES.length);
    assert.deepEqual(tenant.keys(), expected.toSorted());
    assert.deepEqual([(await tenant.ask()).text, (await tenant.exported()).text], before);
    assert.deepEqual(await tenant.verify(), { rows: 20, problems: [] });

    // Late and repeated events, on a worker without copies.
    await rm(ofWorker, { recursive: true });
    // A run that was killed on this machine. Another machine has removed the row of the part.
    await mkdir(join(ofWorker, tenant.tenantId, 'player/2001-01/part-1.tmp/spill'), { recursive: true });
    await tenant.send('first', 6);
    await tenant.send('late', 4);
    const withLate = (await tenant.exported()).text;
    assert.equal(withLate.trim().split('\n').length, 24);
    await archive();
    assert.equal((await tenant.exported()).text, withLate);
    assert.deepEqual(await tenant.verify(), { rows: 24, problems: [] });
    const names = await readdir(ofWorker, { recursive: true });
    assert.deepEqual(
      names.filter((name) => name.includes('.tmp')),
      [],
    );
  });

  test('is 503 while the bucket does not answer, and drops nothing', async () => {
    const tenant = await arrange();
    await archive();
    await tenant.send('late', 10);
    const before = tenant.keys();
    s3.trouble = 'slow down';
    const refused = await tenant.ask();
    assert.deepEqual([refused.status, refused.body.code], [503, 'archive_unavailable'], refused.text);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.deepEqual((await tenant.exported()).status, 503);
    await assert.rejects(archive(), ArchiveStorageError);
    assert.equal(await tenant.countLive(), 10);
    s3.trouble = 'none';
    assert.deepEqual(tenant.keys(), before);
    const answer = await tenant.ask();
    assert.equal(answer.body.rows?.[0]?.events, 30, answer.text);
    await archive();
    assert.equal(await tenant.countLive(), 0);
    assert.deepEqual(await tenant.verify(), { rows: 30, problems: [] });
  });

  test('has a month in several parts if it has more events than a part', async () => {
    const tenant = await arrange();
    const before = [(await tenant.ask()).text, (await tenant.exported()).text];
    const inParts = (rowsOfPart: number) => archiveEvents(app.owner, { ...worker, rowsOfPart }, month(0));
    let puts = 0;
    s3.onRequest = (method) => {
      if (method === 'PUT' && ++puts === 5) s3.trouble = 'slow down';
    };
    await assert.rejects(inParts(4), ArchiveStorageError);
    assert.equal(await tenant.countLive(), 20);
    Object.assign(s3, { trouble: 'none', onRequest: () => {} });

    await inParts(4);
    assert.equal(await tenant.countLive(), 0);
    const rows = async () => (await tenant.parts()).map((part) => part.rows);
    assert.deepEqual(await rows(), [4, 4, 2, 4, 4, 2]);
    assert.equal(tenant.keys().length, 6 * PART_FILES.length);
    assert.deepEqual([(await tenant.ask()).text, (await tenant.exported()).text], before);
    assert.deepEqual(await tenant.verify(), { rows: 20, problems: [] });

    // Late and repeated events over all parts. A part of repeated events alone is not written.
    await tenant.send('first', 20);
    await tenant.send('late', 8);
    const withLate = (await tenant.exported()).text;
    assert.equal(withLate.trim().split('\n').length, 28);
    await inParts(7);
    assert.equal((await tenant.exported()).text, withLate);
    assert.equal((await tenant.ask()).body.rows[0].events, 28);
    assert.deepEqual(await tenant.verify(), { rows: 28, problems: [] });
    assert.ok((await rows()).every((count) => count > 0 && count <= 7));
    await inParts(5);
    assert.equal((await tenant.exported()).text, withLate, 'a run without events');
  });

  test('fails, and drops nothing, if the bucket accepts connections and never answers', async () => {
    const tenant = await arrange();
    const silent = (name: string): Archive => {
      const root = join(folders, name);
      const bucket = createArchiveBucket(storage, root, 1e9, { reading: 50, writing: 50, transfer: 60_000 });
      return { root, duckdb, bucket };
    };
    const unanswered = { name: 'ArchiveStorageError', message: /does not answer/ };
    s3.trouble = 'silence';
    await assert.rejects(archiveEvents(app.owner, silent('archiver'), month(0)), unanswered);
    assert.equal(await tenant.countLive(), 20);
    s3.trouble = 'none';
    await archive();
    const [part] = await tenant.parts();
    for (const trouble of ['silence', 'half'] as const) {
      s3.trouble = trouble;
      const { bucket } = silent(trouble);
      await assert.rejects(bucket!.fetch([part!], [EVENTS_FILE]), unanswered);
      await assert.rejects(bucket!.check(part!), unanswered);
      const copies = await readdir(join(folders, trouble), { recursive: true }).catch(() => []);
      assert.ok(!copies.some((name) => name.endsWith(EVENTS_FILE)), trouble);
    }
    s3.trouble = 'silence';
    const { bucket } = silent('others');
    await assert.rejects(bucket!.remove(part!), unanswered);
    await assert.rejects(bucket!.listParts(tenant.tenantId), unanswered);
    s3.trouble = 'none';
    assert.deepEqual(await tenant.verify(), { rows: 20, problems: [] });
  });

  test('drops nothing if the bucket has stored something else', async () => {
    const tenant = await arrange();
    const { set } = s3.objects;
    s3.objects.set = (key, object) =>
      set.call(s3.objects, key, { ...object, bytes: object.bytes.subarray(0, object.bytes.length - 1) });
    try {
      await assert.rejects(archive(), /has not stored/);
    } finally {
      s3.objects.set = set;
    }
    assert.equal(await tenant.countLive(), 20);
    await archive();
    assert.deepEqual(await tenant.verify(), { rows: 20, problems: [] });
  });

  test('keeps the objects of a run if another one continues without its session', async () => {
    for (const step of ['written', 'uploading'] as const) {
      const tenant = await arrange();
      const before = (await tenant.exported()).text;
      const replaced = openOwnerPool(app.databaseUrl, 2);
      let isReplaced = false;
      const replace = async () => {
        if (isReplaced) return;
        isReplaced = true;
        await app.owner.query(
          `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = 'guildhall owner'`,
        );
        await archive();
      };
      const root = join(folders, `replaced while ${step}`);
      const elsewhere: Archive = {
        root,
        bucket: createArchiveBucket(storage, root, 1e9),
        async duckdb(job, limits) {
          const rows = await duckdb(job, limits);
          if (step === 'written') await replace();
          return rows;
        },
      };
      if (step === 'uploading') s3.onRequest = async (method) => void (method === 'PUT' && (await replace()));
      await assert.rejects(archiveEvents(replaced, elsewhere, month(0)), /terminat|connection/i, step);
      s3.onRequest = () => {};
      await replaced.end();
      assert.equal(await tenant.countLive(), 0, step);
      assert.equal((await tenant.exported()).text, before, step);
      const { rows, problems } = await tenant.verify();
      assert.equal(rows, 20, step);
      // The objects that it has uploaded since belong to no part.
      assert.ok(problems.length <= (step === 'uploading' ? 1 : 0), step);
      assert.ok(
        problems.every((problem) => problem?.startsWith('is no part of the archive')),
        step,
      );
    }
  });

  test('is never read from a damaged or incomplete download', async () => {
    const tenant = await arrange();
    await archive();
    for (const [file, problem] of [
      ['manifest.json', 'has a file manifest.json that does not match its checksum'],
      ['events.parquet', 'has a file events.parquet that does not match its checksum'],
    ] as const) {
      const key = tenant.keys().find((name) => name.endsWith(file))!;
      const object = s3.objects.get(key)!;
      for (const bytes of [
        Buffer.concat([object.bytes, Buffer.from(' ')]),
        object.bytes.subarray(0, -1),
        Buffer.from(object.bytes.with(5, object.bytes[5]! ^ 1)),
      ]) {
        s3.objects.set(key, { ...object, bytes });
        const { status, body, text } = await tenant.ask();
        assert.deepEqual([status, body.code], [503, 'archive_unavailable'], text);
        assert.deepEqual((await tenant.verify()).problems, [problem]);
      }
      s3.objects.delete(key);
      assert.equal((await tenant.ask()).status, 503);
      assert.deepEqual((await tenant.verify()).problems, [`has no ${file}`]);
      s3.objects.set(key, object);
    }
    const copies = await readdir(ofServer, { recursive: true });
    assert.deepEqual(
      copies.filter((name) => name.endsWith('.download')),
      [],
    );
    assert.equal((await tenant.ask()).status, 200);
    assert.deepEqual((await tenant.verify()).problems, []);
    s3.objects.set(`events/archive/${tenant.tenantId}/player/2001-01/part-9/events.parquet`, {
      bytes: Buffer.from('x'),
      type: undefined,
    });
    assert.equal((await tenant.verify()).problems.length, 1, 'an object that is no part');
  });

  test('is downloaded again by a check that finds a damaged copy', async () => {
    const tenant = await arrange();
    await archive();
    const [part] = await tenant.parts();
    const path = join(partFolder(ofWorker, part!), EVENTS_FILE);
    const right = await readFile(path);
    await writeFile(path, right.with(100, right[100]! ^ 1));
    assert.deepEqual(await tenant.verify(), { rows: 20, problems: [] });
    assert.ok(right.equals(await readFile(path)));
  });

  test('is downloaded once for readers at the same time', async () => {
    const tenant = await arrange();
    await archive();
    const requested: string[] = [];
    s3.onRequest = (_method, key) => void requested.push(key);
    const other = createArchiveBucket(storage, join(folders, 'other'), 1e9);
    const parts = await tenant.parts();
    await Promise.all(Array.from({ length: 8 }, () => other.fetch(parts, [EVENTS_FILE])));
    assert.deepEqual(
      requested.toSorted(),
      tenant.keys().filter((key) => !key.endsWith('proofs.parquet')),
    );
    await other.fetch(parts, [EVENTS_FILE]);
    assert.equal(requested.length, 4);
  });

  test('is downloaded by tenants in turn, and not if the readers have gone', async () => {
    const [large, small] = [await arrange(), await arrange()];
    await archive();
    const requested: string[] = [];
    const held = Promise.withResolvers<void>();
    s3.onRequest = (_method, key) => {
      requested.push(key);
      return held.promise;
    };
    const other = createArchiveBucket(storage, join(folders, 'in turn'), 1e9);
    const gone = new AbortController();
    const [first, second] = await large.parts();
    const waiting = [other.fetch([first!], [EVENTS_FILE])];
    await eventually(() => requested.length === 1);
    waiting.push(
      other.fetch([second!], [EVENTS_FILE], { signal: gone.signal }),
      other.fetch([(await small.parts())[0]!], [EVENTS_FILE]),
    );
    const of = ({ tenantId }: { tenantId: string }) => requested.filter((key) => key.includes(tenantId));
    await eventually(() => requested.length === 2);
    assert.deepEqual([of(large).length, of(small).length], [1, 1], 'one slot is left for others');
    gone.abort();
    held.resolve();
    await Promise.allSettled(waiting);
    assert.deepEqual([of(large).length, of(small).length], [2, 2]);
    assert.ok(of(large).every((key) => key.includes(first!.month)));
    await other.fetch([second!], [EVENTS_FILE]);
    assert.equal(of(large).length, 4);
  });

  test('keeps the copies that were used last, within its limit', async () => {
    const tenant = await arrange();
    await archive();
    const [first, second] = await tenant.parts();
    const root = join(folders, 'small');
    const sizeOf = async (part: typeof first) =>
      (await stat(join(partFolder(ofWorker, part!), EVENTS_FILE))).size;
    const small = createArchiveBucket(storage, root, 1e9);
    const copyOf = (part: typeof first) => join(partFolder(root, part!), EVENTS_FILE);
    const has = (part: typeof first) =>
      stat(copyOf(part)).then(
        () => true,
        () => false,
      );
    await small.fetch([first!], [EVENTS_FILE]);
    await small.fetch([second!], [EVENTS_FILE]);
    assert.deepEqual([await has(first), await has(second)], [true, true]);

    await rm(copyOf(second));
    const copies = async () =>
      (
        await Promise.all(
          (await readdir(root, { recursive: true })).map(async (name) => {
            const path = join(root, name);
            const found = await stat(path);
            return found.isFile() ? [{ path, bytes: found.size }] : [];
          }),
        )
      ).flat();
    const used = (await copies()).reduce((sum, { bytes }) => sum + bytes, 0);
    const tiny = createArchiveBucket(storage, root, used + (await sizeOf(second)) - 1);
    await assert.rejects(tiny.fetch([second!], [EVENTS_FILE]), /are in use/, 'a copy that was just used');
    const longAgo = new Date(Date.now() - 3_600_000);
    await utimes(copyOf(first), longAgo, longAgo);
    await tiny.fetch([second!], [EVENTS_FILE]);
    assert.deepEqual([await has(first), await has(second)], [false, true]);
    // The clock was set back after this copy was used.
    const ahead = new Date(Date.now() + 3_600_000);
    await utimes(copyOf(second), ahead, ahead);
    await tiny.fetch([first!], [EVENTS_FILE]);
    assert.deepEqual([await has(first), await has(second)], [true, false]);
    // If there is room, the folder is read once a minute, and not for each download.
    const large = join(root, 'large');
    await small.fetch([second!], [EVENTS_FILE]);
    await writeFile(large, '');
    await truncate(large, 2e9);
    await utimes(large, longAgo, longAgo);
    await rm(copyOf(first));
    await small.fetch([first!], [EVENTS_FILE]);
    const hasLarge = async () => (await copies()).some(({ path }) => path === large);
    assert.equal(await hasLarge(), true);
    await small.deleteOldCopies();
    assert.equal(await hasLarge(), false);
    const none = createArchiveBucket(storage, root, 10);
    await assert.rejects(none.fetch([first!, second!], [EVENTS_FILE]), ArchiveTooLargeError);
  });

  test('keeps the first copies of a fetch while the others are downloaded', async (context) => {
    const tenant = await arrange();
    await archiveEvents(app.owner, { ...worker, rowsOfPart: 4 }, month(0));
    const parts = (await tenant.parts()).slice(0, 3);
    const root = join(folders, 'one after another');
    const copies = async () => {
      const names = await readdir(root, { recursive: true });
      return names.filter((name) => name.endsWith(PROOFS_FILE)).map((name) => join(root, name));
    };
    context.mock.timers.enable({ apis: ['setInterval'] });
    const longAgo = new Date(Date.now() - 3_600_000);
    s3.onRequest = async (_method, key) => {
      const [first, second] = key.endsWith(PROOFS_FILE) ? await copies() : [];
      if (!first || second) return;
      // The second download takes minutes.
      await utimes(first, longAgo, longAgo);
      context.mock.timers.tick(60_000);
      const isOld = async () => Date.now() - (await stat(first)).mtimeMs > 60_000;
      for (let polls = 0; polls < 200 && (await isOld()); polls++) await sleep(10);
    };
    const bucket = createArchiveBucket(storage, root, 1);
    await bucket.fetch(parts, [PROOFS_FILE], { mayExceedCache: true });
    assert.equal((await copies()).length, 3);
  });

  test('continues with a part that is larger than the limit of the copies', async () => {
    const tenant = await arrange();
    await archive();
    await tenant.send('late', 4);
    const before = [(await tenant.exported()).text, (await tenant.ask()).body.rows];
    const root = join(folders, 'too small');
    const tooSmall: Archive = { root, duckdb, bucket: createArchiveBucket(storage, root, 1) };
    const sources = { database, archive: tooSmall };
    await archiveEvents(app.owner, tooSmall, month(0));
    assert.equal(await tenant.countLive(), 0);
    assert.deepEqual(await tenant.verify(tooSmall), { rows: 24, problems: [] });
    assert.deepEqual([(await tenant.exported()).text, (await tenant.ask()).body.rows], before);
    const chunks = await Array.fromAsync(exportEvents(sources, tenant.tenantId, { scope: 'player' }));
    assert.equal(chunks.flat().length, 24);
    const ask = (from: string) =>
      queryEvents(sources, tenant.tenantId, {
        filter: { scope: 'player', from: `${from}T00:00:00Z`, to: `${month(0)}T00:00:00Z` },
        groupBy: ['playerId'],
        countPlayers: false,
        limit: 1,
      });
    await assert.rejects(ask(month(-2)), (error: ProblemError) => {
      assert.equal(error.code, 'invalid_request');
      return error.message.includes('Ask for a shorter range, or raise ARCHIVE_CACHE_MEGABYTES');
    });
  });

  test('uploads the files of a part while other downloads need their room', async () => {
    const tenant = await arrange();
    const root = join(folders, 'shared');
    const longAgo = new Date(Date.now() - 3_600_000);
    s3.onRequest = async (method) => {
      if (method !== 'PUT') return;
      for (const name of await readdir(root, { recursive: true }))
        await utimes(join(root, name), longAgo, longAgo);
      await deleteLeastRecent(root, 0, 1);
    };
    await archiveEvents(
      app.owner,
      { root, duckdb, bucket: createArchiveBucket(storage, root, 1e9) },
      month(0),
    );
    assert.deepEqual(await tenant.verify(), { rows: 20, problems: [] });
  });

  test('loses no event, and has none twice, if the archiver is killed at any step', async () => {
    const program = fileURLToPath(new URL('../../../../../testing/killed-archiver.ts', import.meta.url));
    const isUnlocked = async () =>
      (await app.owner.query('SELECT FROM pg_locks WHERE objid = 7118048')).rowCount === 0;
    // The other steps are those of an archive in a folder.
    for (const step of ['uploading', 'read back', 'part-published', 'removing']) {
      const tenant = await arrange();
      const before = (await tenant.exported()).text;
      const run = async (own: string, isEnd: (method: string) => boolean): Promise<void> => {
        const child = fork(program, [app.databaseUrl, ofWorker, month(0), own, s3.url], { stdio: 'inherit' });
        s3.onRequest = (method) => void (isEnd(method) && child.kill('SIGKILL'));
        const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
        s3.onRequest = () => {};
        assert.deepEqual([code, signal], [null, 'SIGKILL'], step);
        await eventually(isUnlocked);
        assert.equal((await tenant.exported()).text, before, `${step}: after the end`);
      };
      let puts = 0;
      if (step === 'uploading') await run('none', (method) => method === 'PUT' && ++puts === 2);
      else if (step === 'read back')
        await run('none', (method) => method === 'GET' && s3.objects.size > 0 && tenant.keys().length === 1);
      else if (step === 'removing') {
        await run('part-published', () => false);
        await run('none', (method) => method === 'DELETE');
      } else await run(step, () => false);
      await archive();
      assert.equal((await tenant.exported()).text, before, `${step}: after the next run`);
      assert.equal(await tenant.countLive(), 0, step);
      assert.equal(tenant.keys().length, 6, step);
      assert.deepEqual(await tenant.verify(), { rows: 20, problems: [] }, step);
    }
  });

  // The last test, because the roll-ups do not count older events after it.
  test('loses the objects of months that retention drops, even after a failure', async () => {
    const tenant = await arrange();
    await archive();
    // Another part of the older month.
    await tenant.send('late', 1);
    await archive();
    assert.equal((await tenant.exported()).status, 200);
    const drop = (from = worker) =>
      dropOldRows({ owner: app.owner, database, archive: from }, 'player_events', month(-1));
    const elsewhere = createArchiveBucket({ ...storage, prefix: 'elsewhere' }, ofWorker, 1e9);
    await assert.rejects(drop({ ...worker, bucket: elsewhere }), /Set ARCHIVE_STORAGE_URL/);
    assert.equal((await tenant.parts()).length, 3, 'the other bucket changes nothing');
    const { rows: dropped } = await app.owner.query(
      `SELECT sum(rows)::integer AS events FROM event_archives WHERE scope = 'player' AND month < $1`,
      [month(-1)],
    );
    let deletions = 0;
    s3.onRequest = (method) => {
      if (method === 'DELETE' && ++deletions === PART_FILES.length) s3.trouble = 'slow down';
    };
    await assert.rejects(drop(), ArchiveStorageError);
    assert.equal((await tenant.parts()).length, 1, 'withdrawn first');
    Object.assign(s3, { trouble: 'none', onRequest: () => {} });
    assert.ok(tenant.keys().length > 3);
    // This run deletes the other files.
    await archive();
    await drop();
    const { rows: audited } = await app.owner.query(
      `SELECT details FROM audit_records WHERE action = 'archived_events.deleted'`,
    );
    const { events } = dropped[0];
    assert.deepEqual(audited, [{ details: { table: 'player_events', before: month(-1), events } }]);
    assert.equal(tenant.keys().length, 3);
    // Another machine still has its copies.
    const copies = async () =>
      (await listPartFolders(join(ofServer, 'copies'), tenant.tenantId))
        .map(({ month: of }) => of)
        .toSorted();
    assert.equal((await copies()).length, 3);
    await deleteStaleCopies(database, { root: join(ofServer, 'copies') });
    assert.deepEqual(await copies(), [month(-1).slice(0, 7)]);
    assert.equal((await tenant.exported()).status, 200);
    assert.deepEqual(await tenant.verify(), { rows: 10, problems: [] });
  });
});
