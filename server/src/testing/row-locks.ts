import { eventually } from './eventually.ts';
import type { TestApp } from './test-app.ts';

/** Waits until transactions of the app are blocked by a row lock of another transaction. */
export function untilBlocked({ owner }: TestApp, transactions = 1): Promise<void> {
  return eventually(async () => {
    const { rowCount } = await owner.query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event IN ('transactionid', 'tuple')`,
    );
    return rowCount! >= transactions;
  });
}
