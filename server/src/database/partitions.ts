import type pg from 'pg';

/** The tables that are split by month, and the column that decides the month. */
const PARTITIONED = {
  match_events: 'occurred_at',
  player_events: 'occurred_at',
  login_ledger: 'received_at_db',
  logout_ledger: 'received_at_db',
} as const;

const MONTHS_AHEAD = 3;

/**
 * Makes the monthly partitions from this month to three months ahead, where they are missing, and returns their names.
 * Rows of such a month that already lie in the default partition (events dated ahead) move to the new one. Needs the
 * owner of the tables.
 */
export async function makePartitions(owner: pg.Pool, today = new Date()): Promise<string[]> {
  const made: string[] = [];
  for (const [table, column] of Object.entries(PARTITIONED)) {
    for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
      const month = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + ahead, 1));
      const next = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + ahead + 1, 1));
      const name = `${table}_${month.toISOString().slice(0, 7).replace('-', '_')}`;
      if (await makePartition(owner, { table, column, name, from: day(month), to: day(next) }))
        made.push(name);
    }
  }
  return made;
}

interface Partition {
  table: string;
  column: string;
  name: string;
  from: string;
  to: string;
}

async function makePartition(owner: pg.Pool, { table, column, name, from, to }: Partition): Promise<boolean> {
  const client = await owner.connect();
  try {
    // Not to_regclass, which after the wait for the lock would answer from what this session remembered before it.
    const exists = `SELECT EXISTS (
      SELECT FROM pg_class WHERE relname = $1 AND relnamespace = 'public'::regnamespace) AS exists`;
    if ((await client.query(exists, [name])).rows[0].exists) return false;
    await client.query('BEGIN');
    await client.query(`SELECT pg_advisory_xact_lock(7118002)`);
    if ((await client.query(exists, [name])).rows[0].exists) {
      await client.query('ROLLBACK');
      return false;
    }
    // The default partition may not hold rows of a new one. Walls stand on the parent only, so the move sees every row.
    const fallback = `${table}_default`;
    await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    await client.query(`CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`);
    await client.query(
      `WITH moved AS (DELETE FROM ${fallback} WHERE ${column} >= '${from}' AND ${column} < '${to}' RETURNING *)
       INSERT INTO ${name} SELECT * FROM moved`,
    );
    await client.query(
      `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${from}') TO ('${to}')`,
    );
    await client.query('COMMIT');
    return true;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

function day(date: Date): string {
  return `${date.toISOString().slice(0, 10)} 00:00:00+00`;
}
