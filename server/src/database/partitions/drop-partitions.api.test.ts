import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, mock, test } from 'node:test';
import { OperatorError } from '../../core/operator-error.ts';
import { verifyEvents } from '../../features/gameplay/events/index.ts';
import { rollUpSessions } from '../../features/gameplay/analytics/index.ts';
import { verifyLogins } from '../../features/sign-in/sessions/index.ts';
import { applyRetention, dropOldRows, type Retention } from '../../runtime/retention.ts';
import { arrangeAccount, arrangePlatformAdmin, arrangePlayer, arrangeTenant } from '../../testing/arrange.ts';
import { eventually } from '../../testing/eventually.ts';
import { noArchive } from '../../testing/no-archive.ts';
import { createOlderPartitions } from '../../testing/older-partitions.ts';
import { startTestApp } from '../../testing/test-app.ts';
import { openDatabase } from '../database.ts';
import { openOwnerPool } from '../pool.ts';
import { sql } from '../sql.ts';
import { dropPartitionsBefore } from './drop-partitions.ts';
import { listPartitions } from './list-partitions.ts';
import { firstOfMonth } from './partitioned-tables.ts';
import { createPartitions } from './create-partitions.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 2, work: 'job' });
after(() => database.close());
const upkeep = { owner: app.owner, database, archive: noArchive };
const tenant = await arrangeTenant(app, { autoCreate: true });
const player = await arrangePlayer(app, tenant);

const today = new Date();
const month = (later: number): string => firstOfMonth(today, later);
const nameOf = (table: string, later: number): string =>
  `${table}_${month(later).slice(0, 7).replace('-', '_')}`;
/** A time in the middle of an older month, or at the beginning of the current one. */
const within = (later: number): string =>
  new Date(Date.parse(month(later)) + (later === 0 ? 0 : 10 * 86_400_000)).toISOString();

const send = (occurredAt: string, idempotencyKey: string = randomUUID()) =>
  app.http.post(
    '/api/game/player-events',
    { events: [{ playerId: player.playerId, eventKey: 'jump', idempotencyKey, occurredAt }] },
    player.caller,
  );
const count = async (table: string): Promise<number> =>
  (await app.owner.query(`SELECT count(*)::int AS count FROM ${table}`)).rows[0].count;
const namesOf = async (table: string): Promise<string[]> =>
  (await listPartitions(app.owner)).filter((one) => one.table === table).map(({ name }) => name);
const leftovers = async (): Promise<string[]> =>
  (await app.owner.query(`SELECT relname FROM pg_class WHERE relname ~ '^dropped_.*(past|[0-9])$'`)).rows;

// The month may have changed since the database was made.
await createPartitions(app.owner, { today });
await createOlderPartitions(app.owner, 'player_events', 4, today);

