import type pg from 'pg';
import { eventually } from './eventually.ts';
import type { TestApp } from './test-app.ts';

/**
 * Runs `work` while a transaction of the test holds locks, so that requests meet in the order that a race test needs.
 * `waiting` waits until so many statements of the database wait for a lock; `release` lets them go on.
 */
export async function whileLocked(
  { owner }: Pick<TestApp, 'owner'>,
  lock: (hold: pg.PoolClient) => Promise<void>,
  work: (waiting: (count: number) => Promise<void>, release: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const hold = await owner.connect();
  const isWaiting = async (count: number): Promise<boolean> => {
    const { rows } = await owner.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length === count;
  };
  try {
    await hold.query('BEGIN');
    await lock(hold);
    await work(
      (count) => eventually(() => isWaiting(count), 20_000),
      async () => void (await hold.query('COMMIT')),
    );
  } finally {
    await hold.query('ROLLBACK');
    hold.release();
  }
}
