import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangePlayer, arrangeTenant } from '../../testing/arrange.ts';
import { eventually } from '../../testing/eventually.ts';
import { startTestApp } from '../../testing/test-app.ts';
import { firstOfMonth, withPartitionLock } from './partitioned-tables.ts';
import { createPartitions } from './create-partitions.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app, { autoCreate: true });
const player = await arrangePlayer(app, tenant);

// The month of these tests. It stays the same if the month changes meanwhile.
const today = new Date();
await createPartitions(app.owner, { today });
const monthStart = firstOfMonth(today);
/** The partition of this month. */
const current = `player_events_${monthStart.slice(0, 7).replace('-', '_')}`;
/** A time in this month. It is never later than 24 hours from now, and events are accepted until 48 hours from now. */
const dayAfter = Date.parse(monthStart) + 86_400_000;
const inMonth = new Date(dayAfter).toISOString();

/** Drops the partition of this month, so that its events go to the default partition. */
async function dropCurrent(): Promise<void> {
  await app.owner.query(`DROP TABLE IF EXISTS ${current}`);
}

const event = (idempotencyKey: string, occurredAt: string) => ({
  playerId: player.playerId,
  eventKey: 'jump',
  idempotencyKey,
  occurredAt,
});

const send = (events: object[]) => app.http.post('/api/game/player-events', { events }, player.caller);

const count = async (table: string): Promise<number> =>
  (await app.owner.query(`SELECT count(*)::int AS count FROM ${table}`)).rows[0].count;

/** The upper bound of a partition. */
const boundOf = async (name: string): Promise<string> =>
  (
    await app.owner.query('SELECT pg_get_expr(relpartbound, oid) AS bound FROM pg_class WHERE relname = $1', [
      name,
    ])
  ).rows[0].bound;

