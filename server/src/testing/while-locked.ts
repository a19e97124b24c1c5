import type pg from 'pg';
import { eventually } from './eventually.ts';
import type { TestApp } from './test-app.ts';

/** On Citus, a statement about events waits on the node that has them. */
const ACTIVITY = process.env['TEST_CITUS_URL'] ? 'citus_stat_activity' : 'pg_stat_activity';

/**
 * Runs `work` while a transaction of the test holds locks, to bring requests into the order that a race needs.
 * `waiting` waits until this many statements wait for a lock. `release` releases the locks.
 */
export async function whileLocked(
  { owner }: Pick<TestApp, 'owner'>,
  lock: (holder: pg.PoolClient) => Promise<unknown>,
  work: (waiting: (count: number) => Promise<void>, release: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const holder = await owner.connect();
  const isWaiting = async (count: number): Promise<boolean> => {
    const { rows } = await owner.query(
      `SELECT FROM ${ACTIVITY} WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length === count;
  };
  try {
    await holder.query('BEGIN');
    await lock(holder);
    await work(
      (count) => eventually(() => isWaiting(count)),
      async () => void (await holder.query('COMMIT')),
    );
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
}

/** Sends requests while a transaction of the test holds locks, commits it when this many statements wait for a lock, and returns the answer. */
export async function commitWhileWaiting<Answer>(
  app: Pick<TestApp, 'owner'>,
  lock: (holder: pg.PoolClient) => Promise<unknown>,
  send: () => Promise<Answer>,
  statements = 1,
): Promise<Answer> {
  let answer: Promise<Answer> | undefined;
  await whileLocked(app, lock, async (waiting, release) => {
    answer = send();
    await waiting(statements);
    await release();
  });
  return answer!;
}