describe('dropPartitionsBefore', () => {
  test('drops the months before a month and the rows before them, and keeps all others', async () => {
    for (const time of ['1999-01-01T00:00:00Z', within(-4), within(-3), within(-2), within(-1), within(0)])
      assert.equal((await send(time)).status, 201);
    const expected = ['player_events_past', ...[-4, -3].map((later) => nameOf('player_events', later))];
    const dropped = await dropPartitionsBefore(app.owner, 'player_events', month(-2));
    assert.deepEqual(dropped.toSorted(), expected.toSorted());
    assert.equal(await count('player_events'), 3);
    assert.deepEqual(await leftovers(), []);
    const past = (await listPartitions(app.owner)).find(({ name }) => name === 'player_events_past');
    assert.equal(past?.to, month(-2));
    assert.deepEqual(
      await dropPartitionsBefore(app.owner, 'player_events', month(-2)),
      [],
      'nothing is left',
    );
    assert.deepEqual(await createPartitions(app.owner, { today }), []);
  });

  test('stores late events in a partition of their own, which the next run drops', async () => {
    assert.equal((await send(within(-4), 'late')).status, 201);
    assert.equal(await count('player_events_past'), 1);
    assert.equal(await count('player_events_default'), 0);
    assert.deepEqual(await dropPartitionsBefore(app.owner, 'player_events', month(-2)), [
      'player_events_past',
    ]);
    assert.equal(await count('player_events_past'), 0);
    assert.equal((await send(within(-4), 'late')).status, 201, 'its idempotency key is gone with it');
  });

  test('drops rows of the default partition, if somebody dropped a month by hand', async () => {
    await app.owner.query(`DROP TABLE ${nameOf('player_events', -2)}`);
    assert.equal((await send(within(-2))).status, 201);
    assert.equal(await count('player_events_default'), 1);
    await dropPartitionsBefore(app.owner, 'player_events', month(-1));
    assert.equal(await count('player_events_default'), 0);
    assert.equal(await count('player_events'), 2);
  });

  test('deletes the partitions that an interrupted run has detached', async () => {
    const old = nameOf('player_events', -1);
    await app.owner.query(`ALTER TABLE player_events DETACH PARTITION ${old}`);
    await app.owner.query(`ALTER TABLE ${old} RENAME TO dropped_${old}`);
    assert.deepEqual(await dropPartitionsBefore(app.owner, 'player_events', month(-1)), []);
    assert.deepEqual(await leftovers(), []);
  });

  test('blocks no writer, and waits for a long reader', async () => {
    await createOlderPartitions(app.owner, 'player_events', 3, today);
    await app.owner.query(`
      INSERT INTO player_events (occurred_at, created_at_gl, tenant_id, id, player_id, event_definitions_id, idempotency_key, row_hash)
      SELECT '${within(-2)}', now(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), number::text, ''
      FROM generate_series(1, 20000) number`);
    // A write that waits for a lock for longer than a second would fail.
    const name = new URL(app.databaseUrl).pathname.slice(1);
    const strict = (seconds: string) =>
      app.owner.query(`ALTER DATABASE ${name} SET lock_timeout = '${seconds}'`);
    await strict('1s');
    const busy = await startTestApp({ databaseUrl: app.databaseUrl });
    const { rows: settings } = await app.owner.query(
      `SELECT setconfig FROM pg_db_role_setting JOIN pg_database db ON db.oid = setdatabase WHERE datname = current_database()`,
    );
    assert.match(String(settings[0]?.setconfig), /lock_timeout=1s/);
    let over = false;
    let written = 0;
    const write = async (): Promise<void> => {
      while (!over) {
        const events = Array.from({ length: 25 }, () => ({
          playerId: player.playerId,
          eventKey: 'jump',
          idempotencyKey: randomUUID(),
          occurredAt: new Date().toISOString(),
        }));
        const answer = await busy.http.post('/api/game/player-events', { events }, player.caller);
        assert.equal(answer.status, 201, answer.text);
        written += answer.body.records.length;
      }
    };
    const reader = await app.owner.connect();
    await reader.query(`BEGIN; SELECT count(*) FROM ${nameOf('player_events', -2)}`);
    const before = await count('player_events');
    const dropping = dropPartitionsBefore(app.owner, 'player_events', month(0)).finally(() => (over = true));
    const writing = Promise.all([write(), write(), write()]);
    const isWaiting = async () =>
      (await app.owner.query(`SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted`))
        .rowCount! > 0;
    try {
      await eventually(isWaiting);
      const soFar = written;
      // The writers continue between the attempts.
      await eventually(() => written > soFar + 200);
    } finally {
      await reader.query('COMMIT');
      reader.release();
    }
    assert.equal((await dropping).length, 4);
    await writing;
    await strict('0');
    assert.equal(await count('player_events'), before - 20_000 + written);
  });

  test('succeeds while large reads overlap all the time', async () => {
    await createOlderPartitions(app.owner, 'player_events', 3, today);
    const readers = openDatabase(app.databaseUrl, { poolSize: 2 });
    let isOver = false;
    let reads = 0;
    const doesReaderWait = async (): Promise<boolean> =>
      (
        await app.owner.query(
          `SELECT FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND NOT granted`,
        )
      ).rowCount! > 0;
    /** Begins one read after another. Each lasts until the other reader has begun its next one, or has to wait. */
    const read = async (tenantId: string): Promise<void> => {
      while (!isOver)
        await readers.heavy.forTenant(tenantId).transaction(async (transaction) => {
          await transaction.count(sql`SELECT count(*)::int AS count FROM player_events`);
          const next = ++reads + 1;
          await eventually(async () => isOver || reads >= next || (await doesReaderWait()));
        });
    };
    const reading = Promise.all([read(tenant.tenantId), read(randomUUID())]);
    await eventually(() => reads > 2);
    try {
      assert.ok((await dropPartitionsBefore(app.owner, 'player_events', month(0))).length > 0);
    } finally {
      isOver = true;
      await reading;
      await readers.close();
    }
  });
});

