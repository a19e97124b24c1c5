import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { avoidEndOf } from '../../../testing/avoid-end-of.ts';
import { cloneTestDatabase } from '../../../testing/databases.ts';
import { eventually } from '../../../testing/eventually.ts';

const database = await cloneTestDatabase();
const owner = new pg.Pool({ connectionString: database.url, max: 40 });
after(async () => {
  await owner.end();
  await database.drop();
});

/** Opens connections with transactions until two have the same first slot and a third has another one. */
async function openSessions() {
  const sessions: { client: pg.PoolClient; pid: number }[] = [];
  for (;;) {
    const client = await owner.connect();
    await client.query('BEGIN');
    const pid = (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid as number;
    const twin = sessions.find((known) => known.pid % 16 === pid % 16);
    sessions.push({ client, pid });
    if (twin && sessions.length > 2) {
      const third = sessions.find((known) => known !== twin && known.pid % 16 !== pid % 16)!;
      return { sessions, first: twin, second: { client, pid }, third };
    }
  }
}

describe('charging the last unit of a hard stop', () => {
  test('refuses the transactions that wait for it, without a deadlock', async () => {
    await avoidEndOf('month');
    const workspaceId = randomUUID();
    await owner.query(
      `INSERT INTO workspaces (id, name, slug, monthly_units, hard_stop) VALUES ($1, 'x', $2, 10, true)`,
      [workspaceId, `studio-${workspaceId}`],
    );
    const { sessions, first, second, third } = await openSessions();
    await owner.query(
      `INSERT INTO usage_allowances (workspace_id, slot, period_start, units_left)
       SELECT $1, slot, guildhall_period(), (slot = $2)::integer FROM generate_series(0, 15) AS slot`,
      [workspaceId, first.pid % 16],
    );
    const billing = ({ client }: typeof first) =>
      client.query(`CALL guildhall_charge_units('${workspaceId}', gen_random_uuid(), gen_random_uuid(), 1)`);
    const waits = async ({ pid }: typeof first) =>
      (await owner.query('SELECT wait_event_type AS type FROM pg_stat_activity WHERE pid = $1', [pid]))
        .rows[0].type === 'Lock';

    await billing(first);
    const outcomes: Promise<string | undefined>[] = [];
    for (const session of [second, third]) {
      outcomes.push(
        billing(session).then(
          () => 'charged',
          async (error: pg.DatabaseError) => {
            await session.client.query('ROLLBACK');
            return error.code;
          },
        ),
      );
      await eventually(() => waits(session));
    }
    await first.client.query('COMMIT');
    assert.deepEqual(await Promise.all(outcomes), ['GH002', 'GH002']);
    for (const { client } of sessions) client.release(true);
  });
});
