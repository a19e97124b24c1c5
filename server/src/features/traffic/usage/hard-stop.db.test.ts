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

/** A connection with an open transaction. */
interface Session {
  client: pg.PoolClient;
  pid: number;
}

async function openSession(): Promise<Session> {
  const client = await owner.connect();
  await client.query('BEGIN');
  return { client, pid: (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid };
}

/** Opens sessions until two have the same first slot and a third has another one. */
async function openSessions() {
  const sessions: Session[] = [];
  for (;;) {
    const session = await openSession();
    const twin = sessions.find((known) => known.pid % 16 === session.pid % 16);
    sessions.push(session);
    if (twin && sessions.length > 2) {
      const third = sessions.find((known) => known !== twin && known.pid % 16 !== session.pid % 16)!;
      return { sessions, first: twin, second: session, third };
    }
  }
}

/** A workspace with 10 units a month. Its usage begins at zero with each month, so there is no new month during its test. */
async function arrangeWorkspace({ hardStop }: { hardStop: boolean }): Promise<string> {
  await avoidEndOf('month');
  const workspaceId = randomUUID();
  await owner.query(
    `INSERT INTO workspaces (id, name, slug, monthly_units, hard_stop) VALUES ($1, 'x', $2, 10, $3)`,
    [workspaceId, `studio-${workspaceId}`, hardStop],
  );
  return workspaceId;
}

/** Charges units. Returns the code of the error if they are refused, and ends the transaction then. */
async function charge({ client }: Session, workspaceId: string, units: number): Promise<string> {
  try {
    await client.query(
      `CALL guildhall_charge_units('${workspaceId}', gen_random_uuid(), gen_random_uuid(), ${units})`,
    );
    return 'charged';
  } catch (error) {
    await client.query('ROLLBACK');
    return (error as pg.DatabaseError).code!;
  }
}

const untilWaiting = ({ pid }: Session) =>
  eventually(async () => {
    const { rows } = await owner.query(
      'SELECT wait_event_type AS type FROM pg_stat_activity WHERE pid = $1',
      [pid],
    );
    return rows[0].type === 'Lock';
  });

const setHardStop = ({ client }: Session, workspaceId: string) =>
  client.query('UPDATE workspaces SET hard_stop = true WHERE id = $1', [workspaceId]);

async function commit({ client }: Session): Promise<void> {
  await client.query('COMMIT');
  client.release();
}

describe('charging the last unit of a hard stop', () => {
  test('refuses the transactions that wait for it, without a deadlock', async () => {
    const workspaceId = await arrangeWorkspace({ hardStop: true });
    const { sessions, first, second, third } = await openSessions();
    await owner.query(
      `INSERT INTO usage_allowances (workspace_id, slot, period_start, units_left)
       SELECT $1, slot, guildhall_period(), (slot = $2)::integer FROM generate_series(0, 15) AS slot`,
      [workspaceId, first.pid % 16],
    );
    await charge(first, workspaceId, 1);
    const outcomes: Promise<string>[] = [];
    for (const session of [second, third]) {
      outcomes.push(charge(session, workspaceId, 1));
      await untilWaiting(session);
    }
    await first.client.query('COMMIT');
    assert.deepEqual(await Promise.all(outcomes), ['GH002', 'GH002']);
    for (const { client } of sessions) client.release(true);
  });
});

/** Gives the plan the hard stop while another transaction has changed its usage. The change waits for the end of that. */
async function setHardStopBeside(other: Session, planner: Session, workspaceId: string): Promise<void> {
  const change = setHardStop(planner, workspaceId);
  await untilWaiting(planner);
  await commit(other);
  await change;
  await commit(planner);
}

describe('the units of a hard stop', () => {
  test('are allocated once if the first charges of a month run in parallel', async () => {
    const workspaceId = await arrangeWorkspace({ hardStop: true });
    const [first, second] = [await openSession(), await openSession()];
    assert.equal(await charge(first, workspaceId, 6), 'charged');
    const outcome = charge(second, workspaceId, 6);
    await untilWaiting(second);
    await commit(first);
    assert.equal(await outcome, 'GH002');
    second.client.release();
  });

  test('include a charge that runs while the plan gets the hard stop', async () => {
    const workspaceId = await arrangeWorkspace({ hardStop: false });
    const [writer, planner, next] = [await openSession(), await openSession(), await openSession()];
    assert.equal(await charge(writer, workspaceId, 6), 'charged');
    await setHardStopBeside(writer, planner, workspaceId);
    assert.equal(await charge(next, workspaceId, 6), 'GH002');
    next.client.release();
  });

  test('include a charge that waits while the plan gets the hard stop', async () => {
    const workspaceId = await arrangeWorkspace({ hardStop: false });
    const [writer, planner, next] = [await openSession(), await openSession(), await openSession()];
    await setHardStop(planner, workspaceId);
    const outcome = charge(writer, workspaceId, 6);
    await untilWaiting(writer);
    assert.equal(await charge(planner, workspaceId, 3), 'charged');
    await commit(planner);
    assert.equal(await outcome, 'charged');
    await commit(writer);
    assert.equal(await charge(next, workspaceId, 3), 'GH002');
    next.client.release();
  });

  test('include reads that are recorded while the plan gets the hard stop', async () => {
    const workspaceId = await arrangeWorkspace({ hardStop: false });
    const [meter, planner, next] = [await openSession(), await openSession(), await openSession()];
    await meter.client.query(
      `SELECT guildhall_record_usage(ARRAY[$1::uuid], ARRAY[gen_random_uuid()], ARRAY[gen_random_uuid()], '{6}', '{0}', '{0}')`,
      [workspaceId],
    );
    await setHardStopBeside(meter, planner, workspaceId);
    assert.equal(await charge(next, workspaceId, 6), 'GH002');
    next.client.release();
  });
});