describe('dropOldRows', () => {
  test('keeps sessions that the analytics still need, and keeps the analytics of dropped sessions', async () => {
    await createOlderPartitions(app.owner, 'login_ledger', 3, today);
    await app.owner.query('UPDATE login_ledger SET received_at_db = $1 WHERE tenant_id = $2', [
      within(-2),
      tenant.tenantId,
    ]);
    const admin = await arrangeAccount(app, tenant, 'admin');
    const range = `from=${month(-2)}T00:00:00Z&to=${month(-1)}T00:00:00Z`;
    const logins = async () => {
      const answer = await app.http.get(
        `/api/bus_tenants/${tenant.tenantId}/sessions/analytics?${range}`,
        admin,
      );
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const counted = await logins();
    await assert.rejects(dropOldRows(upkeep, 'login_ledger', month(-1)), OperatorError);
    await rollUpSessions(database);
    const { archivedEvents, ...dropped } = await dropOldRows(upkeep, 'login_ledger', month(-1));
    assert.equal(archivedEvents, 0);
    assert.ok(dropped.partitions.includes(nameOf('login_ledger', -2)));
    assert.deepEqual(await logins(), counted);
    const broken: object[] = [];
    const verification = {
      tenantId: tenant.tenantId,
      range: {},
      onRows: () => {},
      report: (row: object) => broken.push(row),
    };
    await verifyLogins(database, verification);
    await verifyEvents(database, 'player', verification);
    assert.deepEqual(broken, []);
    const audit = await app.http.get('/api/admin/audit-records', await arrangePlatformAdmin(app));
    const record = audit.body.items.find(({ action }: { action: string }) => action === 'partitions.dropped');
    assert.deepEqual(record.details, { table: 'login_ledger', before: month(-1), ...dropped });
  });

  test('leaves an audit record of rows that are lost, even if the process ends before it deletes their files', async (context) => {
    await createOlderPartitions(app.owner, 'logout_ledger', 3, today);
    const owner = openOwnerPool(app.databaseUrl, 2);
    context.after(() => owner.end());
    owner.on('connect', (client) => {
      const query = client.query.bind(client) as (...sent: unknown[]) => unknown;
      Object.assign(client, {
        query: (...sent: unknown[]) =>
          String(sent[0]).startsWith('DROP TABLE dropped_')
            ? Promise.reject(new Error('The process ends.'))
            : query(...sent),
      });
    });
    await assert.rejects(dropOldRows({ ...upkeep, owner }, 'logout_ledger', month(-1)), /The process ends/);
    const audit = await app.http.get('/api/admin/audit-records', await arrangePlatformAdmin(app));
    const [{ action, details }] = audit.body.items;
    assert.deepEqual([action, details.table], ['partitions.dropped', 'logout_ledger']);
    assert.ok(details.partitions.includes(nameOf('logout_ledger', -2)));
    const { partitions } = await dropOldRows(upkeep, 'logout_ledger', month(-1));
    assert.deepEqual([partitions, await leftovers()], [[], []]);
  });
});

describe('applyRetention', () => {
  /** Applies a retention in the month of the other tests, even if the month has changed. */
  const retain = async (retention: Retention, now = today): Promise<void> => {
    mock.timers.enable({ apis: ['Date'], now });
    try {
      await applyRetention(upkeep, retention);
    } finally {
      mock.timers.reset();
    }
  };

  test('deletes rows of months that never had a partition, and keeps younger ones', async () => {
    const late = await arrangeTenant(app);
    for (const later of [-7, -5]) {
      const { sessionId } = await arrangePlayer(app, late);
      await app.owner.query('UPDATE login_ledger SET received_at_db = $1 WHERE session_id = $2', [
        within(later),
        sessionId,
      ]);
    }
    assert.equal(await count('login_ledger_default'), 2);
    await rollUpSessions(database);
    await retain({ login_ledger: 6 });
    const { rows } = await app.owner.query('SELECT received_at_db AS at FROM login_ledger_default');
    assert.deepEqual(rows, [{ at: new Date(within(-5)) }]);
    await retain({ login_ledger: 6 });
    const records = await app.http.get('/api/admin/audit-records', await arrangePlatformAdmin(app));
    const ofRows = records.body.items.filter(
      ({ details }: { details: { unpartitioned?: number } }) => details.unpartitioned === 1,
    );
    assert.deepEqual(
      ofRows.map(({ action, details }: { action: string; details: object }) => ({ action, details })),
      [
        {
          action: 'partitions.dropped',
          details: { table: 'login_ledger', before: month(-6), partitions: [], unpartitioned: 1 },
        },
      ],
      'a run that drops nothing writes no record',
    );
  });

  test('drops rows older than the months to keep, and no rows without a retention', async () => {
    await createOlderPartitions(app.owner, 'logout_ledger', 4, today);
    const all = await namesOf('logout_ledger');
    await retain({});
    assert.deepEqual(await namesOf('logout_ledger'), all);
    await retain({ logout_ledger: 2 });
    assert.deepEqual(
      await namesOf('logout_ledger'),
      all.filter((name) => !name.endsWith(nameOf('', -4)) && !name.endsWith(nameOf('', -3))),
    );
  });

  test('drops nothing if the clock of the worker is ahead of that of the database', async () => {
    const all = await namesOf('player_events');
    const later = new Date(Date.now() + 100 * 86_400_000);
    await assert.rejects(
      retain({ player_events: 0 }, later),
      /^OperatorError: The clock of this machine is 99 days/,
    );
    assert.deepEqual(await namesOf('player_events'), all);
  });

  test('drops the rows of the other tables if one cannot be dropped', async () => {
    const young = await arrangeTenant(app);
    await arrangePlayer(app, young);
    await app.owner.query('UPDATE login_ledger SET received_at_db = $1 WHERE tenant_id = $2', [
      within(-1),
      young.tenantId,
    ]);
    assert.equal((await send(within(-1))).status, 201);
    await assert.rejects(
      retain({ login_ledger: 0, player_events: 0 }),
      (error: Error) => error.cause instanceof OperatorError,
    );
    const [oldest] = (await app.owner.query('SELECT min(occurred_at) AS at FROM player_events')).rows;
    assert.ok(oldest.at >= new Date(month(0)));
  });
});
