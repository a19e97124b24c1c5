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
async function charge(session: Session, workspaceId: string, units: number): Promise<string> {
  const error = await refusalOf(session, workspaceId, units);
  return error?.code ?? 'charged';
}

async function refusalOf(
  { client }: Session,
  workspaceId: string,
  units: number,
): Promise<pg.DatabaseError | undefined> {
  try {
    await client.query(
      `CALL guildhall_charge_units('${workspaceId}', gen_random_uuid(), gen_random_uuid(), ${units})`,
    );
    return undefined;
  } catch (error) {
    await client.query('ROLLBACK');
    return error as pg.DatabaseError;
  }
}

/** Records units that were admitted before, like reads. */
const record = ({ client }: Session, workspaceId: string, units: number) =>
  client.query(
    `SELECT guildhall_record_usage(ARRAY[$1::uuid], ARRAY[gen_random_uuid()], ARRAY[gen_random_uuid()], ARRAY[$2::bigint], '{0}', '{0}')`,
    [workspaceId, units],
  );

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

/** Runs work in a transaction, which is rolled back unless the work commits it. */
async function withSession(work: (session: Session) => Promise<void>): Promise<void> {
  const session = await openSession();
  try {
    await work(session);
  } finally {
    await session.client.query('ROLLBACK');
    session.client.release();
  }
}

/** The allocated slots, the units left in all of them, and the units left in the fullest. */
const allocated = async (workspaceId: string) =>
  (
    await owner.query(
      `SELECT count(*)::int AS slots, sum(units_left)::int AS left, max(units_left)::int AS most
       FROM usage_allowances WHERE workspace_id = $1`,
      [workspaceId],
    )
  ).rows[0];

async function assertRefused(session: Session, workspaceId: string, used: number): Promise<void> {
  const refusal = await refusalOf(session, workspaceId, 1);
  assert.equal(refusal?.code, 'GH002');
  assert.equal(JSON.parse(refusal.detail!).used, used);
}

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
    await record(meter, workspaceId, 6);
    await setHardStopBeside(meter, planner, workspaceId);
    assert.equal(await charge(next, workspaceId, 6), 'GH002');
    next.client.release();
  });

  test('include a charge that is larger than a slot and waits while the plan gets the hard stop', async () => {
    const workspaceId = await arrangeWorkspace({ hardStop: false });
    const [writer, planner, next] = [await openSession(), await openSession(), await openSession()];
    await setHardStop(planner, workspaceId);
    const outcome = charge(writer, workspaceId, 6);
    await untilWaiting(writer);
    assert.equal(await charge(planner, workspaceId, 1), 'charged');
    await commit(planner);
    assert.equal(await outcome, 'charged');
    await commit(writer);
    for (let unit = 8; unit <= 10; unit++) assert.equal(await charge(next, workspaceId, 1), 'charged');
    assert.equal(await charge(next, workspaceId, 1), 'GH002');
    next.client.release();
  });

  test('are not counted again after units above the limit were recorded', async () => {
    const workspaceId = await arrangeWorkspace({ hardStop: true });
    await withSession(async (session) => {
      assert.equal(await charge(session, workspaceId, 10), 'charged');
      await record(session, workspaceId, 1);
      await session.client.query('COMMIT');
    });
    assert.deepEqual(await allocated(workspaceId), { slots: 16, left: -1, most: 0 });
    await withSession(async (session) => assertRefused(session, workspaceId, 11));
  });

  test('are not counted again after the limit was lowered below the usage', async () => {
    const workspaceId = await arrangeWorkspace({ hardStop: true });
    await withSession(async (session) => {
      assert.equal(await charge(session, workspaceId, 10), 'charged');
      await session.client.query('COMMIT');
    });
    await owner.query('UPDATE workspaces SET monthly_units = 4 WHERE id = $1', [workspaceId]);
    assert.deepEqual(await allocated(workspaceId), { slots: 16, left: -6, most: 0 });
    await withSession(async (session) => assertRefused(session, workspaceId, 10));
  });

  test('equal the plan without the usage after parallel charges and reads, without a deadlock', async () => {
    const workspaceId = await arrangeWorkspace({ hardStop: true });
    await owner.query('UPDATE workspaces SET monthly_units = 300 WHERE id = $1', [workspaceId]);
    const writer = async (number: number): Promise<void> => {
      for (let turn = 0; turn < 40; turn++)
        await withSession(async (session) => {
          const units = 1 + ((number * 7 + turn) % 5);
          if ((number + turn) % 2 === 0) await record(session, workspaceId, units);
          else assert.match(await charge(session, workspaceId, units), /^(charged|GH002)$/);
          await session.client.query('COMMIT');
        });
    };
    await Promise.all(Array.from({ length: 8 }, (_, number) => writer(number)));
    const { rows } = await owner.query(
      'SELECT sum(units)::int AS used FROM usage_entries WHERE workspace_id = $1',
      [workspaceId],
    );
    assert.ok(rows[0].used > 300, 'the reads pass the limit');
    assert.equal((await allocated(workspaceId)).left, 300 - rows[0].used);
  });

  test('of a new month are not taken by a transaction of the month before', async () => {
    const workspaceId = await arrangeWorkspace({ hardStop: true });
    await owner.query(
      `INSERT INTO usage_allowances (workspace_id, slot, period_start, units_left)
       SELECT $1, slot, guildhall_period() + interval '1 month', 1 FROM generate_series(0, 15) AS slot`,
      [workspaceId],
    );
    for (const units of [1, 20])
      await withSession(async (session) => {
        await record(session, workspaceId, units);
        await session.client.query('COMMIT');
      });
    assert.deepEqual(await allocated(workspaceId), { slots: 16, left: 16, most: 1 });
  });
});

describe('the record of bytes', () => {
  test('waits for no workspace that allocates its units', async () => {
    const workspaceId = await arrangeWorkspace({ hardStop: true });
    await withSession(async (allocating) => {
      await allocating.client.query('SELECT pg_advisory_xact_lock(7118, guildhall_usage_lock($1))', [
        workspaceId,
      ]);
      await withSession(async (session) => {
        await session.client.query(`SET LOCAL lock_timeout = '1ms'`);
        await record(session, workspaceId, 0);
      });
    });
  });
});
