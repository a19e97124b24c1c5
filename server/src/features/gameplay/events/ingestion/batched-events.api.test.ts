import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangePlan, type TestTenant } from '../../../../testing/arrange.ts';
import { avoidEndOf } from '../../../../testing/avoid-end-of.ts';
import type { Answer } from '../../../../testing/http-client.ts';
import { arrangeEventSender } from '../../../../testing/player-events.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { whileLocked } from '../../../../testing/while-locked.ts';
import { verify } from '../../../../cli/verify.ts';

const app = await startTestApp({ processes: 1 });
const query = async (text: string, ...values: unknown[]) => (await app.owner.query(text, values)).rows;

const unitsOf = async ({ workspaceId }: TestTenant): Promise<number> => {
  const [{ units }] = await query(
    'SELECT coalesce(sum(units), 0)::int AS units FROM usage_entries WHERE workspace_id = $1',
    workspaceId,
  );
  return units;
};

const records = (answers: Answer[]): { eventRecordId: string }[] =>
  answers.flatMap(({ body }) => body.records ?? []);

describe('small batches of events that arrive together', () => {
  test('share transactions, and each is stored, hashed and charged as if alone', async () => {
    const { tenant, send, some } = await arrangeEventSender(app);
    const before = await unitsOf(tenant);
    const sizes = Array.from({ length: 60 }, (_, index) => 1 + (index % 4));
    let sent: Promise<Answer>[] = [];
    // The first two batches wait for the table, so that the other requests share the next ones.
    await whileLocked(
      app,
      async (holder) => void (await holder.query('LOCK TABLE player_events IN SHARE ROW EXCLUSIVE MODE')),
      async (waiting, release) => {
        sent = sizes.map((size) => send(some(size)));
        await waiting(2);
        await release();
      },
    );
    const answers = await Promise.all(sent);
    for (const [index, { status, body }] of answers.entries()) {
      assert.equal(status, 201);
      assert.deepEqual([body.records.length, body.errors, body.duplicateCount], [sizes[index], [], 0]);
    }
    const ids = records(answers).map(({ eventRecordId }) => eventRecordId);
    const [stored] = await query(
      `SELECT count(*)::int AS rows, count(DISTINCT xmin::text)::int AS transactions
       FROM player_events WHERE id = ANY($1::uuid[])`,
      ids,
    );
    assert.equal(stored.rows, 150);
    assert.ok(stored.transactions < 60, `${stored.transactions} transactions`);
    assert.equal(await unitsOf(tenant), before + 150);
    const altered: unknown[] = [];
    await verify(app.databaseUrl, { tenantId: tenant.tenantId }, (found) => altered.push(found));
    assert.deepEqual(altered, []);
  });

  test('are stored while large batches wait', async () => {
    const { tenant, send, some } = await arrangeEventSender(app);
    const large = Array.from({ length: 8 }, () => some(30));
    let sent: Promise<Answer>[] = [];
    await whileLocked(
      app,
      // The first event of each large batch is stored in a transaction that has not ended.
      async (holder) =>
        void (await holder.query(
          `INSERT INTO player_events
           SELECT occurred_at, created_at_gl, value, tenant_id, id, player_id, login_session_id, event_definitions_id, key, row_hash
           FROM player_events CROSS JOIN unnest($2::text[]) AS key WHERE tenant_id = $1`,
          [tenant.tenantId, large.map(([first]) => first!.idempotencyKey)],
        )),
      async (waiting) => {
        sent = large.map(send);
        await waiting(4);
        assert.equal((await send(some(1))).status, 201);
        await waiting(4);
      },
    );
    for (const { status, body } of await Promise.all(sent))
      assert.deepEqual([status, body.records.length], [201, 30]);
  });

  test('store and charge an event once that several requests send at the same time', async () => {
    const { tenant, send, some } = await arrangeEventSender(app);
    const before = await unitsOf(tenant);
    const events = some(10);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        send([events[index % 10]!, events[(index + 3) % 10]!, ...some(1)]),
      ),
    );
    assert.ok(answers.every(({ status }) => status === 201));
    assert.equal(records(answers).length, 50);
    assert.equal(
      answers.reduce((sum, { body }) => sum + body.duplicateCount, 0),
      70,
    );
    const repeated = await Promise.all(events.map((event) => send([event])));
    assert.ok(repeated.every(({ status, body }) => status === 422 && body.duplicateCount === 1));
    assert.equal(await unitsOf(tenant), before + 50);
  });

  test('stop exactly at the hard stop of the plan, and store each request whole or not at all', async () => {
    await avoidEndOf('month');
    const { tenant, send, some } = await arrangeEventSender(app);
    await query(
      'UPDATE workspaces SET monthly_units = $1, hard_stop = true WHERE id = $2',
      (await unitsOf(tenant)) + 20,
      tenant.workspaceId,
    );
    const answers = await Promise.all(Array.from({ length: 30 }, () => send(some(2))));
    const refused = answers.filter(({ body }) => body.code === 'quota_exceeded');
    assert.equal(refused.length, 20);
    assert.equal(records(answers).length, 20);
    assert.equal((await query('SELECT FROM player_events WHERE tenant_id = $1', tenant.tenantId)).length, 21);
  });

  test('create no definitions if the hard stop of the plan refuses the batch', async () => {
    await avoidEndOf('month');
    const { tenant, send, some } = await arrangeEventSender(app);
    await arrangePlan(app, tenant, { monthlyUnits: (await unitsOf(tenant)) + 1, hardStop: true });
    const definitions = () => query('SELECT FROM event_definitions WHERE tenant_id = $1', tenant.tenantId);
    const created = (await definitions()).length;
    const fresh = { ...some(1)[0]!, eventKey: 'new' };
    assert.equal((await send([fresh, ...some(1)])).body.code, 'quota_exceeded');
    assert.equal((await definitions()).length, created);
    // One new event, twice.
    const { status, body } = await send([fresh, fresh]);
    assert.deepEqual([status, body.records.length, body.duplicateCount], [201, 1, 1]);
  });

  test('keep tenants, players and kinds of events apart', async () => {
    const [one, two] = [await arrangeEventSender(app), await arrangeEventSender(app)];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const { send, some } = index % 2 ? one : two;
        return send(some(1));
      }),
    );
    assert.ok(answers.every(({ status }) => status === 201));
    for (const { tenant } of [one, two])
      assert.equal(
        (await query('SELECT FROM player_events WHERE tenant_id = $1', tenant.tenantId)).length,
        11,
      );
  });
});
