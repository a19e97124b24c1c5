import pg from 'pg';

/** The tables that are split by month, and the column that decides the month. */
const PARTITIONED = {
  match_events: 'occurred_at',
  player_events: 'occurred_at',
  login_ledger: 'received_at_db',
  logout_ledger: 'received_at_db',
} as const;

const MONTHS_AHEAD = 3;

/** Any number that nothing else locks: one process makes partitions at a time. */
const PARTITION_LOCK = 7_118_002;

/** How many rows move under one lock: 10,000 take about 0.1 s. */
const ROWS_PER_STEP = 10_000;

/**
 * How long a step waits for its lock. Everybody else who wants the table waits behind it, so it gives up soon and tries again:
 * 120 attempts outlast the longest statement that a reader may run.
 */
const LOCK_TIMEOUT_MS = 250;
const LOCK_ATTEMPTS = 120;
const LOCK_PAUSE_MS = 500;

/** The range of a partition: its rows lie at or after `from` and before `to`. */
interface Partition {
  table: string;
  column: string;
  name: string;
  from: string;
  to: string;
}

/**
 * Makes the monthly partitions from this month to three months ahead, where they are missing, and one for all events before the
 * first month. Returns their names. Rows that already lie in the default partition move over in steps, each in a short transaction
 * that moves the rows and the bound together (docs/decisions/0039-partition-steps.md). Needs the owner of the tables.
 */
export async function makePartitions(
  owner: pg.Pool,
  { today = new Date(), rowsPerStep = ROWS_PER_STEP } = {},
): Promise<string[]> {
  const client = await owner.connect();
  const made: string[] = [];
  let broken: Error | undefined;
  try {
    await client.query(`SET timezone = 'UTC'`);
    await client.query('SELECT pg_advisory_lock($1)', [PARTITION_LOCK]);
    for (const [table, column] of Object.entries(PARTITIONED))
      for (const range of await wantedRanges(client, table, column, today))
        if (await makePartition(client, { table, column, ...range }, rowsPerStep)) made.push(range.name);
    await client.query('SELECT pg_advisory_unlock($1)', [PARTITION_LOCK]);
    return made;
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    // Closing a connection that failed gives its lock back.
    client.release(broken ?? true);
  }
}

async function wantedRanges(
  client: pg.PoolClient,
  table: string,
  column: string,
  today: Date,
): Promise<Omit<Partition, 'table' | 'column'>[]> {
  const startOf = (ahead: number) =>
    new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + ahead, 1)).toISOString().slice(0, 10);
  const months = Array.from({ length: MONTHS_AHEAD + 1 }, (_, ahead) => ({
    name: `${table}_${startOf(ahead).slice(0, 7).replace('-', '_')}`,
    from: startOf(ahead),
    to: startOf(ahead + 1),
  }));
  if (column !== 'occurred_at') return months;
  const past = `${table}_past`;
  const { rows } = await client.query(
    `SELECT max(bound[2]::timestamptz) FILTER (WHERE name = $2)::date::text AS "endOfPast",
            min(bound[1]::timestamptz) FILTER (WHERE name <> $2)::date::text AS first
     FROM pg_inherits JOIN pg_class ON oid = inhrelid,
          LATERAL (SELECT relname AS name, regexp_match(pg_get_expr(relpartbound, oid), 'FROM \\(''(.+)''\\) TO \\(''(.+)''\\)') AS bound) partition
     WHERE inhparent = $1::regclass`,
    [table, past],
  );
  const { endOfPast, first } = rows[0] as Record<string, string | null>;
  if (endOfPast) return months.filter(({ from }) => from >= endOfPast);
  return [{ name: past, from: '-infinity', to: first ?? months[0]!.from }, ...months];
}

async function makePartition(
  client: pg.PoolClient,
  partition: Partition,
  rowsPerStep: number,
): Promise<boolean> {
  let reached = await findReached(client, partition);
  if (reached === 'all') return false;
  while (reached !== 'all') {
    const upTo = await findStepEnd(client, partition, reached ?? partition.from, rowsPerStep);
    await withRetries(() => takeStep(client, partition, reached !== undefined, upTo));
    reached = await findReached(client, partition);
  }
  return true;
}

/**
 * How far a partition reaches: undefined when it does not exist, a time when a crash interrupted its making, and all when it is
 * complete.
 */
async function findReached(client: pg.PoolClient, { name, to }: Partition): Promise<string | undefined> {
  // Not to_regclass, which answers from the cache of this session.
  const { rows } = await client.query(
    `SELECT bound AS reached, bound::timestamptz >= $2::timestamptz AS complete
     FROM (SELECT substring(pg_get_expr(relpartbound, oid) from 'TO \\(''([^'']+)''') AS bound FROM pg_class
           WHERE relname = $1 AND relnamespace = 'public'::regnamespace) partition`,
    [name, to],
  );
  if (!rows[0]) return undefined;
  return rows[0].complete ? 'all' : rows[0].reached;
}

/** Where a step ends that moves about so many rows of the default partition. */
async function findStepEnd(
  client: pg.PoolClient,
  { table, column, to }: Partition,
  from: string,
  rowsPerStep: number,
): Promise<string> {
  const { rows } = await client.query(
    `WITH row AS (SELECT ${column} AS at FROM ${table}_default WHERE ${column} >= $1 AND ${column} < $2)
     SELECT coalesce(
       -- The first row that is left for the next step, unless all rows of this one have the same time.
       nullif((SELECT at FROM row ORDER BY at OFFSET $3 LIMIT 1), (SELECT min(at) FROM row)),
       CASE WHEN (SELECT count(*) FROM row) > $3
         THEN (SELECT min(at) FROM row WHERE at > (SELECT min(at) FROM row)) END,
       $2::timestamptz)::text AS end`,
    [from, to, rowsPerStep],
  );
  return rows[0].end;
}

/**
 * Moves the rows before a time into the partition and its upper bound to that time, in one transaction: so a reader finds each row
 * once, and the deduplication key holds. The parent is locked, for a writer that has chosen the default partition may not come late.
 */
async function takeStep(
  client: pg.PoolClient,
  { table, column, name, from }: Partition,
  exists: boolean,
  upTo: string,
): Promise<void> {
  await client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  try {
    await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    if (exists) await client.query(`ALTER TABLE ${table} DETACH PARTITION ${name}`);
    else await client.query(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL EXCLUDING INDEXES)`);
    // Row-level security stands on the parent only, so this statement sees every row.
    await client.query(
      `WITH moved AS (DELETE FROM ${table}_default WHERE ${column} >= '${from}' AND ${column} < '${upTo}' RETURNING *)
       INSERT INTO ${name} SELECT * FROM moved`,
    );
    await client.query(
      `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${from}') TO ('${upTo}')`,
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function withRetries(step: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await step();
    } catch (error) {
      const isLockTimeout = error instanceof pg.DatabaseError && error.code === '55P03';
      if (!isLockTimeout || attempt === LOCK_ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
    }
  }
}