describe('createPartitions', () => {
  test('moves rows out of the default partition and keeps deduplication', async () => {
    await dropCurrent();
    const batch = Array.from({ length: 5 }, (_, index) => event(`still known ${index}`, inMonth));
    assert.equal((await send(batch)).status, 201);
    assert.equal(await count('player_events_default'), 5);
    // All rows may have the same time. Then one step moves more rows than `rowsPerStep`.
    assert.deepEqual(await createPartitions(app.owner, { today, rowsPerStep: 2 }), [current]);
    assert.equal(await count('player_events_default'), 0);
    assert.equal(await count(current), 5);
    assert.equal((await send(batch)).body.duplicateCount, 5);
    assert.deepEqual(await createPartitions(app.owner, { today }), []);
  });

  test('stores events from before the first month in a separate partition', async () => {
    assert.equal((await send([event('old', '1985-06-01T00:00:00Z')])).status, 201);
    assert.equal(await count('player_events_past'), 1);
    assert.equal(await count('player_events_default'), 0);
  });

  test('loses, hides and duplicates no event during writes and reads', async () => {
    await dropCurrent();
    const before = await count('player_events');
    let over = false;
    let sent = 0;
    // On a busy machine, writers without a limit would add rows faster than steps of 50 rows move them.
    const batchesPerRound = 100;
    let batchLimit = batchesPerRound;

    const write = async (writer: number): Promise<void> => {
      for (let number = 0; !over; number++) {
        await eventually(() => over || number < batchLimit);
        if (over) return;
        // Every batch is sent twice. Its times are before, inside and after the moved range.
        const batch = Array.from({ length: 30 }, (_, index) =>
          event(
            `${writer}-${number}-${index}`,
            new Date(dayAfter - 60_000 + index * 4_000 + number).toISOString(),
          ),
        );
        const answer = await send(batch);
        assert.equal(answer.status, 201, answer.text);
        assert.equal(answer.body.records.length, batch.length);
        sent += batch.length;
        const again = await send(batch);
        assert.equal(again.body.duplicateCount, batch.length, again.text);
      }
    };
    const read = async (): Promise<void> => {
      while (!over) {
        const least = before + sent;
        const { rows } = await app.owner.query(
          'SELECT count(*)::int AS count, count(DISTINCT (occurred_at, idempotency_key))::int AS names FROM player_events',
        );
        assert.ok(rows[0].count >= least, `${rows[0].count} of at least ${least} events are visible`);
        assert.equal(rows[0].count, rows[0].names, 'no event is duplicated');
      }
    };
    const make = async (): Promise<void> => {
      try {
        for (let round = 0; round < 3; round++) {
          await eventually(async () => (await count('player_events_default')) > 200);
          await createPartitions(app.owner, { today, rowsPerStep: 50 });
          assert.equal(await count('player_events_default'), 0);
          if (round < 2) {
            // Moves all rows back to the default partition in one transaction, for another round.
            const owner = await app.owner.connect();
            for (const statement of [
              'BEGIN',
              'LOCK TABLE player_events IN ACCESS EXCLUSIVE MODE',
              `ALTER TABLE player_events DETACH PARTITION ${current}`,
              `INSERT INTO player_events_default SELECT * FROM ${current}`,
              `DROP TABLE ${current}`,
              'COMMIT',
            ])
              await owner.query(statement);
            owner.release();
            batchLimit += batchesPerRound;
          }
        }
      } finally {
        over = true;
      }
    };
    await Promise.all([write(1), write(2), read(), make()]);
    assert.equal(await count('player_events'), before + sent);
  });

  test('completes a partition after an interruption', async () => {
    const to = new Date(dayAfter - 43_200_000).toISOString();
    await app.owner.query(`ALTER TABLE player_events DETACH PARTITION ${current}`);
    await app.owner.query(`DELETE FROM ${current} WHERE occurred_at >= '${to}'`);
    await app.owner.query(
      `ALTER TABLE player_events ATTACH PARTITION ${current} FOR VALUES FROM ('${monthStart}') TO ('${to}')`,
    );
    assert.equal((await send([event(randomUUID(), inMonth)])).status, 201);
    assert.equal(await count('player_events_default'), 1);
    assert.deepEqual(await createPartitions(app.owner, { today }), [current]);
    assert.equal(await count('player_events_default'), 0);
    assert.match(await boundOf(current), /TO \('\d{4}-\d\d-01 00:00:00/);
  });

  test('completes the partition of past events after an interruption', async () => {
    const bound = await boundOf('player_events_past');
    await app.owner.query('ALTER TABLE player_events DETACH PARTITION player_events_past');
    await app.owner.query(`DELETE FROM player_events_past WHERE occurred_at >= '1980-01-15T12:00:00Z'`);
    await app.owner.query(
      `ALTER TABLE player_events ATTACH PARTITION player_events_past FOR VALUES FROM ('-infinity') TO ('1980-01-15T12:00:00Z')`,
    );
    for (const time of ['1979-06-01T00:00:00Z', '1980-01-15T18:00:00Z', '1990-06-01T00:00:00Z'])
      assert.equal((await send([event(randomUUID(), time)])).status, 201);
    assert.equal(await count('player_events_default'), 2);
    assert.deepEqual(await createPartitions(app.owner, { today, rowsPerStep: 1 }), ['player_events_past']);
    assert.equal(await count('player_events_default'), 0);
    assert.equal(await boundOf('player_events_past'), bound);
    assert.deepEqual(await createPartitions(app.owner, { today }), []);
  });

  test('does not wait for other work on partitions if none is missing', async () => {
    await createPartitions(app.owner, { today });
    await withPartitionLock(app.owner, async () => {
      assert.deepEqual(await createPartitions(app.owner, { today }), []);
    });
  });

  test('waits for a long reader without blocking writers', async () => {
    await dropCurrent();
    const reader = await app.owner.connect();
    await reader.query('BEGIN; SELECT count(*) FROM player_events');
    const making = createPartitions(app.owner, { today });
    const lockAwaited = async () =>
      (await app.owner.query(`SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted`))
        .rowCount! > 0;
    await eventually(lockAwaited);
    // The reader continues, and events are accepted.
    assert.equal((await send([event(randomUUID(), inMonth)])).status, 201);
    await reader.query('COMMIT');
    reader.release();
    assert.deepEqual(await making, [current]);
    assert.equal(await count('player_events_default'), 0);
  });
});
