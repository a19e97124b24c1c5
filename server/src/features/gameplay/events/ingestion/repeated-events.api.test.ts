import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { describe, test } from 'node:test';
import pg from 'pg';
import { verify } from '../../../../cli/verify.ts';
import { avoidEndOf } from '../../../../testing/avoid-end-of.ts';
import { eventually } from '../../../../testing/eventually.ts';
import type { Answer } from '../../../../testing/http-client.ts';
import { arrangeEventSender } from '../../../../testing/player-events.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { whileLocked } from '../../../../testing/while-locked.ts';

const app = await startTestApp();
const query = async (text: string, ...values: unknown[]) => (await app.owner.query(text, values)).rows;

/** Small batches share transactions with those of other requests. Larger ones have their own. */
const SIZES = [4, 40];

async function arrangeSender() {
  const { tenant, send, some } = await arrangeEventSender(app);
  const { tenantId } = tenant;
  return {
    tenantId,
    send,
    /** Creates events in the order of their keys, in which they are also stored. */
    some: (count: number) => some(count).toSorted((a, b) => (a.idempotencyKey < b.idempotencyKey ? -1 : 1)),
    /** Stores an event in a transaction of the test. */
    add: async (client: pg.ClientBase, { idempotencyKey }: { idempotencyKey: string }): Promise<void> =>
      void (await client.query(
        `INSERT INTO player_events
         SELECT occurred_at, created_at_gl, value, tenant_id, id, player_id, login_session_id, event_definitions_id, $2, row_hash
         FROM player_events WHERE tenant_id = $1 LIMIT 1`,
        [tenantId, idempotencyKey],
      )),
    keys: async (): Promise<string[]> =>
      (
        await query(
          'SELECT idempotency_key AS key FROM player_events WHERE tenant_id = $1 ORDER BY 1',
          tenantId,
        )
      ).map(({ key }) => key),
  };
}

const result = ({ status, body }: Answer): unknown[] => [status, body.records.length, body.duplicateCount];

describe('a batch with stored events', () => {
  test('stores, hashes, counts and charges the others', async () => {
    const { tenantId, send, some, keys } = await arrangeSender();
    // A look-up asks for 1,000 events.
    for (const size of [...SIZES, 2_500])
      for (const isStored of [
        () => true,
        (index: number) => index === 0,
        (index: number) => index === size - 1,
        (index: number) => index % 2 === 0,
      ]) {
        const batch = some(size);
        const stored = batch.filter((_, index) => isStored(index));
        assert.equal((await send(stored)).status, 201);
        const answer = await send(batch);
        const added = size - stored.length;
        assert.deepEqual(result(answer), [added > 0 ? 201 : 422, added, stored.length]);
        assert.deepEqual(
          answer.body.records.map(({ index }: { index: number }) => index),
          batch.flatMap((_, index) => (isStored(index) ? [] : [index])),
        );
      }
    const [counted] = await query(
      `SELECT (SELECT sum(units)::int FROM usage_entries WHERE tenant_id = $1) -
                (SELECT count(*)::int FROM login_ledger WHERE tenant_id = $1) AS charged,
              (SELECT sum(events)::int FROM event_rollup_deltas WHERE tenant_id = $1) AS counted`,
      tenantId,
    );
    const { length } = await keys();
    assert.deepEqual(counted, { charged: length, counted: length });
    const altered: unknown[] = [];
    await verify(app.databaseUrl, { tenantId }, (found) => altered.push(found));
    assert.deepEqual(altered, []);
  });

  test('is stored once if another transaction stores an event after the look-up', async () => {
    const { send, some, add, keys } = await arrangeSender();
    for (const size of SIZES) {
      const batch = some(size);
      await send(batch.slice(0, 1));
      let sent: Promise<Answer> | undefined;
      await whileLocked(
        app,
        (holder) => add(holder, batch[1]!),
        async (waiting, release) => {
          sent = send(batch);
          await waiting(1);
          await release();
        },
      );
      assert.deepEqual(result(await sent!), [201, size - 2, 2]);
      const stored = await keys();
      assert.deepEqual(
        batch.map(({ idempotencyKey }) => stored.filter((key) => key === idempotencyKey).length),
        batch.map(() => 1),
      );
    }
  });

  test('returns 503 and stores nothing of it if other transactions store its events again and again', async () => {
    const { send, some, add, keys } = await arrangeSender();
    const attempts = 10;
    const others = await Promise.all(
      Array.from({ length: attempts }, async () => {
        const client = new pg.Client({ connectionString: app.databaseUrl });
        await client.connect();
        return client;
      }),
    );
    try {
      for (const size of SIZES) {
        const batch = some(size + attempts);
        for (const [index, client] of others.entries()) {
          await client.query('BEGIN');
          await add(client, batch[index]!);
        }
        const before = await keys();
        const sent = send(batch);
        for (const client of others) {
          // The batch waits for this transaction, and then for the next one.
          const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
          await eventually(
            async () =>
              (await query(
                'SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))',
                rows[0].pid,
              ).then(({ length }) => length)) === 1,
          );
          await client.query('COMMIT');
        }
        const { status, body, headers } = await sent;
        assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'busy', '1']);
        assert.equal((await keys()).length, before.length + attempts);
        assert.deepEqual(result(await send(batch)), [201, size, attempts]);
      }
    } finally {
      await Promise.all(others.map((client) => client.end()));
    }
  });
});

