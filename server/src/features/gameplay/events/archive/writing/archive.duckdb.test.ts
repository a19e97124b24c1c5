import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { appendFile, copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { childrenOf } from '../../../../../../acceptance/server-process.ts';
import { OperatorError } from '../../../../../core/operator-error.ts';
import { openDatabase } from '../../../../../database/database.ts';
import { openOwnerPool } from '../../../../../database/pool.ts';
import { firstOfMonth } from '../../../../../database/partitions/partitioned-tables.ts';
import { dropOldRows } from '../../../../../runtime/retention.ts';
import { eventually } from '../../../../../testing/eventually.ts';
import { arrangeMatchOfTwo, sendAs, type MatchOfTwo } from '../../../../../testing/match-of-two.ts';
import { createOlderPartitions } from '../../../../../testing/older-partitions.ts';
import { startTestApp } from '../../../../../testing/test-app.ts';
import { whileLocked } from '../../../../../testing/while-locked.ts';
import { eventTables, type EventScope } from '../../event-row.ts';
import { rollUpEvents } from '../../rollups/maintain.ts';
import { checkRollups } from '../../rollups/repair.ts';
import type { AlteredRow } from '../../../../../core/row-hash.ts';
import type { OpenRange } from '../../../../../core/time-range.ts';
import type { ArchiveBucket } from '../parts/archive-bucket.ts';
import {
  checkPart,
  EVENTS_FILE,
  listPartFolders,
  PART_FILES,
  partFolder,
  PROOFS_FILE,
  type PartRef,
} from '../parts/archive-files.ts';
import { archiveEvents } from './archive-events.ts';
import { archiveBefore } from './archive-old-events.ts';
import type { Archive } from '../parts/archive.ts';
import { withArchiveLock } from '../parts/archive-lock.ts';
import { deleteArchivedBefore } from './delete-archived.ts';
import { createDuckdb, DuckdbError, DuckdbMissingError, DuckdbTimeoutError } from '../duckdb/duckdb.ts';
import { selectParts } from '../parts/queries.ts';
import { replacePartitions } from './replace-partitions.ts';
import { verifyArchive } from '../reading/verify-archive.ts';
import { writeMonths } from './write-months.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 2, work: 'job' });
const root = await mkdtemp(join(tmpdir(), 'guildhall-archive-'));
const duckdb = createDuckdb();
after(async () => {
  await database.close();
  await rm(root, { recursive: true });
});
const today = new Date();
for (const table of ['match_events', 'player_events'] as const)
  await createOlderPartitions(app.owner, table, 3, today);

const month = (later: number): string => firstOfMonth(today, later);
/** A time in the middle of an older month, or at the beginning of the current one. */
const within = (later: number, minute = 0): string =>
  new Date(Date.parse(month(later)) + (later === 0 ? 0 : 10 * 86_400_000) + minute * 60_000).toISOString();

interface Sent {
  idempotencyKey: string;
  occurredAt: string;
  eventKey?: string;
  eventValue?: string;
  value?: number | string;
  loginSessionId?: string;
}

/** Sends events as both players of a tenant in turn, and returns the answers. */
async function send(tenant: MatchOfTwo, scope: EventScope, events: Sent[]) {
  const stored: { eventRecordId: string }[] = [];
  for (const [index, player] of tenant.players.entries()) {
    const own = events
      .filter((_, number) => number % 2 === index)
      .map((event) => ({ eventKey: `${scope} jump`, ...event }));
    if (own.length === 0) continue;
    const answer = await sendAs(app, tenant, scope, player, own);
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(answer.body.errors, []);
    stored.push(...answer.body.records);
  }
  return stored;
}

/** The live rows of a tenant and scope, with all columns as texts, by their id. */
async function liveRows(tenant: MatchOfTwo, scope: EventScope): Promise<Record<string, string | null>[]> {
  const { rows } = await app.owner.query(
    `SELECT id::text, occurred_at::text AS "occurredAt", idempotency_key AS key, value::text, event_definitions_id::text AS definition,
            ${scope === 'match' ? 'match_player_id::text AS actor, match_session_id::text' : 'player_id::text AS actor, NULL'} AS match,
            login_session_id::text AS session, created_at_gl::text AS "createdAt", encode(row_hash, 'hex') AS hash
     FROM ${eventTables[scope]} WHERE tenant_id = $1`,
    [tenant.tenantId],
  );
  return rows.map((row) => ({
    ...row,
    occurredAt: instant(row.occurredAt),
    createdAt: instant(row.createdAt),
  }));
}

/** The archived rows of a tenant and scope in the same form, read from the files alone. */
async function archivedRows(tenant: MatchOfTwo, scope: EventScope): Promise<Record<string, string | null>[]> {
  const parts = (await selectParts(database.forTenant(tenant.tenantId), tenant.tenantId)).filter(
    (part) => part.scope === scope,
  );
  const found: Record<string, string | null>[] = [];
  for (const part of parts) {
    const files = [EVENTS_FILE, PROOFS_FILE].map((name) => join(partFolder(root, part), name));
    const isMatch = scope === 'match';
    const rows = await duckdb(
      {
        statements: [
          {
            text: `
              SELECT proof.id::VARCHAR AS id, event.occurred_at::VARCHAR AS "occurredAt", idempotency_key AS key, value::VARCHAR AS value,
                     event_definition_id::VARCHAR AS definition, ${isMatch ? 'match_player_id' : 'player_id'}::VARCHAR AS actor,
                     ${isMatch ? 'match_session_id::VARCHAR' : 'NULL'} AS match, login_session_id::VARCHAR AS session,
                     created_at_gl::VARCHAR AS "createdAt", lower(hex(row_hash)) AS hash
              FROM read_parquet($1) event POSITIONAL JOIN read_parquet($2) proof`,
            values: files,
          },
        ],
        reads: files,
        temporary: tmpdir(),
      },
      { seconds: 60 },
    );
    assert.equal(rows.length, part.rows);
    for (const row of rows as Record<string, string>[])
      found.push({ ...row, occurredAt: instant(row['occurredAt']!), createdAt: instant(row['createdAt']!) });
  }
  return found;
}

/** Both databases print times with another number of zeros. */
const instant = (text: string): string => {
  const [, seconds, fraction = ''] = /^(.{19})\.?(\d*)/.exec(text)!;
  return `${seconds} ${fraction.padEnd(6, '0')}`;
};
const byId = (rows: Record<string, string | null>[]) =>
  rows.toSorted((a, b) => (a['id']! < b['id']! ? -1 : 1));

/** The number of events that the API counts, from the roll-ups. */
async function counted(tenant: MatchOfTwo, scope: EventScope) {
  const { body, status, text } = await app.http.post(
    `/api/bus_tenants/${tenant.tenantId}/queries`,
    { scope, from: `${month(-6)}T00:00:00Z`, to: `${month(2)}T00:00:00Z` },
    { apiKey: tenant.apiKey },
  );
  assert.equal(status, 200, text);
  return { events: body.rows[0].events, valueSum: body.rows[0].valueSum };
}

async function verified(
  tenant: MatchOfTwo,
  archive: Archive = { root, duckdb },
  range: OpenRange = {},
): Promise<{ rows: number; problems: AlteredRow[] }> {
  const problems: AlteredRow[] = [];
  let rows = 0;
  const report = (row: AlteredRow) => problems.push(row);
  await verifyArchive(database, archive, {
    tenantId: tenant.tenantId,
    range,
    report,
    onRows: (more) => (rows += more),
  });
  return { rows, problems };
}
/** The number of tables and functions that a run creates for itself. */
const leftovers = async () =>
  (
    await app.owner.query(`
      SELECT relname FROM pg_class WHERE relname ~ '^dropped_|_(late|repeated)$' AND relkind = 'r'
      UNION ALL SELECT proname FROM pg_proc WHERE proname ~ '^guildhall_capture_late'`)
  ).rowCount;
const upkeep = { owner: app.owner, database, archive: { root, duckdb } };
const archive = () => archiveEvents(app.owner, { root, duckdb }, month(0));
const isOtherFolder = (error: Error) =>
  error instanceof OperatorError && error.message.includes('Mount the volume of ARCHIVE_DIR');

const KEYS = [
  'plain',
  'a "quoted", key',
  'line\nbreak\r\ttab',
  'back\\slash\\n',
  "it's",
  '\u0001\u001f\u007f',
  'ключ 鍵 🗝',
  '\\N',
];
const LARGEST = '9223372036854775807';
const SESSION = '0190a0a0-0000-7000-8000-000000000001';

/** What the newest audit record of the archive says. */
async function newestRecord(): Promise<object> {
  const { rows } = await app.owner.query(
    `SELECT details FROM audit_records WHERE action = 'events.archived' ORDER BY id DESC LIMIT 1`,
  );
  return rows[0].details;
}

describe('archiveEvents', () => {
  test('moves all events from before a month to files, with each column', async () => {
    const tenant = await arrangeMatchOfTwo(app);
    const other = await arrangeMatchOfTwo(app);
    const events = KEYS.flatMap((idempotencyKey, number): Sent[] =>
      [-3, -2, -1, 0].map((later) => ({
        idempotencyKey,
        occurredAt: within(later, number).replace('.000Z', `.00000${number}Z`),
        ...(number % 3 !== 0 && { value: number % 3 === 1 ? LARGEST : -number }),
        ...(number % 2 === 0 && { eventValue: `level ${later}`, loginSessionId: SESSION }),
      })),
    );
    for (const scope of ['match', 'player'] as const) {
      await send(tenant, scope, [
        ...events,
        { idempotencyKey: 'old', occurredAt: '1999-12-31T23:59:59.999999Z' },
      ]);
      await send(other, scope, events.slice(0, 4));
    }
    const isOld = ({ occurredAt }: Record<string, string | null>) => occurredAt! < month(0);
    const before = new Map<string, Record<string, string | null>[]>();
    for (const scope of ['match', 'player'] as const)
      for (const one of [tenant, other]) before.set(one.tenantId + scope, await liveRows(one, scope));
    const sums = [await counted(tenant, 'match'), await counted(tenant, 'player')];

    await archive();

    for (const scope of ['match', 'player'] as const)
      for (const one of [tenant, other]) {
        const rows = before.get(one.tenantId + scope)!;
        assert.deepEqual(byId(await archivedRows(one, scope)), byId(rows.filter(isOld)));
        assert.deepEqual(byId(await liveRows(one, scope)), byId(rows.filter((row) => !isOld(row))));
      }
    assert.equal(before.get(tenant.tenantId + 'match')!.filter(isOld).length, 3 * KEYS.length + 1);
    assert.deepEqual([await counted(tenant, 'match'), await counted(tenant, 'player')], sums);
    assert.deepEqual(await verified(tenant), { rows: 2 * (3 * KEYS.length + 1), problems: [] });
    assert.equal(await leftovers(), 0);
    const parts = await selectParts(database.forTenant(tenant.tenantId), tenant.tenantId);
    assert.deepEqual(
      parts.map(({ scope, month: of }) => `${scope} ${of}`),
      ['match', 'player'].flatMap((scope) =>
        ['1999-12', ...[-3, -2, -1].map((later) => month(later).slice(0, 7))].map((of) => `${scope} ${of}`),
      ),
    );
    const elsewhere = await selectParts(database.forTenant(other.tenantId), tenant.tenantId);
    assert.deepEqual(elsewhere, [], 'row-level security hides the parts of other tenants');
  });

  test('makes late events the next part of their month', async () => {
    const tenant = await arrangeMatchOfTwo(app);
    await send(tenant, 'player', [{ idempotencyKey: 'in time', occurredAt: within(-2) }]);
    await archive();
    await send(tenant, 'player', [
      { idempotencyKey: 'late', occurredAt: within(-2), value: 5 },
      { idempotencyKey: 'later', occurredAt: within(-2), value: 6 },
    ]);
    const live = await liveRows(tenant, 'player');
    assert.equal(live.length, 2);
    assert.deepEqual(await counted(tenant, 'player'), { events: 3, valueSum: 11 });
    await archive();
    assert.deepEqual(await liveRows(tenant, 'player'), []);
    const rows = await archivedRows(tenant, 'player');
    assert.deepEqual(rows.map(({ key }) => key).toSorted(), ['in time', 'late', 'later']);
    assert.deepEqual(await counted(tenant, 'player'), { events: 3, valueSum: 11 });
    assert.deepEqual(await verified(tenant), { rows: 3, problems: [] });
  });

  test('leaves out events that are archived already, and counts them once', async () => {
    const tenant = await arrangeMatchOfTwo(app);
    const events = Array.from({ length: 6 }, (_, number) => ({
      idempotencyKey: `key-${number}`,
      occurredAt: within(-2, number % 2),
      value: number,
    }));
    await send(tenant, 'match', events);
    await archive();
    const first = byId(await archivedRows(tenant, 'match'));
    // The idempotency keys are in the files: PostgreSQL stores the events again.
    await send(tenant, 'match', [
      ...events.slice(0, 4),
      { idempotencyKey: 'new', occurredAt: within(-2), value: 100 },
    ]);
    assert.equal((await liveRows(tenant, 'match')).length, 5);
    assert.deepEqual(await counted(tenant, 'match'), { events: 11, valueSum: 15 + 6 + 100 });
    await archive();
    const rows = await archivedRows(tenant, 'match');
    assert.deepEqual(byId(rows.filter(({ key }) => key !== 'new')), first);
    assert.equal(rows.length, 7);
    assert.deepEqual(await counted(tenant, 'match'), { events: 7, valueSum: 115 });
    await rollUpEvents(database);
    assert.deepEqual(await counted(tenant, 'match'), { events: 7, valueSum: 115 });

    await send(tenant, 'match', events);
    // A month may have millions of counts: they go through files.
    const counting: typeof duckdb = async (job, limits) => {
      const rows = await duckdb(job, limits);
      assert.deepEqual([rows.length, rows[0]!['repeated']], [1, events.length]);
      return rows;
    };
    await archiveEvents(app.owner, { root, duckdb: counting }, month(0));
    assert.equal((await archivedRows(tenant, 'match')).length, 7, 'no part is made of repetitions alone');
    assert.deepEqual(await counted(tenant, 'match'), { events: 7, valueSum: 115 });
    assert.deepEqual(await verified(tenant), { rows: 7, problems: [] });
  });

  test('counts no events of a definition that only repeated events have', async () => {
    const tenant = await arrangeMatchOfTwo(app);
    await send(tenant, 'player', [{ idempotencyKey: 'one', occurredAt: within(-2), value: 1 }]);
    await archive();
    await send(tenant, 'player', [
      { idempotencyKey: 'one', occurredAt: within(-2), value: 1, eventKey: 'another' },
    ]);
    await archive();
    const range = { from: `${month(-2)}T00:00:00Z`, to: `${month(-1)}T00:00:00Z` };
    const keysOf = async () => {
      const query = { scope: 'player', ...range, groupBy: ['eventKey'] };
      const path = `/api/bus_tenants/${tenant.tenantId}`;
      const queried = await app.http.post(`${path}/queries`, query, { apiKey: tenant.apiKey });
      const summary = await app.http.get(
        `${path}/events/summary?scope=player&from=${range.from}&to=${range.to}&bucket=day`,
        { apiKey: tenant.apiKey },
      );
      assert.deepEqual([queried.status, summary.status], [200, 200], summary.text);
      return [queried.body.rows, summary.body.items].map((rows: { eventKey: string }[]) =>
        rows.map(({ eventKey }) => eventKey),
      );
    };
    assert.deepEqual(await keysOf(), [['player jump'], ['player jump']]);
    await rollUpEvents(database);
    assert.deepEqual(await keysOf(), [['player jump'], ['player jump']]);
    const differences: number[] = [];
    await checkRollups({ database, archive: { root, duckdb } }, tenant.tenantId, ({ count }) =>
      differences.push(count),
    );
    assert.deepEqual(differences, [0]);
  });

  test('keeps events that arrive while others are written, and archives them with the next month', async () => {
    const tenant = await arrangeMatchOfTwo(app);
    const other = await arrangeMatchOfTwo(app);
    for (const one of [tenant, other])
      await send(one, 'player', [
        { idempotencyKey: 'one', occurredAt: within(-2), value: 1 },
        { idempotencyKey: 'two', occurredAt: within(-1), value: 2 },
      ]);
    const expected = byId(await liveRows(other, 'player'));
    let late = 0;
    const sendLate = async () => {
      const times = ['1970-01-01T00:00:00Z', within(-2), within(-1), within(-1, ++late)];
      await send(
        tenant,
        'player',
        times.map((occurredAt) => ({ idempotencyKey: `late ${late}`, occurredAt, value: 10 })),
      );
    };
    await archiveEvents(
      app.owner,
      {
        root,
        async duckdb(job, limits) {
          await sendLate();
          const rows = await duckdb(job, limits);
          await sendLate();
          return rows;
        },
      },
      month(0),
    );
    assert.ok(late >= 8);
    assert.deepEqual(byId(await archivedRows(other, 'player')), expected);
    const all = async () =>
      byId([...(await liveRows(tenant, 'player')), ...(await archivedRows(tenant, 'player'))]);
    const rows = await all();
    assert.equal(rows.length, 2 + 4 * late);
    assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
    assert.ok((await liveRows(tenant, 'player')).length >= 8);
    // The range of the query begins after 1970.
    const expectedCounts = { events: 2 + 3 * late, valueSum: 3 + 30 * late };
    assert.deepEqual(await counted(tenant, 'player'), expectedCounts);
    await archive();
    assert.deepEqual(await all(), rows);
    assert.deepEqual(await liveRows(tenant, 'player'), []);
    assert.deepEqual(await counted(tenant, 'player'), expectedCounts);
    assert.deepEqual(await verified(tenant), { rows: rows.length, problems: [] });
  });

  test('fails and changes nothing if an event is deleted, or a part is removed, after it was written', async () => {
    for (const change of ['event', 'event and another arrives', 'part'] as const) {
      const tenant = await arrangeMatchOfTwo(app);
      await send(tenant, 'player', [
        { idempotencyKey: 'one', occurredAt: within(-2) },
        { idempotencyKey: 'two', occurredAt: within(-2) },
      ]);
      const client = await app.owner.connect();
      try {
        const written = await writeMonths(
          { owner: app.owner, client, archive: { root, duckdb } },
          'player',
          month(0),
        );
        const table = change === 'part' ? 'event_archives' : 'player_events';
        await app.owner.query(
          `DELETE FROM ${table} WHERE tenant_id = $1 ${change === 'part' ? '' : `AND idempotency_key = 'one'`}`,
          [tenant.tenantId],
        );
        if (change === 'event and another arrives')
          await send(tenant, 'player', [{ idempotencyKey: 'three', occurredAt: within(-2) }]);
        const live = byId(await liveRows(tenant, 'player'));
        await assert.rejects(replacePartitions(client, 'player', month(0), written), (error) =>
          change === 'part'
            ? /0 of 1 written parts/.test((error as Error).message)
            : error instanceof OperatorError,
        );
        assert.deepEqual(byId(await liveRows(tenant, 'player')), live);
        assert.deepEqual(await archivedRows(tenant, 'player'), []);
        await rm(join(root, tenant.tenantId), { recursive: true });
        await archive();
        assert.deepEqual(byId(await archivedRows(tenant, 'player')), live);
        assert.deepEqual(await liveRows(tenant, 'player'), []);
        assert.deepEqual(await verified(tenant), { rows: live.length, problems: [] });
      } finally {
        client.release(true);
      }
    }
  });

  test('delays no writer while parts are completed and repeated events are counted', async () => {
    const tenant = await arrangeMatchOfTwo(app);
    await send(tenant, 'player', [{ idempotencyKey: 'one', occurredAt: within(-2) }]);
    const client = await app.owner.connect();
    try {
      const written = await writeMonths(
        { owner: app.owner, client, archive: { root, duckdb } },
        'player',
        month(0),
      );
      await whileLocked(
        app,
        async (holder) =>
          void (await holder.query('SELECT FROM event_archives WHERE tenant_id = $1 FOR UPDATE', [
            tenant.tenantId,
          ])),
        async (waiting, release) => {
          const replaced = replacePartitions(client, 'player', month(0), written);
          await waiting(1);
          // A large batch is stored with COPY.
          for (const [later, count] of [
            [0, 1],
            [-2, 1],
            [-2, 50],
          ] as const)
            await send(
              tenant,
              'player',
              Array.from({ length: count }, (_, number) => ({
                idempotencyKey: `${count} ${number}`,
                occurredAt: within(later),
              })),
            );
          await release();
          await replaced;
        },
      );
      assert.deepEqual(
        (await archivedRows(tenant, 'player')).map(({ key }) => key),
        ['one'],
      );
      assert.equal((await liveRows(tenant, 'player')).length, 52);
    } finally {
      client.release(true);
    }
  });

  test('loses no event, and has none twice, if it is killed at any step', async () => {
    const program = fileURLToPath(new URL('../../../../../testing/killed-archiver.ts', import.meta.url));
    const countAudited = async (): Promise<number> =>
      (
        await app.owner.query(
          `SELECT coalesce(sum((details->>'events')::int), 0)::int AS events FROM audit_records WHERE action = 'events.archived'`,
        )
      ).rows[0].events;
    for (const step of [
      'late-captured',
      'registered',
      'files-written',
      'part-published',
      'before-commit',
      'committed',
    ]) {
      const tenant = await arrangeMatchOfTwo(app);
      await send(tenant, 'player', [
        { idempotencyKey: 'one', occurredAt: within(-2) },
        { idempotencyKey: 'two', occurredAt: within(-1) },
      ]);
      await send(tenant, 'match', [{ idempotencyKey: 'three', occurredAt: within(-2), value: 3 }]);
      const stored = [...(await liveRows(tenant, 'player')), ...(await liveRows(tenant, 'match'))];
      const audited = await countAudited();
      const child = fork(program, [app.databaseUrl, root, month(0), step], { stdio: 'inherit' });
      const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
      assert.deepEqual([code, signal], [null, 'SIGKILL'], step);
      const now = async () =>
        byId(
          (
            await Promise.all(
              (['player', 'match'] as const).flatMap((scope) => [
                liveRows(tenant, scope),
                archivedRows(tenant, scope),
              ]),
            )
          ).flat(),
        );
      assert.deepEqual(await now(), byId(stored), `${step}: after the end`);
      const archived = [...(await archivedRows(tenant, 'player')), ...(await archivedRows(tenant, 'match'))];
      assert.equal((await countAudited()) - audited, archived.length, `${step}: in the audit trail`);
      await send(tenant, 'match', [{ idempotencyKey: 'late', occurredAt: within(-2), value: 4 }]);
      const late = (await liveRows(tenant, 'match')).filter(({ key }) => key === 'late');
      assert.equal(late.length, 1);
      const before = byId([...stored, ...late]);
      // PostgreSQL may notice the end of the process later.
      await eventually(
        async () => (await app.owner.query('SELECT FROM pg_locks WHERE objid = 7118048')).rowCount === 0,
      );
      await archive();
      assert.deepEqual(await now(), before, `${step}: after the next run`);
      assert.deepEqual([await liveRows(tenant, 'player'), await liveRows(tenant, 'match')], [[], []], step);
      assert.deepEqual(await verified(tenant), { rows: 4, problems: [] }, step);
      assert.equal(await leftovers(), 0, step);
      assert.equal(
        (await app.owner.query('SELECT FROM event_archives WHERE archived_at IS NULL')).rowCount,
        0,
      );
      const folders = await readdir(join(root, tenant.tenantId), { recursive: true });
      assert.deepEqual(
        folders.filter((name) => name.endsWith('.tmp')),
        [],
        step,
      );
    }
  });

  test('deletes and changes no file of another run if it continues without its session', async () => {
    const tenant = await arrangeMatchOfTwo(app);
    await send(tenant, 'player', [
      { idempotencyKey: 'one', occurredAt: within(-2) },
      { idempotencyKey: 'two', occurredAt: within(-1) },
    ]);
    const stored = byId(await liveRows(tenant, 'player'));
    const replaced = openOwnerPool(app.databaseUrl, 2);
    const replacing: typeof duckdb = async (job, limits) => {
      const rows = await duckdb(job, limits);
      await app.owner.query(
        `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'guildhall owner'`,
      );
      await archive();
      return rows;
    };
    await assert.rejects(
      archiveEvents(replaced, { root, duckdb: replacing }, month(0)),
      /terminat|connection/i,
    );
    await replaced.end();
    assert.deepEqual(await verified(tenant), { rows: 2, problems: [] });
    assert.deepEqual(byId(await archivedRows(tenant, 'player')), stored);
    assert.deepEqual(await liveRows(tenant, 'player'), []);
  });

  test('is refused on a read-only database, and deletes no file of a run on the primary', async () => {
    const tenant = await arrangeMatchOfTwo(app);
    await send(tenant, 'player', [{ idempotencyKey: 'one', occurredAt: within(-2) }]);
    const client = await app.owner.connect();
    const written = await writeMonths(
      { owner: app.owner, client, archive: { root, duckdb } },
      'player',
      month(0),
    );
    const standby = new pg.Pool({
      connectionString: app.databaseUrl,
      options: '-c default_transaction_read_only=on',
    });
    try {
      await assert.rejects(
        archiveEvents(standby, { root, duckdb }, month(0)),
        (error) => error instanceof OperatorError && error.message.startsWith('The database is read-only'),
      );
      await replacePartitions(client, 'player', month(0), written);
    } finally {
      await standby.end();
      client.release(true);
    }
    assert.deepEqual(await verified(tenant), { rows: 1, problems: [] });
  });

  test('is refused while another process archives', async () => {
    const client = await app.owner.connect();
    await client.query('SELECT pg_advisory_lock(7118048)');
    await assert.rejects(archive(), OperatorError);
    await client.query('SELECT pg_advisory_unlock(7118048)');
    client.release(true);
  });

  test('is refused if the folder has none of the archived parts', async () => {
    const file = join(root, 'file');
    await writeFile(file, '');
    for (const other of [join(root, 'not-mounted'), file])
      await assert.rejects(archiveEvents(app.owner, { root: other, duckdb }, month(0)), isOtherFolder);
    await rm(file);
  });

  test('leaves no files and no tables if it fails, and loses nothing', async () => {
    const tenant = await arrangeMatchOfTwo(app);
    await send(tenant, 'player', [
      { idempotencyKey: 'one', occurredAt: within(-2) },
      { idempotencyKey: 'two', occurredAt: within(-2, 60) },
    ]);
    let jobs = 0;
    const failing: typeof duckdb = async (job, limits) => {
      const rows = await duckdb(job, limits);
      if (++jobs === 2) throw new Error('The disk is full.');
      return rows;
    };
    const splitting = { root, duckdb: failing, rowsOfPart: 1 };
    await assert.rejects(archiveEvents(app.owner, splitting, month(0)), /The disk is full/);
    assert.equal(jobs, 2);
    const files = (await readdir(join(root, tenant.tenantId), { recursive: true })).filter((name) =>
      name.includes('part-'),
    );
    assert.deepEqual(files, []);
    assert.equal(await leftovers(), 0);
    assert.equal((await app.owner.query('SELECT FROM event_archives WHERE archived_at IS NULL')).rowCount, 0);
    assert.equal((await liveRows(tenant, 'player')).length, 2);
    await archive();
    assert.equal((await archivedRows(tenant, 'player')).length, 2);
  });

  test('names the folder that it cannot write to, and loses nothing', async () => {
    const tenant = await arrangeMatchOfTwo(app);
    await send(tenant, 'player', [{ idempotencyKey: 'one', occurredAt: within(-2) }]);
    const file = join(root, tenant.tenantId);
    const failing: typeof duckdb = () => Promise.reject(new DuckdbError('IO Error: Could not write file'));
    const refused = async (using: typeof duckdb) =>
      assert.rejects(archiveEvents(app.owner, { root, duckdb: using }, month(0)), (error: Error) => {
        assert.ok(error instanceof OperatorError);
        return error.message.startsWith(`The events could not be written to ${root} (`);
      });
    await writeFile(file, '');
    await refused(duckdb);
    await rm(file);
    await refused(failing);
    await archive();
    assert.equal((await archivedRows(tenant, 'player')).length, 1);
  });

  test('leaves an audit record of what was archived before it failed', async () => {
    const tenant = await arrangeMatchOfTwo(app);
    for (const scope of ['match', 'player'] as const)
      await send(tenant, scope, [{ idempotencyKey: 'one', occurredAt: within(-2) }]);
    let jobs = 0;
    // The match events are archived first.
    const failing: typeof duckdb = async (job, limits) => {
      if (++jobs === 2) throw new Error('The disk is full.');
      return duckdb(job, limits);
    };
    const archiveUntilItFails = archiveBefore({ ...upkeep, archive: { root, duckdb: failing } }, month(0));
    await assert.rejects(archiveUntilItFails, /The disk is full/);
    assert.equal((await archivedRows(tenant, 'match')).length, 1);
    assert.deepEqual(await newestRecord(), {
      table: 'match_events',
      before: month(0),
      parts: 1,
      events: 1,
      dropped: 0,
    });
    await archive();
    assert.equal((await archivedRows(tenant, 'player')).length, 1);
  });

  test('says what to install if the library is missing, and loses nothing', async () => {
    const tenant = await arrangeMatchOfTwo(app);
    await send(tenant, 'player', [{ idempotencyKey: 'one', occurredAt: within(-2) }]);
    const missing = createDuckdb('@duckdb/not-installed');
    await assert.rejects(archiveEvents(app.owner, { root, duckdb: missing }, month(0)), DuckdbMissingError);
    assert.equal((await liveRows(tenant, 'player')).length, 1);
    await archive();
    assert.equal((await archivedRows(tenant, 'player')).length, 1);
  });
});

describe('verifyArchive', () => {
  /** A tenant with one archived part. */
  async function arrangePart(): Promise<{ tenant: MatchOfTwo; part: PartRef; folder: string }> {
    const tenant = await arrangeMatchOfTwo(app);
    await send(tenant, 'player', [
      { idempotencyKey: 'one', occurredAt: within(-2) },
      { idempotencyKey: 'two', occurredAt: within(-2) },
    ]);
    await archive();
    const [part] = await selectParts(database.forTenant(tenant.tenantId), tenant.tenantId);
    return { tenant, part: part!, folder: partFolder(root, part!) };
  }

  test('names each damaged or missing file', async () => {
    const { tenant, folder } = await arrangePart();
    const problems = async () => (await verified(tenant)).problems.map((row) => row.problem);
    for (const file of PART_FILES) {
      const path = join(folder, file);
      await copyFile(path, `${path}.right`);
      await appendFile(path, ' ');
      assert.deepEqual(await problems(), [`has a file ${file} that does not match its checksum`]);
      await rm(path);
      assert.deepEqual(await problems(), [`has no ${file}`]);
      await rename(`${path}.right`, path);
    }
    assert.deepEqual(await problems(), []);
  });

  test('names each row whose hash does not match its columns', async () => {
    const tenant = await arrangeMatchOfTwo(app);
    const [one] = await send(tenant, 'match', [
      { idempotencyKey: 'one', occurredAt: within(-2), value: 1 },
      { idempotencyKey: 'two', occurredAt: within(-2, 2), value: 2 },
    ]);
    await app.owner.query('UPDATE match_events SET value = 100 WHERE id = $1', [one!.eventRecordId]);
    await archive();
    const problems = [{ table: 'archived match_events', tenantId: tenant.tenantId, id: one!.eventRecordId }];
    assert.deepEqual((await verified(tenant)).problems, problems);
    // The whole part is read and counted, and rows out of the range are not named.
    const ofRange = (range: OpenRange) => verified(tenant, undefined, range);
    assert.deepEqual(await ofRange({ to: within(-2, 1) }), { rows: 2, problems });
    assert.deepEqual(await ofRange({ from: within(-2), to: within(-2, 2) }), { rows: 2, problems });
    assert.deepEqual(await ofRange({ from: within(-2, 1) }), { rows: 2, problems: [] });
  });

  test('leaves no row with control characters to a second check', async () => {
    const tenant = await arrangeMatchOfTwo(app);
    const keys = Array.from({ length: 0x7f }, (_, code) => String.fromCharCode(code + 1)).flatMap((one) => [
      `key ${one}.`,
      String.raw`\u001F\\u000B${one}\\\u000b.`,
    ]);
    await send(
      tenant,
      'player',
      keys.map((idempotencyKey) => ({ idempotencyKey, occurredAt: within(-2) })),
    );
    await archive();
    let suspects = 0;
    const counting: typeof duckdb = async (job, limits) => {
      const rows = await duckdb(job, limits);
      if (job.statements[0]!.text.includes('sha256')) suspects += rows.length;
      return rows;
    };
    assert.deepEqual(await verified(tenant, { root, duckdb: counting }), { rows: keys.length, problems: [] });
    assert.equal(suspects, 0);
  });

  test('names no part of a run that has not ended', async () => {
    const { tenant } = await arrangePart();
    await send(tenant, 'player', [{ idempotencyKey: 'late', occurredAt: within(-2) }]);
    const client = await app.owner.connect();
    await writeMonths({ owner: app.owner, client, archive: { root, duckdb } }, 'player', month(0));
    client.release(true);
    assert.deepEqual((await verified(tenant)).problems, []);
    await archive();
  });

  test('names folders that are no part', async () => {
    const { tenant, part, folder } = await arrangePart();
    const unknown = part.part + 1_000;
    await mkdir(partFolder(root, { ...part, part: unknown }));
    await writeFile(join(folder, `../part-${unknown}/manifest.json`), '{}');
    const { problems } = await verified(tenant);
    assert.deepEqual(
      problems.map(({ id }) => id),
      [`player/${part.month}/part-${unknown}`],
    );
    // A new part does not use its number.
    await send(tenant, 'player', [{ idempotencyKey: 'late', occurredAt: within(-2) }]);
    await archive();
    const parts = await selectParts(database.forTenant(tenant.tenantId), tenant.tenantId);
    assert.deepEqual(
      parts.map((one) => one.part),
      [part.part, unknown + 1],
    );
  });
});

describe('createDuckdb', () => {
  const ask = (text: string, options: object = {}) =>
    duckdb(
      { statements: [{ text }], temporary: join(tmpdir(), 'guildhall-spill'), ...options },
      { seconds: 60 },
    );

  test('reads the files of its job, and no others', async () => {
    const file = join(root, "it's.csv");
    await writeFile(file, 'a\n1\n');
    const reading = `SELECT a::VARCHAR AS a FROM read_csv('${file.replace("'", "''")}')`;
    assert.deepEqual(await ask(reading, { reads: [file] }), [{ a: '1' }]);
    for (const statement of [
      reading,
      `SELECT * FROM read_text('/proc/self/environ')`,
      `COPY (SELECT 1) TO '${root}/written.csv'`,
      `ATTACH '${root}/other.db'`,
      `INSTALL httpfs`,
      `SET enable_external_access = true`,
      `SET memory_limit = '100GB'`,
    ])
      await assert.rejects(ask(statement), /Permission Error|configuration/, statement);
  });

  test('ends at the time limit, and when it is aborted', async () => {
    const endless = {
      statements: [{ text: 'SELECT count(*) FROM range(1000000000000) a, range(1000000) b' }],
      temporary: tmpdir(),
    };
    await assert.rejects(duckdb(endless, { seconds: 0.2 }), DuckdbTimeoutError);
    const aborted = new AbortController();
    const running = duckdb(endless, { seconds: 60, signal: aborted.signal });
    aborted.abort(new Error('The client has gone.'));
    await assert.rejects(running, /The client has gone/);
  });

  test('fails if its process has died, and starts another one for the next job', async () => {
    const own = createDuckdb();
    const before = childrenOf(process.pid);
    const one = () => own({ statements: [{ text: 'SELECT 1 AS one' }] }, { seconds: 60 });
    await one();
    const child = childrenOf(process.pid).find((pid) => !before.includes(pid));
    process.kill(child!, 'SIGKILL');
    // The job begins before this process handles the end of the other one. The main thread of that ends first.
    const hasEnded = (): boolean =>
      /^State:\s+Z/m.test(readFileSync(`/proc/${child}/status`, 'utf8')) &&
      readdirSync(`/proc/${child}/task`).length === 1;
    while (!hasEnded());
    await assert.rejects(one(), DuckdbError);
    assert.deepEqual(await one(), [{ one: 1 }]);
  });

  test('fails beyond its memory limit, and the server does not', async () => {
    const large = `SELECT list(range::VARCHAR || repeat('x', 1000)) AS texts FROM range(1000000)`;
    await assert.rejects(ask(large, { memoryMegabytes: 64 }), /Out of Memory/);
  });
});

// The last test, because the roll-ups do not count older events after it.
describe('dropOldRows', () => {
  test('deletes archived events of dropped months with their files', async () => {
    const tenant = await arrangeMatchOfTwo(app);
    await send(
      tenant,
      'player',
      [-3, -2, -1].map((later) => ({ idempotencyKey: 'one', occurredAt: within(later) })),
    );
    await archive();
    const drop = (from: string) =>
      dropOldRows({ ...upkeep, archive: { root: from, duckdb } }, 'player_events', month(-1));
    const parts = () => selectParts(database.forTenant(tenant.tenantId), tenant.tenantId);
    await assert.rejects(drop(join(root, 'not-mounted')), isOtherFolder);
    const [oldest] = await parts();
    assert.equal((await parts()).length, 3, 'the other folder changes nothing');
    // A run ended between the deletion of the files and of their row.
    await app.owner.query(
      'UPDATE event_archives SET archived_at = NULL WHERE tenant_id = $1 AND month = $2',
      [tenant.tenantId, month(-3)],
    );
    await rm(partFolder(root, oldest!), { recursive: true });
    await drop(root);
    assert.deepEqual(
      (await parts()).map((part) => part.month),
      [month(-1).slice(0, 7)],
    );
    assert.deepEqual((await verified(tenant)).problems, []);
    const { rows: records } = await app.owner.query(
      `SELECT details->>'table' AS table FROM audit_records WHERE action = 'archived_events.deleted'`,
    );
    assert.deepEqual(records, [{ table: 'player_events' }]);
    assert.deepEqual(await counted(tenant, 'player'), { events: 1, valueSum: null });
    // An event of a dropped month is dropped again, and not archived.
    await send(tenant, 'player', [{ idempotencyKey: 'late', occurredAt: within(-3) }]);
    const { parts: written, dropped } = await archiveBefore(upkeep, month(0));
    assert.deepEqual([written, dropped], [0, 1]);
    assert.equal((await archivedRows(tenant, 'player')).length, 1);
    assert.deepEqual(await liveRows(tenant, 'player'), []);
    assert.deepEqual(await newestRecord(), {
      table: 'player_events',
      before: month(0),
      parts: 0,
      events: 0,
      dropped: 1,
    });
  });

  test('changes nothing while another process works on the archive', async () => {
    const client = await app.owner.connect();
    await client.query('SELECT pg_advisory_lock(7118048)');
    const starts = async () =>
      (await app.owner.query('SELECT * FROM event_rollup_starts ORDER BY scope')).rows;
    const before = await starts();
    await assert.rejects(dropOldRows(upkeep, 'player_events', month(0)), OperatorError);
    assert.deepEqual(await starts(), before);
    await client.query('SELECT pg_advisory_unlock(7118048)');
    client.release(true);
  });

  test('withdraws parts when no query reads them, and lets roll-ups start later at the same time', async () => {
    const tenant = await arrangeMatchOfTwo(app);
    await send(tenant, 'match', [{ idempotencyKey: 'one', occurredAt: within(-3) }]);
    await archive();
    await send(tenant, 'match', [{ idempotencyKey: 'late', occurredAt: within(-3) }]);
    const differences: number[] = [];
    const check = () =>
      checkRollups({ database, archive: { root, duckdb } }, tenant.tenantId, ({ count }) =>
        differences.push(count),
      );
    await whileLocked(
      app,
      async (holder) => void (await holder.query('LOCK TABLE ONLY match_events IN ACCESS SHARE MODE')),
      async (_, release) => {
        const dropped = dropOldRows(upkeep, 'match_events', month(-2));
        await eventually(
          async () => (await app.owner.query('SELECT FROM pg_locks WHERE NOT granted')).rowCount! > 0,
        );
        assert.equal((await archivedRows(tenant, 'match')).length, 1);
        assert.equal((await counted(tenant, 'match')).events, 2);
        await check();
        assert.deepEqual(differences, [0]);
        await release();
        await dropped;
      },
    );
    assert.equal((await archivedRows(tenant, 'match')).length, 0);
    assert.equal((await counted(tenant, 'match')).events, 1, 'the late event is in a partition that stays');
  });

  test('deletes parts during a check, which names none of them', async () => {
    const tenant = await arrangeMatchOfTwo(app);
    let end = '';
    const remove = () =>
      withArchiveLock(app.owner, (client) => deleteArchivedBefore(client, { root, duckdb }, 'match', end));
    const removedWhileRead: Archive = {
      root,
      async duckdb(job, limits) {
        const rows = await duckdb(job, limits);
        await remove();
        return rows;
      },
    };
    const bucket: Partial<ArchiveBucket> = {
      check: (part) => checkPart(root, part),
      fetch: () => Promise.resolve(),
      async listParts(tenantId) {
        const folders = await listPartFolders(root, tenantId);
        await remove();
        return folders;
      },
    };
    const removedWhileListed: Archive = { root, duckdb, bucket: bucket as ArchiveBucket };
    for (const [own, later, rows] of [
      [removedWhileRead, -2, 0],
      [removedWhileListed, -1, 2],
    ] as const) {
      for (const idempotencyKey of ['one', 'late']) {
        await send(tenant, 'match', [{ idempotencyKey, occurredAt: within(later) }]);
        await archive();
      }
      end = month(later + 1);
      assert.deepEqual(await verified(tenant, own), { rows, problems: [] });
    }
  });
});