describe('a batch that waits for the lock of another transaction', () => {
  test('gets 503 after 10 seconds, of any size, and is stored later', async () => {
    const { send, some, add } = await arrangeSender();
    const batches = SIZES.map(some);
    await whileLocked(
      app,
      async (holder) => {
        for (const [first] of batches) await add(holder, first!);
      },
      async () => {
        const since = performance.now();
        const answers = await Promise.all(batches.map(send));
        const seconds = (performance.now() - since) / 1000;
        for (const { status, body, headers } of answers)
          assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'query_timeout', '5']);
        assert.ok(seconds > 9 && seconds < 25, `${seconds} seconds`);
      },
    );
    for (const [index, batch] of batches.entries())
      assert.deepEqual(result(await send(batch)), [201, SIZES[index], 0]);
  });
});

describe('a duplicate with an unknown key', () => {
  test('creates no definition if auto-create is on', async () => {
    const { tenantId, send, some } = await arrangeSender();
    const definitions = async (): Promise<string[]> =>
      (
        await query(
          'SELECT event_key AS key FROM event_definitions WHERE tenant_id = $1 ORDER BY 1',
          tenantId,
        )
      ).map(({ key }) => key);
    for (const size of SIZES) {
      const batch = some(size);
      const named = (eventKey: string): object[] => batch.map((event) => ({ ...event, eventKey }));
      const before = await definitions();
      // In the batch twice, with different keys: the first one counts.
      const first = await send([...batch, ...named('again')]);
      assert.deepEqual(result(first), [201, size, size]);
      assert.deepEqual(await definitions(), before);
      // Stored before.
      assert.deepEqual(result(await send(named('later'))), [422, 0, size]);
      assert.deepEqual(await definitions(), before);
      // New and stored ones with the same unknown key.
      const key = `new ${size}`;
      const [one] = some(1);
      const mixed = await send([...named(key), { ...one, eventKey: key }]);
      assert.deepEqual(result(mixed), [201, 1, size]);
      assert.deepEqual(await definitions(), [...before, key].toSorted());
    }
  });

  test('is never charged under a hard stop, and its definition is created with the first new event', async () => {
    await avoidEndOf('month');
    const { tenantId, send, some } = await arrangeSender();
    const batch = some(3);
    assert.equal((await send(batch)).status, 201);
    const [{ units }] = await query(
      'SELECT sum(units)::int AS units FROM usage_entries WHERE tenant_id = $1',
      tenantId,
    );
    await query(
      `UPDATE workspaces SET monthly_units = $1, hard_stop = true
       WHERE id = (SELECT workspace_id FROM tenants WHERE id = $2)`,
      units + 1,
      tenantId,
    );
    const renamed = batch.map((event) => ({ ...event, eventKey: 'renamed' }));
    assert.deepEqual(result(await send(renamed)), [422, 0, 3]);
    const refused = await send([...renamed, ...some(2).map((event) => ({ ...event, eventKey: 'renamed' }))]);
    assert.equal(refused.body.code, 'quota_exceeded', refused.text);
    const added = await send([...renamed, { ...some(1)[0], eventKey: 'renamed' }]);
    assert.deepEqual(result(added), [201, 1, 3]);
  });
});
